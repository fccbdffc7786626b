import { readFileSync, writeFileSync } from "node:fs";
import {
  Cluster,
  type Diagnostic,
  type Finding,
  LintAnswer,
  type LintReport,
  type Severity,
  type TextSource,
} from "@tierwall/core";
import { type Fixed, fixSources } from "@tierwall/core/analysis";
import { diagnostics as codes } from "@tierwall/core/manifest";
import { lintGithub, lintJunit, lintText, summaryText } from "@tierwall/core/report";
import { type Command, Option } from "commander";
import { duration } from "../input/quantity.js";
import { printData } from "./explain.js";
import type { ManifestFile } from "@tierwall/kube";
import {
  loadState,
  sourceText,
  type StateFlags,
  stateOptions,
  printDiagnostics,
  withStateFlags,
} from "../input/state.js";
import { Progress } from "../output/progress.js";
import { print, printText, quotedColumns, styleFor, printMessage } from "../output/terminal.js";
import { version } from "../version.js";

interface LintFlags extends StateFlags {
  readonly output: "text" | "json" | "sarif" | "github" | "junit";
  readonly fix?: boolean;
  readonly budget: number;
  readonly maxSeverity: Severity | "none";
}

export function addLint(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("lint")
      .summary("find what is valid but probably a mistake")
      .description(
        "Finds what is valid but probably a mistake, in policies and the cluster they are for: policies that " +
          "select nothing, denials that can be bypassed, default denies that cut DNS. Each finding has a code, its " +
          "file and line, an example, and a fix if there is one. Give it as much of the cluster as you can: it finds more.",
      )
      .addOption(
        new Option("-o, --output <format>", "the output format")
          .choices(["text", "json", "sarif", "github", "junit"])
          .default("text"),
      )
      .option("--fix", "write the fixes to the files, keep comments, and report what is left")
      .addOption(
        new Option("--budget <time>", "give up on questions about every cluster after this time")
          .argParser(duration)
          .default(3000, "3s"),
      )
      .addOption(
        new Option("--max-severity <severity>", "the worst severity that still exits with 0")
          .choices(["none", "note", "warning", "error"])
          .default("note"),
      ),
  )
    .addHelpText(
      "after",
      `
Examples:
  # All policies of the current cluster
  tierwall lint

  # Policies against the cluster they are for
  tierwall lint -f policies/ -R --live

  # The same where it cannot be reached: a snapshot of it
  tierwall snapshot -o cluster.json.gz
  tierwall lint -f cluster.json.gz -f policies/ -R

  # Fix what can be fixed
  tierwall lint -f policies/ -R --fix

  # For code scanning; errors fail the job, warnings do not
  tierwall lint -f . -R -o sarif --max-severity warning > tierwall.sarif

An exception, with its reason, on the policy or the line:
  metadata: {annotations: {tierwall.dev/lint-ignore: "TW4001: pods come with the next release"}}
  - ipBlock: {cidr: 10.1.2.3/8} # tierwall-ignore TW2001: the vendor's spelling

Every code has a page in docs/reference/diagnostics/.
Exit status: 0 nothing worse than --max-severity, 1 something worse, 2 a path or a cluster that cannot be read.`,
    )
    .action(async (flags: LintFlags) => finish(await runLint(flags)));
}

async function runLint(flags: LintFlags): Promise<number> {
  const loaded = await loadState(flags);
  const { state, sources, live, diagnostics } = loaded;
  const unread = diagnostics.filter((found) => !state.diagnostics.includes(found));
  if (unread.length > 0) {
    printDiagnostics(unread, sources, flags.verbose);
    return 2;
  }
  if (live && flags.fix) {
    printMessage(
      "--fix writes to files, and what is in the cluster is in none; name files with -f, without --live",
    );
    return 2;
  }
  const isTolerated = toleratedBy(flags.maxSeverity);
  const cluster = new Cluster(loaded);
  if (!flags.fix) {
    const progress = new Progress();
    const answer = cluster.lint({
      budget: flags.budget,
      progress: (code, steps) =>
        progress.working(`checking ${code}, ${codes[code].title}: ${steps.toLocaleString("en")} steps`),
    });
    progress.end();
    printReport(answer, sources, flags, isTolerated, live);
    return answer.findings.every(isTolerated) ? 0 : 1;
  }
  // What was too long to be held cannot be read again.
  if (sources.some((source) => source.file === "<stdin>" && !("text" in source))) {
    printMessage("standard input is too long for --fix; save it to a file");
    return 2;
  }
  const fixed = fixSources(sources, state, stateOptions(flags).options, isWritable(sources), flags.budget);
  if (!writeFixes(fixed, sources)) return 2;
  const left = new LintAnswer(cluster, fixed.report);
  printReport(left, replaced(sources, fixed.changed), flags, isTolerated, live);
  return fixed.report.findings.every(isTolerated) ? 0 : 1;
}

