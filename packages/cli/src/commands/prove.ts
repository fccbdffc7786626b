import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrors, type Diagnostic } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import {
  compareEverywhere,
  type Equality,
  equalityGithub,
  equalityJson,
  equalityJunit,
  equalitySarif,
  equalityText,
  type GuaranteeResult,
  proofsGithub,
  proofsJson,
  proofsJunit,
  proofsSarif,
  proofsText,
  Prover,
  readGuarantees,
  runGuarantee,
  type Sides,
  unaskedGuarantee,
  writtenAdmissionPolicies,
  writtenCounterexample,
  writtenDifference,
} from "@tierwall/core/prove";
import { caveatsOfAll, mergedCaveats, readStates, type State } from "@tierwall/core/state";
import { type ManifestFile, readPaths } from "@tierwall/kube";
import { type Command, Option } from "commander";
import { affectsVerdicts, type Assertion, findObjects, GivenStates } from "../input/given.js";
import { readLive } from "../input/live.js";
import { duration } from "../input/quantity.js";
import { type StateFlags, stateOptions, printDiagnostics, withStateFlags } from "../input/state.js";
import { Progress } from "../output/progress.js";
import { print, printMessage, printText, styleFor } from "../output/terminal.js";
import { version } from "../version.js";
import { printData } from "./explain.js";

interface ProveFlags extends StateFlags {
  readonly output: "text" | "json" | "junit" | "sarif" | "github";
  readonly budget: number;
  readonly same?: boolean;
  readonly write?: string;
}

export function addProve(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("prove")
      .summary("check guarantees for every cluster, also for those that do not exist yet")
      .description(
        "Checks Guarantees: statements that must hold in every cluster, whatever namespaces, pods and NetworkPolicies it has. Each one is " +
          "proven, with the rules that the proof rests on, or refuted, with the smallest cluster in which it does not hold. A path is a " +
          "file or a folder; other files in a folder are ignored. -f adds policies to those that each Guarantee lists under `given`. A " +
          "Guarantee without policies, and every Guarantee with --live, is about the policies of the current cluster. With --same, the " +
          "policies of two files or folders are compared: they are the same in every cluster, or the smallest cluster in which they " +
          "differ is shown.",
      )
      .argument("<path...>", "files or folders with Guarantees; with --same, the two to compare")
      .option("--same", "compare the policies of two files or folders in every cluster")
      .addOption(
        new Option("-o, --output <format>", "how to report")
          .choices(["text", "json", "junit", "sarif", "github"])
          .default("text"),
      )
      .addOption(
        new Option("--budget <time>", "give up on a guarantee, or a comparison, after this time")
          .argParser(duration)
          .default(10_000, "10s"),
      )
      .option(
        "--write <folder>",
        "save each counterexample as manifests and a ConnectivityTest, and policies that enforce assumptions",
      ),
  )
    .addHelpText(
      "after",
      `
A guarantee:
  apiVersion: tierwall.dev/v1
  kind: Guarantee
  metadata: {name: card-data-only-through-443}
  spec:
    given: [policies/]
    from: {namespaces: {matchExpressions: [{key: pci, operator: NotIn, values: ["true"]}]}}
    to: {namespaces: {matchLabels: {pci: "true"}}}
    exceptPorts: [443/TCP]
    verdict: Deny

Examples:
  tierwall prove -R guarantees
  tierwall prove guarantees/ -f policies/ -o junit > report.xml

  # Inspect a counterexample
  tierwall prove guarantees/ --write counterexamples
  tierwall explain -f policies/ -f counterexamples/card-data-only-through-443.yaml --from monitoring/client --to other/server:80/TCP

  # Does a cleanup of policies change anything, in any cluster?
  tierwall prove --same policies-before/ policies-after/

Exit status: 0 if all are proven, or the policies are the same; 1 if not; 2 if the input is not valid.`,
    )
    .action(async (paths: readonly string[], flags: ProveFlags) =>
      finish(flags.same === true ? runSame(paths, flags) : await runProve(paths, flags)),
    );
}

async function runProve(paths: readonly string[], flags: ProveFlags): Promise<number> {
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const added = readPaths(flags.filename ?? [], flags.recursive ?? false, { maxInput: flags.maxInput });
  const found = findObjects("Guarantee", paths, flags, (text, file) => {
    const { guarantees, diagnostics } = readGuarantees(text, file);
    return { objects: guarantees, diagnostics };
  });
  const diagnostics = [...fromOptions, ...added.diagnostics, ...found.diagnostics];
  if (hasErrors(diagnostics)) return refuse(diagnostics, found.sources);
  const asksCluster = ({ given }: Assertion) =>
    flags.live === true || (given.length === 0 && added.sources.length === 0);
  const cluster = found.objects.some(asksCluster) ? await readLive(flags, new Progress()) : undefined;
  if (cluster !== undefined && hasErrors(cluster.diagnostics)) return refuse(cluster.diagnostics, []);
  const states = new GivenStates(added.sources, options, asksCluster, cluster?.sources ?? []);

  const provers = new Map<State, Prover>();
  const results = found.objects.map((guarantee): GuaranteeResult => {
    const { state, sources, errors } = states.for(guarantee);
    const problems = [...errors, ...state.diagnostics.filter(({ severity }) => severity === "error")];
    const [problem] = state.usable && errors.length === 0 ? [] : problems;
    const prover = provers.get(state) ?? new Prover(state);
    // Guarantees share states: what is worth saying of one is said once.
    if (!provers.has(state))
      printDiagnostics(
        [...errors, ...(flags.verbose ? state.diagnostics : state.diagnostics.filter(affectsVerdicts))],
        sources,
      );
    provers.set(state, prover);
    if (problem !== undefined) return unaskedGuarantee(guarantee, problem);
    const result = runGuarantee(prover, state, guarantee, { deadline: Date.now() + flags.budget });
    printDiagnostics(result.diagnostics, found.sources);
    return result;
  });
  if (flags.write !== undefined && !writeCounterexamples(results, flags.write)) return 2;
  printResults(results, flags.output);
  if (results.some(({ proof }) => proof === undefined)) {
    printMessage("some guarantees could not be asked; see the errors above");
    return 2;
  }
  return results.every(({ proof }) => proof?.result === "Proven") ? 0 : 1;
}

