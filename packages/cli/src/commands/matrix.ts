import { Cluster, type Grain, type UndecidedPorts } from "@tierwall/core";
import { Reasons } from "@tierwall/core/analysis";
import { type LabelMatch, parseSelector } from "@tierwall/core/model";
import { caveatLines, diagnosticText, matrixReportJson } from "@tierwall/core/report";
import { matrixHtml } from "@tierwall/ui";
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  collect,
  isUsable,
  loadState,
  type StateFlags,
  printRemarks,
  withAnswerFlags,
} from "../input/state.js";
import { isRead, print, printText, styleFor, printToStderr } from "../output/terminal.js";

const formats = ["text", "json", "csv", "md", "dot", "svg", "html"] as const;

interface MatrixFlags extends StateFlags {
  readonly by: Grain;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly namespace: readonly string[];
  readonly selector: LabelMatch;
  readonly port: readonly string[];
  readonly undecided: UndecidedPorts;
  readonly denied?: boolean;
  readonly output: (typeof formats)[number];
}

/** An option that selects connections, and may be given several times. */
const filter = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(collect).default([], "all");

export function addMatrix(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("matrix")
      .summary("who can reach whom, on which ports")
      .description(
        "Lists all pairs: which pods, workloads or namespaces can open connections to which, on which " +
          "ports; and to and from nodes and external addresses.\n\n" +
          "--from and --to take what explain takes (NAMESPACE/POD, NAMESPACE/KIND/NAME, node:NAME, an IP address), and " +
          "sets: a NAMESPACE, a CIDR, and names with * in them (shop/web-*, node:*). Filters choose pods, and the " +
          "matrix contains only these.",
      )
      .addOption(
        new Option("--by <grain>", "what a row is")
          .choices(["pod", "workload", "namespace"])
          .default("workload"),
      )
      .addOption(filter("--from <endpoint>", "only connections from here (repeatable)"))
      .addOption(filter("--to <endpoint>", "only connections to here (repeatable)"))
      .addOption(
        filter("-n, --namespace <name>", "only pairs with an endpoint in this namespace (repeatable)"),
      )
      .addOption(
        new Option(
          "-l, --selector <selector>",
          "only pairs with an endpoint that has these labels: app=web,tier!=db",
        )
          .argParser(selector)
          .default([], "all"),
      )
      .addOption(filter("--port <port>", "only this port: 443, 53/UDP, ICMP (repeatable)"))
      .addOption(
        new Option("--undecided <how>", "how to treat ports whose verdict depends on missing information")
          .choices(["show", "allow", "deny"])
          .default("show"),
      )
      .option("--denied", "also list pairs that cannot connect")
      .addOption(
        new Option("-o, --output <format>", "the output format").choices([...formats]).default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # All workloads
  tierwall matrix -f ./cluster

  # Who can reach the payments API on 8443?
  tierwall matrix -f ./cluster --to payments/api --port 8443

  # What can leave the cluster, for a spreadsheet
  tierwall matrix -f ./cluster --to 0.0.0.0/0 --to ::/0 -o csv

  # All that concerns one team, namespace by namespace
  tierwall matrix -f ./cluster -n 'team-a-*' --by namespace

Exit status: 0 when there is an answer, 2 when the input is not valid.`,
    )
    .action(async (flags: MatrixFlags) => finish(await runMatrix(flags)));
}

function selector(text: string, previous: LabelMatch): LabelMatch {
  const parsed = parseSelector(text);
  if (parsed === undefined)
    throw new InvalidArgumentError(
      `\`${text}\` is not a label selector, such as app=web,tier!=db or "env in (dev, test)"`,
    );
  return [...previous, ...parsed];
}

/** On a terminal as much as a person reads; a pipe gets everything. */
const readableLines = 200;

async function runMatrix(flags: MatrixFlags): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded, flags.verbose)) return 2;
  const cluster = new Cluster(loaded);
  const made = cluster.matrix({
    by: flags.by,
    from: flags.from,
    to: flags.to,
    namespaces: flags.namespace,
    selector: flags.selector,
    ports: flags.port,
    undecided: flags.undecided,
  });
  if (!made.ok) {
    printToStderr(diagnosticText(made.diagnostic, () => undefined, styleFor(process.stderr)));
    return 2;
  }
  const { matrix, caveats } = made.value;
  // A comment would be a row to most readers of CSV.
  if (flags.output === "csv" && caveats.length > 0)
    printToStderr(caveatLines(caveats, styleFor(process.stderr)).join("\n"));
  printLines(
    flags.output === "html"
      ? matrixHtml(matrixReportJson(matrix, new Reasons(cluster.engine, matrix), caveats))
      : made.value.lines(flags.output, {
          denied: flags.denied ?? false,
          style: styleFor(process.stdout),
          ...(process.stdout.isTTY ? { lines: readableLines } : {}),
        }),
    flags.output === "text" ? printText : print,
  );
  printRemarks(loaded, flags.verbose ?? false);
  return 0;
}

const linesAtOnce = 1000;

/** There may be more than a string can hold. */
function printLines(lines: Iterable<string>, printed: (report: string) => void): void {
  let waiting: string[] = [];
  for (const line of lines) {
    if (!isRead(process.stdout)) return;
    waiting.push(line);
    if (waiting.length < linesAtOnce) continue;
    printed(waiting.join("\n"));
    waiting = [];
  }
  if (waiting.length > 0) printed(waiting.join("\n"));
}
