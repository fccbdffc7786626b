import {
  changesAnnotations,
  changesJson,
  changesMarkdown,
  changesText,
  compareStates,
  diagnostic,
  diagnosticsJson,
  diagnosticText,
  type Grain,
  isChanged,
} from "@tierwall/core";
import type { Command } from "commander";
import { type ChangesFormat, grainOption, outputOption, printForGithub } from "./changes-output.js";
import { printData } from "./explain.js";
import { type Read, readPaths } from "./files.js";
import { parseRevisions, readRevision } from "./git.js";
import {
  isTelling,
  isUsable,
  type Loaded,
  stateFrom,
  type StateFlags,
  tellRest,
  withStateFlags,
} from "./state.js";
import { print, styleFor, talk } from "./terminal.js";

interface DiffFlags extends StateFlags {
  readonly git?: string;
  readonly by: Grain;
  readonly output: ChangesFormat;
}

export function addDiff(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("diff")
      .summary("what two states allow differently, and which rules make the difference")
      .description(
        "Compares every connection of two states: which become allowed, denied or undecided, on which ports, and " +
          "who decides before and after. OLD and NEW are files or folders; what -f names is part of both. " +
          "With --git, one path is compared with itself in another revision.",
      )
      .argument("[old]", "a file or a folder; with --git, the one that is compared (default: .)")
      .argument("[new]", "a file or a folder")
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

  # The same cluster under other policies
  tierwall diff -f cluster.json policies-old/ policies-new/

  # What the working tree changes, compared with the main branch
  tierwall diff --git main policies/

  # Two revisions, for a pull request
  tierwall diff -R --git origin/main..HEAD . -o md

Exit status: 0 no difference, 1 differences, 2 bad input.`,
    )
    .action((before: string | undefined, after: string | undefined, flags: DiffFlags) =>
      finish(runDiff(before, after, flags)),
    );
}

function runDiff(before: string | undefined, after: string | undefined, flags: DiffFlags): number {
  const read = sidesOf(before, after, flags);
  if (typeof read === "string") {
    talk(diagnosticText(diagnostic("TW1004", read), () => undefined, styleFor(process.stderr)));
    return 2;
  }
  const loaded = read.map((side) => stateFrom(flags, side)) as [Loaded, Loaded];
  // Both, so that all errors are told together.
  if (!loaded.map(isUsable).every(Boolean)) return 2;
  const [old, now] = loaded;
  const changes = compareStates(old.state, now.state, flags.by);
  const rest = merged(old, now);
  switch (flags.output) {
    case "text":
      print(changesText(changes, { style: styleFor(process.stdout), verbose: flags.verbose ?? false }));
      break;
    case "json":
      printData(
        { ...changesJson(changes), remarks: diagnosticsJson(rest.diagnostics.filter(isTelling)) },
        "json",
      );
      break;
    case "md":
      print(changesMarkdown(changes));
      break;
    case "github":
      printForGithub(changesAnnotations(changes), changesMarkdown(changes));
      break;
  }
  tellRest(rest, flags.verbose ?? false);
  return isChanged(changes) ? 1 : 0;
}

/** What the two states are read from, or what is wrong with how they were named. */
function sidesOf(
  before: string | undefined,
  after: string | undefined,
  flags: DiffFlags,
): readonly [Read, Read] | string {
  const { recursive = false, filename = [] } = flags;
  const paths = [before, after, ...filename].filter((path) => path === "-");
  if (paths.length > 1) return "standard input can be read only once; name a file instead of the other `-`";
  const common = readPaths(filename, recursive);
  const with_ = (read: Read): Read => ({
    sources: [...common.sources, ...read.sources],
    diagnostics: [...common.diagnostics, ...read.diagnostics],
  });
  if (flags.git === undefined) {
    if (before === undefined || after === undefined)
      return "diff compares two states; write `tierwall diff OLD NEW`, or `tierwall diff --git REV PATH`";
    return [with_(readPaths([before], recursive)), with_(readPaths([after], recursive))];
  }
  if (after !== undefined) return "with --git one path is compared with itself; leave the second one out";
  const path = before ?? ".";
  const revisions = parseRevisions(flags.git);
  return [
    with_(readRevision(revisions.before, path, recursive)),
    with_(
      revisions.after === undefined
        ? readPaths([path], recursive)
        : readRevision(revisions.after, path, recursive),
    ),
  ];
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