/** A file, and one that would be written back as it was: not with bytes in it that are not text. */
function isWritable(sources: readonly ManifestFile[]): (file: string) => boolean {
  const texts = new Map(sources.flatMap((s) => ("text" in s ? [[s.file, s.text] as const] : [])));
  return (file) => file !== "<stdin>" && texts.get(file)?.includes("\uFFFD") === false;
}

/** The worst first. */
const severities: readonly Severity[] = ["error", "warning", "note"];

function toleratedBy(most: LintFlags["maxSeverity"]): (found: Diagnostic) => boolean {
  if (most === "none") return () => false;
  return ({ severity }) => severities.indexOf(severity) >= severities.indexOf(most);
}

function printReport(
  answer: LintAnswer,
  sources: readonly ManifestFile[],
  flags: LintFlags,
  isTolerated: (found: Finding) => boolean,
  live: boolean,
): void {
  const { report } = answer;
  switch (flags.output) {
    case "text":
      printFindings(report, sources, flags.verbose ?? false, live);
      break;
    case "json":
      printData(answer.json(), "json");
      break;
    case "sarif":
      printData(answer.sarif(version), "json");
      break;
    case "github":
      if (report.findings.length > 0) print(lintGithub(report));
      break;
    case "junit":
      print(
        lintJunit(
          report,
          sources.map(({ file }) => file),
          (found) => !isTolerated(found),
        ),
      );
      break;
  }
}

/** How much there is comes first: what follows may be long. */
function printFindings(
  report: LintReport,
  sources: readonly ManifestFile[],
  verbose: boolean,
  live: boolean,
): void {
  const { findings, suppressed, complete, undecided } = report;
  const isInFile = ({ place }: Finding) => place?.file !== "<stdin>" && !live;
  const fixable = findings.filter((found) => found.fix !== undefined && isInFile(found)).length;
  printText(
    [
      summaryText(findings, live ? undefined : sources.length),
      ...(fixable > 0 ? [`--fix fixes ${fixable}`] : []),
      ...(suppressed.length > 0 ? [`${suppressed.length} excepted`] : []),
    ].join("; "),
  );
  if (!complete)
    printText("Nothing was evaluated: fix the errors first, or skip objects with errors with --keep-going.");
  const questions = undecided.rules + undecided.priorities;
  if (questions > 0)
    printText(
      `${questions} ${questions === 1 ? "question" : "questions"} about every cluster not decided in time; --budget allows more.`,
    );
  const style = styleFor(process.stdout);
  const text = lintText(report, {
    sourceText: sourceText(sources),
    style,
    verbose,
    columns: quotedColumns(),
  });
  if (text !== "") printText(`\n${text}`);
}

function replaced(sources: readonly ManifestFile[], changed: readonly TextSource[]): readonly ManifestFile[] {
  return sources.map((source) => changed.find(({ file }) => file === source.file) ?? source);
}

/** False where a file is no longer what was read, and nothing is written, or where one cannot be written. */
function writeFixes({ fixed, changed }: Fixed, sources: readonly ManifestFile[]): boolean {
  const originals = new Map(sources.flatMap((s) => ("text" in s ? [[s.file, s.text] as const] : [])));
  const moved = changed.find(({ file }) => readFileSync(file, "utf8") !== originals.get(file));
  if (moved !== undefined) {
    printMessage(`${moved.file} has changed since it was read; nothing was written, run the command again`);
    return false;
  }
  for (const { file, text } of changed) {
    try {
      writeFileSync(file, text);
    } catch (cause) {
      printMessage(
        `\`${file}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
      );
      return false;
    }
  }
  for (const { place, code, fix } of fixed)
    printMessage(
      `${place === undefined ? "" : `${place.file}:${place.line}:${place.column}  `}${code}: ${fix.title}`,
    );
  if (fixed.length > 0)
    printMessage(`${fixed.length} fixed in ${changed.length} ${changed.length === 1 ? "file" : "files"}`, "");
  return true;
}
