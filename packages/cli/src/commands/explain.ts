import { Cluster, type Explanation, type JsonValue, type Result } from "@tierwall/core";
import { parsePort, parseQuestion, type PortRef } from "@tierwall/core/analysis";
import { diagnostic } from "@tierwall/core/manifest";
import { diagnosticText, visibleLines } from "@tierwall/core/report";
import { type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "yaml";
import { isUsable, loadState, type StateFlags, tellRest, withAnswerFlags } from "../input/state.js";
import { print, printWhole, styleFor, talkReport } from "../output/terminal.js";

interface ExplainFlags extends StateFlags {
  readonly from: string;
  readonly to: string;
  readonly port?: string;
  readonly protocol?: "TCP" | "UDP" | "SCTP" | "ICMP";
  readonly output: "text" | "json" | "yaml";
}

export function addExplain(program: Command, finish: (status: number) => void): void {
  const command = withAnswerFlags(
    program
      .command("explain")
      .summary("why a connection is allowed or denied, to the line")
      .description(
        "Decides one connection and shows why: each tier that was walked, each rule that was looked at, the one " +
          "that decided, and its place in your files.\n\n" +
          "Endpoints are NAMESPACE/POD, NAMESPACE/KIND/NAME for a workload or a Service, node:NAME, an IP address, " +
          "and new:K=V,…/K=V,… for a pod that does not exist yet (the labels of its namespace, and its own). " +
          "Without --port the answer is about every port.",
      )
      .requiredOption("--from <endpoint>", "who opens the connection")
      .requiredOption("--to <endpoint>", "where it goes; ENDPOINT:PORT/PROTOCOL names the port as well")
      .option("--port <port>", "a port number, or the name of a port of the destination")
      .addOption(
        new Option(
          "--protocol <protocol>",
          "TCP, UDP, SCTP or ICMP (default: TCP, or that of the named port)",
        ).argParser(protocolName),
      )
      .addOption(
        new Option("-o, --output <format>", "how to answer")
          .choices(["text", "json", "yaml"])
          .default("text"),
      ),
  ).addHelpText(
    "after",
    `
Examples:
  # Why can cart not reach the payments API?
  tierwall explain -f ./cluster --from shop/cart --to payments/api --port 8443

  # Every port that a new pod of team a could reach
  tierwall explain -f ./cluster -R --from new:team=a/app=web --to shop/Deployment/cart

  # A ping to an address outside the cluster, for a script
  tierwall explain -f ./cluster --from shop/cart --to 203.0.113.7 --protocol ICMP -o json

Exit status: 0 when the connection is allowed or denied, 1 when it, or one of those asked about, is undecided, 2 when
the input is not valid.`,
  );
  command.action(async (flags: ExplainFlags) => finish(await runExplain(flags)));
}

function protocolName(text: string): ExplainFlags["protocol"] {
  const name = text.toUpperCase();
  if (name === "TCP" || name === "UDP" || name === "SCTP" || name === "ICMP") return name;
  throw new InvalidArgumentError("It is TCP, UDP, SCTP or ICMP.");
}

async function runExplain(flags: ExplainFlags): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded)) return 2;
  const hasPort = flags.port !== undefined || flags.protocol !== undefined;
  const question = parseQuestion(flags.from, flags.to, hasPort ? () => portOf(flags) : undefined);
  const explained = question.ok ? new Cluster(loaded).explain(question.value) : question;
  if (!explained.ok) {
    talkReport(diagnosticText(explained.diagnostic, () => undefined, styleFor(process.stderr)));
    return 2;
  }
  // The answer first; what there is to say about the input comes after it.
  const style = styleFor(process.stdout);
  if (flags.output === "text") print(explained.value.text({ style, verbose: flags.verbose ?? false }));
  else printData(explained.value.json(), flags.output);
  tellRest(loaded, flags.verbose ?? false);
  return isUndecided(explained.value.explanation) ? 1 : 0;
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
