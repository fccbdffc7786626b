import type { Diagnostic } from "@tierwall/core";
import {
  type FlowFormat,
  flowFormats,
  formatOf,
  isBlank,
  readerOf,
  Replay,
  type Replayed,
} from "@tierwall/core/analysis";
import { diagnostic, affectsAnswers } from "@tierwall/core/manifest";
import { belowCaveats, caveatsJson, diagnosticsJson, replayJson, replayText } from "@tierwall/core/report";
import { caveatsOfAll } from "@tierwall/core/state";
import { type Command, Option } from "commander";
import { inputProblem, loadEdited } from "../input/edited.js";
import { printData } from "./explain.js";
import { unreadable } from "@tierwall/kube";
import { linesAt } from "../output/lines.js";
import { Progress } from "../output/progress.js";
import {
  collect,
  isUsable,
  loadState,
  type StateFlags,
  printDiagnostics,
  printRemarks,
  withAnswerFlags,
} from "../input/state.js";
import { printText, styleFor, printMessage } from "../output/terminal.js";

interface ReplayFlags extends StateFlags {
  readonly flows: string;
  readonly apply?: readonly string[];
  readonly format?: FlowFormat;
  readonly output: "text" | "json";
}

export function addReplay(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("replay")
      .summary("which observed traffic the policies would drop, and by which rule")
      .description(
        "Compares observed traffic with the policies: which flows would be dropped, by which rule, how often; and where " +
          "the observed verdict differs from that of the policies.\n\n" +
          "Reads Hubble's flows (hubble observe -o json), conntrack -L, and records of your own as CSV or JSON lines, " +
          "compressed with gzip or not, of any length.",
      )
      .requiredOption("--flows <file>", "the observed traffic, or - for standard input")
      .option(
        "--apply <path>",
        "objects that replace those of the same kind and name: shows which flows they change (repeatable)",
        collect,
      )
      .addOption(
        new Option(
          "--format <format>",
          "the format of the records (default: detected from the first one)",
        ).choices(flowFormats),
      )
      .addOption(
        new Option("-o, --output <format>", "the output format").choices(["text", "json"]).default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # What would these policies have dropped of yesterday's traffic?
  tierwall replay -f ./cluster -R --flows flows.jsonl.gz

  # Before kubectl apply: whose traffic does this change?
  tierwall replay -f ./cluster --apply deny-all.yaml --flows flows.jsonl

  # The same, in the current cluster
  tierwall replay --apply deny-all.yaml --flows flows.jsonl

  # From Cilium
  hubble observe --last 100000 -o json | tierwall replay -f ./cluster --flows -

  # The connections that a node has open
  conntrack -L | tierwall replay -f ./cluster --flows -

Exit status: 0 when nothing would be dropped (with --apply: when nothing changes), 1 when something would, 2 when the
input is not valid.`,
    )
    .action(async (flags: ReplayFlags) => finish(await runReplay(flags)));
}

async function runReplay(flags: ReplayFlags): Promise<number> {
  const { flows, apply } = flags;
  const problem = inputProblem([flows], flags, apply);
  if (problem !== undefined) {
    printMessage(problem);
    return 2;
  }
  const edited = apply && (await loadEdited(flags, apply));
  const loaded = edited?.after ?? (await loadState(flags));
  // What is applied may fix the errors of the state, but then there is nothing to compare with.
  if (!isUsable(loaded, flags.verbose) || (edited !== undefined && !isUsable(edited.before, flags.verbose)))
    return 2;
  const replay = new Replay(edited?.before.state ?? loaded.state, edited?.after.state);
  const problems = await readFlows(flags, replay);
  printDiagnostics(problems, [], flags.verbose);
  if (problems.some(({ severity }) => severity === "error")) return 2;
  const replayed = replay.result();
  const caveats = caveatsOfAll(loaded.state);
  const options = { style: styleFor(process.stdout), verbose: flags.verbose ?? false };
  if (flags.output === "text") printText(belowCaveats(replayText(replayed, options), caveats, options));
  else {
    const remarks = diagnosticsJson([...loaded.diagnostics.filter(affectsAnswers), ...problems]);
    printData({ ...replayJson(replayed), caveats: caveatsJson(caveats), remarks }, "json");
  }
  printRemarks(loaded, flags.verbose ?? false);
  return statusOf(replayed);
}

const statusOf = ({ verdicts, changed }: Replayed): number =>
  (changed === undefined ? verdicts.Deny : changed.length) > 0 ? 1 : 0;

/** How many lines that cannot be read are reported one by one; the report has their count. */
const mostReported = 5;

/** Feeds all records to the replay; what is wrong with some is a warning, with all of them an error. */
async function readFlows({ flows, format }: ReplayFlags, replay: Replay): Promise<readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  const progress = new Progress(process.stderr, Date.now, "flows");
  const file = flows === "-" ? "<stdin>" : flows;
  let reader: ReturnType<typeof readerOf>;
  let [number, records, broken] = [0, 0, 0];
  try {
    for await (const line of linesAt(flows, progress.bytesRead)) {
      number++;
      if (isBlank(line)) continue;
      if (reader === undefined) {
        const known = format ?? formatOf(line);
        reader = known && readerOf(known, line);
        if (reader === undefined) return [notUnderstood(file, number, format)];
      }
      const read = reader(line);
      if (read === undefined) continue;
      if (++records % 1000 === 0) progress.objectsRead(records);
      if (read.kind === "broken" && ++broken <= mostReported)
        problems.push(diagnostic("TW2023", read.why, { place: lineAt(file, number) }));
      replay.add(read);
    }
  } catch (cause) {
    return [unreadable(flows, cause)];
  } finally {
    progress.end();
  }
  if (records === 0) return [diagnostic("TW1008", `\`${file}\` holds no flows`)];
  if (broken < records) return problems;
  const message = `none of the ${records} records of \`${file}\` can be read`;
  return [...problems, diagnostic("TW1008", message, { hint: formatHint })];
}

const formatHint = `Say what they are with --format: ${flowFormats.join(", ")}.`;

function notUnderstood(file: string, line: number, format: FlowFormat | undefined): Diagnostic {
  const message =
    format === "csv"
      ? "the first line names no columns `from` and `to`"
      : "these are no flows of Hubble or conntrack, no JSON lines, and no CSV with the columns `from` and `to`";
  return diagnostic("TW1008", message, { place: lineAt(file, line), hint: formatHint });
}

const lineAt = (file: string, line: number) => ({ file, line, column: 1, length: 1 });
