import {
  Cluster,
  type Diagnostic,
  type Explanation,
  type JsonValue,
  type Question,
  type Result,
} from "@tierwall/core";
import { parsePort, parseQuestion, type PortRef, servicePortAsked } from "@tierwall/core/analysis";
import { diagnostic } from "@tierwall/core/manifest";
import { diagnosticText, visibleLines, wrap } from "@tierwall/core/report";
import { type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import {
  askedEndpoints,
  missingEndpoints,
  type EndpointArguments,
  parseEndpointArguments,
} from "../endpoints/asked-endpoints.js";
import { canPick } from "../endpoints/pick.js";
import {
  isUsable,
  type Loaded,
  loadState,
  type StateFlags,
  printRemarks,
  withAnswerFlags,
} from "../input/state.js";
import { watchState } from "../input/watch.js";
import { print, printText, printWhole, styleFor, printMessage, printToStderr } from "../output/terminal.js";

interface ExplainFlags extends StateFlags, EndpointArguments {
  readonly namespace?: string;
  readonly watch?: boolean;
  readonly port?: string;
  readonly protocol?: "TCP" | "UDP" | "SCTP" | "ICMP";
  readonly output: "text" | "json" | "yaml";
}

export function addExplain(program: Command, finish: (status: number) => void): void {
  const command = withAnswerFlags(
    program
      .command("explain")
      .summary("why a connection is allowed or denied, with the line of the rule")
      .description(
        "Shows whether a connection is allowed, and why: each tier and rule that was considered, the rule " +
          "that decided, and its file and line.\n\n" +
          "Endpoints are NAMESPACE/POD, NAMESPACE/KIND/NAME for a workload or a Service, node:NAME, an IP address, " +
          "and new:K=V,…/K=V,… for a pod that does not exist yet (the labels of its namespace, and its own). " +
          "Without a port, the answer is about every port. On a terminal, you can choose a missing endpoint " +
          "from a list.",
      )
      .argument("[source]", "the endpoint that opens the connection")
      .argument(
        "[destination]",
        "the endpoint it goes to; ENDPOINT:PORT or ENDPOINT:PORT/PROTOCOL names the port as well",
      )
      .option("--from <endpoint>", "the source, instead of the first argument")
      .option("--to <endpoint>", "the destination, instead of the second argument")
      .option("-n, --namespace <name>", "the namespace of endpoints that are written without one")
      .option("--port <port>", "a port number, or the name of a port of the destination")
      .addOption(
        new Option(
          "--protocol <protocol>",
          "TCP, UDP, SCTP or ICMP (default: TCP, or that of the named port)",
        ).argParser(protocolName),
      )
      .addOption(
        new Option("-o, --output <format>", "the output format")
          .choices(["text", "json", "yaml"])
          .default("text"),
      ),
  )
    .option("-w, --watch", "answer again whenever the files or the cluster change, until Ctrl+C")
    .addHelpText(
      "after",
      `
Examples:
  # Why can cart not reach the payments API?
  tierwall explain -f ./cluster shop/cart payments/api:8443

  # The same, with options; names without a namespace are in shop
  tierwall explain -f ./cluster -n shop --from cart --to payments/api --port 8443

  # Every port that a new pod of team a could reach
  tierwall explain -f ./cluster -R new:team=a/app=web shop/Deployment/cart

  # A ping to an address outside the cluster, for a script
  tierwall explain -f ./cluster shop/cart 203.0.113.7 --protocol ICMP -o json

  # While you edit the policies
  tierwall explain -f ./cluster -R shop/cart payments/api:8443 --watch

Exit status: 0 if every connection is allowed or denied, 1 if one is undecided, 2 if the input is not valid.`,
    );
  command.action(async (from: string | undefined, to: string | undefined, flags: ExplainFlags) => {
    const args = [from, to].filter((text) => text !== undefined);
    const ends = parseEndpointArguments(args, flags);
    const isInteractive = canPick() && flags.output === "text" && flags.filename?.includes("-") !== true;
    const wrong = typeof ends === "string" ? ends : isInteractive ? undefined : missingEndpoints(ends);
    if (typeof ends === "string" || wrong !== undefined) return command.error(`error: ${wrong}`);
    finish(await runExplain(ends, flags, isInteractive));
  });
}

function protocolName(text: string): ExplainFlags["protocol"] {
  const name = text.toUpperCase();
  if (name === "TCP" || name === "UDP" || name === "SCTP" || name === "ICMP") return name;
  throw new InvalidArgumentError("It is TCP, UDP, SCTP or ICMP.");
}

async function runExplain(
  named: EndpointArguments,
  flags: ExplainFlags,
  interactive: boolean,
): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded, flags.verbose)) return 2;
  const asked = await askedEndpoints(loaded.state.cluster, named, {
    namespace: flags.namespace,
    interactive,
  });
  if (asked === undefined) return 2;
  if (!asked.ok) return refuse(asked.diagnostic);
  const { from, to } = asked.value;
  // What was chosen from a list can be typed the next time.
  if (asked.value.wasAsked) printMessage(`tierwall explain ${from} ${to}`, "");
  const answer = (state: Loaded) => printAnswer(state, asked.value, flags);
  return flags.watch === true ? watchState(flags, answer) : answer(loaded);
}

