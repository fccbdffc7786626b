import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasErrors, type Diagnostic } from "@tierwall/core";
import {
  type GuaranteeResult,
  proofsGithub,
  proofsJson,
  proofsJunit,
  proofsSarif,
  proofsText,
  Prover,
  readGuarantees,
  runGuarantee,
  unaskedGuarantee,
  writtenCounterexample,
} from "@tierwall/core/prove";
import type { State } from "@tierwall/core/state";
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
  readonly write?: string;
}

export function addProve(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("prove")
      .summary("check guarantees for every cluster, also for those that do not exist yet")
      .description(
        "Decides Guarantees: what must hold whatever namespaces, pods and NetworkPolicies there will be. Each is proven, with the rules " +
          "that the proof rests on, or refuted, with the smallest cluster in which it does not hold. A path is a file or a folder; other " +
          "files in a folder are left alone. -f adds policies to those that each guarantee names under `given`. Guarantees that are given " +
          "nothing are about the policies of the current cluster, and with --live all of them are.",
      )
      .argument("<path...>", "files or folders with Guarantees")
      .addOption(
        new Option("-o, --output <format>", "how to report")
          .choices(["text", "json", "junit", "sarif", "github"])
          .default("text"),
      )
      .addOption(
        new Option("--budget <time>", "give up on a guarantee after this time")
          .argParser(duration)
          .default(10_000, "10s"),
      )
      .option("--write <folder>", "save each counterexample as manifests and a ConnectivityTest"),
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

  # Look into what refutes one
  tierwall prove guarantees/ --write counterexamples
  tierwall explain -f policies/ -f counterexamples/card-data-only-through-443.yaml --from monitoring/client --to other/server:80/TCP

Exit status: 0 all are proven, 1 some are not, 2 the input is not valid.`,
    )
    .action(async (paths: readonly string[], flags: ProveFlags) => finish(await runProve(paths, flags)));
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
  try {
    for (const result of results) {
      const text = writtenCounterexample(result);
      if (text === undefined) continue;
      mkdirSync(folder, { recursive: true });
      // Names of guarantees are free text; those of files are not.
      const file = join(folder, `${result.guarantee.name.replace(/[^A-Za-z0-9._-]/g, "-")}.yaml`);
      writeFileSync(file, text);
      printMessage(`wrote ${file}`);
    }
    return true;
  } catch (cause) {
    printMessage(
      `\`${folder}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
    return false;
  }
}