/** Compares two files or folders; what -f names is part of both. */
function runSame(paths: readonly string[], flags: ProveFlags): number {
  const { recursive = false, filename = [], maxInput } = flags;
  const { output } = flags;
  const wrong = mistakeIn(paths, flags);
  if (wrong !== undefined) return refuse([diagnostic("TW1004", wrong)], []);
  const [before, after] = paths as readonly [string, string];
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const [common, old, now] = [filename, [before], [after]].map((each) =>
    readPaths(each, recursive, { maxInput }),
  );
  const unread = [fromOptions, common!.diagnostics, old!.diagnostics, now!.diagnostics].flat();
  const states = readStates(common!.sources, [old!.sources, now!.sources], options);
  const found = states.flatMap(({ diagnostics }) =>
    flags.verbose ? diagnostics : diagnostics.filter(affectsVerdicts),
  );
  printDiagnostics(
    [...unread, ...found],
    [common!, old!, now!].flatMap(({ sources }) => sources),
  );
  if (hasErrors(unread) || !states.every(({ usable }) => usable)) return 2;
  const names = { before, after, caveats: mergedCaveats(...states.map(caveatsOfAll)) };
  const equality = compareEverywhere(states[0]!, states[1]!, { deadline: Date.now() + flags.budget });
  const text = writtenDifference(equality);
  if (
    flags.write !== undefined &&
    text !== undefined &&
    !writeFiles([["difference.yaml", text]], flags.write)
  )
    return 2;
  printEquality(equality, names, output);
  return equality.result === "Same" ? 0 : 1;
}

function mistakeIn(paths: readonly string[], { live, filename = [] }: ProveFlags): string | undefined {
  if (paths.length !== 2)
    return "--same compares two files or folders; write `tierwall prove --same OLD NEW`";
  if (live === true) return "--same compares two files or folders, and no cluster; leave --live out";
  if ([...paths, ...filename].filter((path) => path === "-").length > 1)
    return "standard input can be read only once; name a file instead of the other `-`";
  return undefined;
}

function printEquality(equality: Equality, names: Sides, output: ProveFlags["output"]): void {
  switch (output) {
    case "text":
      return printText(equalityText(equality, names, styleFor(process.stdout)));
    case "json":
      return printData(equalityJson(equality, names), "json");
    case "junit":
      return print(equalityJunit(equality, names));
    case "sarif":
      return printData(equalitySarif(equality, names, version), "json");
    case "github": {
      const text = equalityGithub(equality, names);
      if (text !== "") print(text);
    }
  }
}

function printResults(results: readonly GuaranteeResult[], output: ProveFlags["output"]): void {
  switch (output) {
    case "text":
      return printText(proofsText(results, styleFor(process.stdout)));
    case "json":
      return printData(proofsJson(results), "json");
    case "junit":
      return print(proofsJunit(results));
    case "sarif":
      return printData(proofsSarif(results, version), "json");
    case "github": {
      const text = proofsGithub(results);
      if (text !== "") print(text);
    }
  }
}

function refuse(diagnostics: readonly Diagnostic[], sources: readonly ManifestFile[]): number {
  printDiagnostics(diagnostics, sources);
  return 2;
}

/** A file for each; false where one cannot be written. */
function writeCounterexamples(results: readonly GuaranteeResult[], folder: string): boolean {
  const taken = new Set<string>();
  const files = results.flatMap((result) => {
    const name = fileName(result.guarantee.name, taken);
    const [found, policies] = [writtenCounterexample(result), writtenAdmissionPolicies(result)];
    return [
      ...(found === undefined ? [] : [[`${name}.yaml`, found] as const]),
      ...(policies === undefined ? [] : [[`${name}-assumptions.yaml`, policies] as const]),
    ];
  });
  return writeFiles(files, folder);
}

/** Names of guarantees are free text, and two may have one name; those of files are not. */
function fileName(text: string, taken: Set<string>): string {
  const name = text.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, longestName);
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`;
  taken.add(free);
  return free;
}

/** File systems take 255 characters, with what is added behind it. */
const longestName = 200;

function writeFiles(files: readonly (readonly [name: string, text: string])[], folder: string): boolean {
  try {
    for (const [name, text] of files) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), text);
      printMessage(`wrote ${join(folder, name)}`);
    }
    return true;
  } catch (cause) {
    printMessage(
      `\`${folder}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
    return false;
  }
}
