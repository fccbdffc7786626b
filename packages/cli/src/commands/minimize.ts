import { readFileSync, writeFileSync } from "node:fs";
import type { TextSource } from "@tierwall/core";
import {
  minimize,
  type Minimization,
  replacedDocuments,
  writingProblems,
  writtenPolicies,
} from "@tierwall/core/analysis";
import { minimizationJson, minimizationText } from "@tierwall/core/report";
import { type Command, Option } from "commander";
import { duration } from "../input/quantity.js";
import {
  isUsable,
  type Loaded,
  loadState,
  printRemarks,
  type StateFlags,
  stateOptions,
  withStateFlags,
} from "../input/state.js";
import { printMessage, printText, printToStderr, printWhole, styleFor } from "../output/terminal.js";
import { printData } from "./explain.js";

interface MinimizeFlags extends StateFlags {
  readonly everywhere?: boolean;
  readonly unused?: boolean;
  readonly check?: boolean;
  readonly write?: boolean;
  readonly budget: number;
  readonly output: "text" | "yaml" | "json";
}

export function addMinimize(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("minimize")
      .summary("write policies with fewer rules, and prove that nothing changes")
      .description(
        "Finds rules and policies that can be removed or merged: shadowed and redundant rules, rules that differ in their peers or " +
          "ports only, adjacent CIDRs and port ranges, and policies for the same pods. Shows each step with its reason. Every " +
          "verdict between every two endpoints is compared before the result is shown: a step that changes one is not made. " +
          "Names and comments are kept.",
      )
      .option("--everywhere", "make only changes that are proven to change nothing in any cluster")
      .option(
        "--unused",
        "also remove rules that match nothing in this cluster, or that only other tiers make superfluous",
      )
      .option("--check", "exit with 1 if there is something to minimize")
      .option("--write", "write the result to the files; documents that do not change stay as they are")
      .addOption(
        new Option("--budget <time>", "give up on questions about every cluster after this time")
          .argParser(duration)
          .default(10_000, "10s"),
      )
      .addOption(
        new Option("-o, --output <format>", "what to print: the steps, or the policies")
          .choices(["text", "yaml", "json"])
          .default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # What could be removed or merged, and why
  tierwall minimize -f ./cluster -R

  # Only what is the same in every cluster; works without pods
  tierwall minimize -f policies/ -R --everywhere

  # Change the files, with the pods of the current cluster
  tierwall snapshot -o cluster.json.gz
  tierwall minimize -f cluster.json.gz -f policies/ -R --write

  # The policies of the current cluster, minimized
  tierwall minimize -o yaml > policies.yaml

  # Fail a CI job if there is something to minimize
  tierwall minimize -f policies/ -R --everywhere --check

Exit status: 0 nothing to do, or shown or written; 1 something to minimize, with --check; 2 the input is not valid.`,
    )
    .action(async (flags: MinimizeFlags) => finish(await runMinimize(flags)));
}

async function runMinimize(flags: MinimizeFlags): Promise<number> {
  const loaded = await loadState(flags);
  if (!isUsable(loaded)) return 2;
  const problem = problemWith(loaded, flags);
  if (problem !== undefined) {
    printMessage(problem);
    return 2;
  }
  const { options: reading } = stateOptions(flags);
  const found = minimize(loaded.state, {
    everywhere: flags.everywhere ?? false,
    unused: flags.unused ?? false,
    budget: flags.budget,
    ...(flags.write === true ? { mustStay: writingProblems(writableTexts(loaded)) } : {}),
    reading,
  });
  if (flags.write && !writeFiles(found, loaded)) return 2;
  printFound(found, flags);
  printRemarks(loaded, flags.verbose ?? false);
  return flags.check === true && found.changes.length > 0 ? 1 : 0;
}

/** What the flags ask for and the input cannot give. */
function problemWith({ state, live }: Loaded, flags: MinimizeFlags): string | undefined {
  if (state.policies.length === 0)
    return "the input has no policies; name the files that have them with -f, and folders inside of folders with -R";
  if (live && flags.write)
    return "--write changes files, and what is in the cluster is in none; -o yaml prints the policies";
  if (flags.unused && flags.everywhere)
    return "--unused is about this cluster, and --everywhere about all of them; use one of them";
  if (state.cluster.pods.size === 0 && !flags.everywhere)
    return "the input has no pods, so no verdicts could be compared; include the cluster (tierwall snapshot -o cluster.json.gz), or use --everywhere";
  return undefined;
}

function printFound(found: Minimization, { output, write }: MinimizeFlags): void {
  if (output === "json") return printData(minimizationJson(found), "json");
  if (output === "yaml") {
    printWhole(writtenPolicies(found));
    printToStderr(minimizationText(found, styleFor(process.stderr)));
    return;
  }
  printText(minimizationText(found, styleFor(process.stdout)));
  if (found.changes.length > 0 && !write)
    printMessage("", "Nothing was written: --write changes the files, -o yaml prints the policies.");
}

/** Not what would be written back with other bytes than it has. */
const writableTexts = ({ sources }: Loaded): readonly TextSource[] =>
  sources.filter(
    (source): source is TextSource =>
      "text" in source && source.file !== "<stdin>" && !source.text.includes("\uFFFD"),
  );

/** False where a file cannot be written, or is no longer what was read; then nothing is written. */
function writeFiles(found: Minimization, loaded: Loaded): boolean {
  const texts = writableTexts(loaded);
  const replaced = replacedDocuments(found, texts);
  if (!replaced.ok) {
    printMessage(`nothing was written: ${replaced.problem}`);
    return false;
  }
  const originals = new Map(texts.map(({ file, text }) => [file, text]));
  try {
    const moved = replaced.changed.find(({ file }) => readFileSync(file, "utf8") !== originals.get(file));
    if (moved !== undefined) {
      printMessage(`nothing was written: ${moved.file} has changed since it was read; run the command again`);
      return false;
    }
    for (const { file, text } of replaced.changed) writeFileSync(file, text);
  } catch (cause) {
    printMessage(`a file cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`);
    return false;
  }
  for (const { file } of replaced.changed) printMessage(`wrote ${file}`);
  return true;
}
