import { existsSync } from "node:fs";
import { Cluster, type Grain, hasErrors } from "@tierwall/core";
import { diagnostic, affectsAnswers } from "@tierwall/core/manifest";
import { compareEverywhere, differenceLines, type Equality, equalityResultJson } from "@tierwall/core/prove";
import { changesAnnotations, diagnosticsJson, diagnosticText } from "@tierwall/core/report";
import { readStates, type State } from "@tierwall/core/state";
import type { Command } from "commander";
import { type ChangesFormat, grainOption, outputOption, printForGithub } from "../output/changes-output.js";
import { printData } from "./explain.js";
import { type Read, readPaths } from "@tierwall/kube";
import { readLive } from "../input/live.js";
import { parseRevisions, readRevision } from "../input/git.js";
import { Progress } from "../output/progress.js";
import {
  isUsable,
  type Loaded,
  stateOptions,
  type StateFlags,
  printRemarks,
  withAnswerFlags,
} from "../input/state.js";
import { print, printText, styleFor, printToStderr } from "../output/terminal.js";

interface DiffFlags extends StateFlags {
  readonly git?: string;
  readonly by: Grain;
  readonly output: ChangesFormat;
}

export function addDiff(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("diff")
      .summary("what two states allow differently, and which rules make the difference")
      .description(
        "Compares every connection of two states: which become allowed, denied or undecided, on which ports, and " +
          "who decides before and after. OLD and NEW are files or folders, and without NEW the current cluster is " +
          "compared with OLD, such as an earlier snapshot of it; what -f names is part of both. " +
          "With --git, one path is compared with itself in another revision.",
      )
      .argument("[old]", "a file or a folder; with --git, the one that is compared (default: .)")
      .argument("[new]", "a file or a folder (default: the current cluster)")
      .option("--git <revision>", "compare with this revision; REV..REV compares two of them")
      .addOption(grainOption())
      .addOption(outputOption()),
  )
    .addHelpText(
      "after",
      `
Examples:
  # Two folders
  tierwall diff ./before ./after

  # What changed in the cluster since a snapshot of it
  tierwall diff monday.json.gz

  # The same cluster under other policies
  tierwall diff -f cluster.json policies-old/ policies-new/

  # What the working tree changes, compared with the main branch
  tierwall diff --git main policies/

  # Two revisions, for a pull request
  tierwall diff -R --git origin/main..HEAD . -o md

Where there is no difference, the policies are compared in every cluster as well, for two seconds at most;
\`tierwall prove --same\` compares them for longer.

Exit status: 0 no difference, 1 differences, 2 bad input.`,
    )
    .action(async (before: string | undefined, after: string | undefined, flags: DiffFlags) =>
      finish(await runDiff(before, after, flags)),
    );
}

async function runDiff(
  before: string | undefined,
  after: string | undefined,
  flags: DiffFlags,
): Promise<number> {
  const read = await sidesOf(before, after, flags);
  if (typeof read === "string") {
    printToStderr(diagnosticText(diagnostic("TW1004", read), () => undefined, styleFor(process.stderr)));
    return 2;
  }
  const [old, now] = loadBoth(flags, read);
  // Checks both, so that all errors are reported together.
  if (![old, now].map((side) => isUsable(side, flags.verbose)).every(Boolean)) return 2;
  const compared = new Cluster(old).diff(new Cluster(now), flags.by);
  // Never so: both are usable.
  if (!compared.ok) return 2;
  const answer = compared.value;
  const rest = merged(old, now);
  // Only where there is nothing else to say: the differences of these two are more important.
  const everywhere = answer.changed
    ? undefined
    : compareEverywhere(old.state, now.state, { deadline: Date.now() + budget });
  const style = styleFor(process.stdout);
  const elsewhere = everywhere === undefined ? [] : elsewhereLines(everywhere);
  const markdown = () => [answer.markdown(), ...elsewhere].join("\n");
  switch (flags.output) {
    case "text":
      printText([answer.text({ style, verbose: flags.verbose ?? false }), ...elsewhere].join("\n"));
      break;
    case "json": {
      const remarks = diagnosticsJson(rest.diagnostics.filter(affectsAnswers));
      printData(
        { ...answer.json(), remarks, everywhere: everywhere && equalityResultJson(everywhere) },
        "json",
      );
      break;
    }
    case "md":
      print(markdown());
      break;
    case "github":
      printForGithub(changesAnnotations(answer.changes), markdown());
      break;
  }
  printRemarks(rest, flags.verbose ?? false);
  return answer.changed ? 1 : 0;
}