function refuse(why: Diagnostic): number {
  printToStderr(diagnosticText(why, () => undefined, styleFor(process.stderr)));
  return 2;
}

/** Prints the answer, and returns its exit status. */
function printAnswer(
  loaded: Loaded,
  { from, to }: { readonly from: string; readonly to: string },
  flags: ExplainFlags,
): number {
  const hasPort = flags.port !== undefined || flags.protocol !== undefined;
  const question = parseQuestion(from, to, hasPort ? () => portOf(flags) : undefined);
  const explained = question.ok ? new Cluster(loaded).explain(question.value) : question;
  if (!explained.ok) return refuse(explained.diagnostic);
  // The answer first; what there is to say about the input comes after it.
  const style = styleFor(process.stdout);
  if (flags.output === "text") printText(explained.value.text({ style, verbose: flags.verbose ?? false }));
  else printData(explained.value.json(), flags.output);
  if (flags.output === "text" && question.ok) explainServicePort(loaded, question.value, to);
  printRemarks(loaded, flags.verbose ?? false);
  return isUndecided(explained.value.explanation) ? 1 : 0;
}

/** The port of a Service is not that of its pods: a user who confuses them would misread the answer. */
function explainServicePort({ state }: Loaded, question: Question, to: string): void {
  const asked = servicePortAsked(state, question);
  if (asked === undefined) return;
  const { service, servicePort, target } = asked;
  const name = `${service.namespace}/${service.name}`;
  const pod = to.replace(/(?<=\/[^:]*):.*$/, "");
  printToStderr(
    wrap(
      "\n",
      `Port ${servicePort.port} is a port of Service ${name}, which leads to port ${target} of its pods. Policies match the ` +
        `ports of pods: ask about \`${pod}:${target}\`, or about \`${service.namespace}/Service/${service.name}:${servicePort.port}\`.`,
      "",
    ),
  );
}

/** No answer to rely on: of the connection, or of some of its ports, pods or address families. */
const isUndecided = ({ verdict, answers }: Explanation): boolean =>
  verdict === "Undecided" ||
  answers.some(
    ({ explained, ports = [] }) =>
      explained?.connection.verdict === "Undecided" || ports.some((set) => set.verdict === "Undecided"),
  );

export function printData(value: JsonValue, format: "json" | "yaml"): void {
  if (format === "json") print(JSON.stringify(value, undefined, 2));
  else printWhole(yamlText(value));
}

/** Escapes mean something only between double quotes: where there is anything to escape, all texts get them. */
function yamlText(value: JsonValue): string {
  const text = stringify(value, { aliasDuplicateObjects: false });
  if (visibleLines(text) === text) return text;
  return visibleLines(
    stringify(value, {
      aliasDuplicateObjects: false,
      defaultStringType: "QUOTE_DOUBLE",
      defaultKeyType: "QUOTE_DOUBLE",
    }),
  );
}

function portOf({ port, protocol }: ExplainFlags): Result<PortRef> {
  if (protocol === "ICMP" && port !== undefined)
    return { ok: false, diagnostic: diagnostic("TW1503", "ICMP has no ports; leave --port out") };
  if (protocol === "ICMP") return { ok: true, value: { kind: "icmp" } };
  if (port === undefined)
    return { ok: true, value: { kind: "all", ...(protocol === undefined ? {} : { protocol }) } };
  const asked = parsePort(protocol === undefined || port.includes("/") ? port : `${port}/${protocol}`);
  const named = asked.ok && "protocol" in asked.value ? asked.value.protocol : undefined;
  if (!asked.ok || protocol === undefined || named === protocol) return asked;
  const message = `--port says ${named ?? "ICMP"}, --protocol says ${protocol}; leave one of them out`;
  return { ok: false, diagnostic: diagnostic("TW1503", message) };
}