/** In milliseconds, for what may be too hard to decide. */
const budget = 2000;

/** Whether policies that make no difference here would make one in another cluster. */
function elsewhereLines(everywhere: Equality): readonly string[] {
  switch (everywhere.result) {
    case "Same":
      return ["The policies are the same in every cluster."];
    case "NotDecided":
      return [`Whether the policies are the same in every cluster was not decided: ${everywhere.why}`];
    case "Different":
      return [
        "This holds for the cluster of the input only; the policies are not the same.",
        ...differenceLines(everywhere, { before: "before", after: "after" }).map((line) => `  ${line}`),
      ];
  }
}

interface Sides {
  readonly common: Read;
  readonly old: Read;
  readonly now: Read;
  /** Whether one of them is a cluster. */
  readonly live?: boolean;
}

const nothing: Read = { sources: [], diagnostics: [] };

/** What the two states are read from, or what is wrong with how they were named. */
async function sidesOf(
  before: string | undefined,
  after: string | undefined,
  flags: DiffFlags,
): Promise<Sides | string> {
  const { recursive = false, filename = [], live = false, maxInput } = flags;
  if ([before, after, ...filename].filter((path) => path === "-").length > 1)
    return "standard input can be read only once; name a file instead of the other `-`";
  if (live && (after !== undefined || flags.git !== undefined))
    return "the cluster is compared with one path, as it was before; write `tierwall diff OLD --live`";
  const common = readPaths(filename, recursive, { maxInput });
  if (flags.git === undefined) {
    if (before === undefined)
      return "diff compares two states; write `tierwall diff OLD NEW`, `tierwall diff OLD` for the cluster as it is now, or `tierwall diff --git REV PATH`";
    if (after === undefined) {
      const old = readPaths([before], recursive, { maxInput });
      // Errors in the path are reported without waiting for a cluster.
      const now = hasErrors(old.diagnostics) ? nothing : await readLive(flags, new Progress());
      return { common, old, now, live: true };
    }
    // A file that is part of both already need not be read again.
    const known = new Set(common.sources.map(({ file }) => file));
    const [old, now] = [before, after].map((path) => {
      const { sources, diagnostics } = readPaths([path], recursive, { maxInput });
      return { sources: sources.filter(({ file }) => !known.has(file)), diagnostics };
    });
    return { common, old: old!, now: now! };
  }
  if (after !== undefined) return "with --git one path is compared with itself; leave the second one out";
  const path = before ?? ".";
  const revisions = parseRevisions(flags.git);
  const old = readRevision(revisions.before, path, { recursive, maxInput });
  const now = readNow(revisions.after, path, flags);
  // What is new, or gone, is there on one side only.
  if ([old, now].every(({ sources, diagnostics }) => sources.length + diagnostics.length === 0))
    return `\`${path}\` holds no manifests, now or in \`${flags.git}\`${recursive ? "" : " (-R looks into folders)"}`;
  return { common, old, now };
}

function loadBoth(flags: DiffFlags, { common, old, now, live = false }: Sides): readonly [Loaded, Loaded] {
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const progress = new Progress();
  const states = readStates(common.sources, [old.sources, now.sources], {
    ...options,
    progress: progress.objectsRead,
  });
  progress.end();
  const loaded = (state: State, side: Read): Loaded => ({
    state,
    live,
    sources: [...common.sources, ...side.sources],
    diagnostics: [...fromOptions, ...common.diagnostics, ...side.diagnostics, ...state.diagnostics],
  });
  return [loaded(states[0]!, old), loaded(states[1]!, now)];
}

function readNow(revision: string | undefined, path: string, flags: DiffFlags): Read {
  const { recursive = false, maxInput } = flags;
  if (revision !== undefined) return readRevision(revision, path, { recursive, maxInput });
  return existsSync(path) ? readPaths([path], recursive, { maxInput }) : { sources: [], diagnostics: [] };
}

/** What there is to say about the input, once where both say it. */
function merged(old: Loaded, now: Loaded): Loaded {
  const keyOf = ({ code, message, place }: Loaded["diagnostics"][number]) =>
    `${code} ${message} ${place?.file}:${place?.line}`;
  const known = new Set(now.diagnostics.map(keyOf));
  return {
    ...now,
    diagnostics: [...now.diagnostics, ...old.diagnostics.filter((found) => !known.has(keyOf(found)))],
  };
}
