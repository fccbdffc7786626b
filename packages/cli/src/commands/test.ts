import { type Diagnostic, hasErrors } from "@tierwall/core";
import {
  readConnectivityTests,
  runConnectivityTest,
  type TestResult,
  unansweredTest,
} from "@tierwall/core/analysis";
import { testResultsJson, testResultsJunit, testResultsText, totals } from "@tierwall/core/report";
import type { State } from "@tierwall/core/state";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { type ManifestFile, readPaths } from "@tierwall/kube";
import { affectsVerdicts, type Assertion, findObjects, GivenStates } from "../input/given.js";
import { readLive } from "../input/live.js";
import { Progress } from "../output/progress.js";
import { type StateFlags, stateOptions, printDiagnostics, withAnswerFlags } from "../input/state.js";
import { print, printText, styleFor, printMessage } from "../output/terminal.js";

interface TestFlags extends StateFlags {
  readonly output: "text" | "json" | "junit";
}

export function addTest(program: Command, finish: (status: number) => void): void {
  withAnswerFlags(
    program
      .command("test")
      .summary("check assertions about who can reach whom")
      .description(
        "Runs ConnectivityTests: assertions about connections, stored as YAML next to the policies and run in CI. " +
          "A path is a file or a folder; other files in a folder are ignored. -f adds manifests to those that " +
          "each test names under `given`. Tests without `given` run on the current cluster, and with " +
          "--live all tests do, instead of on what they name.",
      )
      .argument("<path...>", "files or folders with ConnectivityTests")
      .addOption(
        new Option("-o, --output <format>", "the output format")
          .choices(["text", "json", "junit"])
          .default("text"),
      ),
  )
    .addHelpText(
      "after",
      `
A test:
  apiVersion: tierwall.dev/v1
  kind: ConnectivityTest
  metadata: {name: tenants-are-isolated}
  spec:
    given: [cluster.yaml, policies/]
    expect:
      - {from: a/client, to: "x/server:80/TCP", verdict: Deny, decidedBy: ClusterNetworkPolicy/guard}
      - {from: [a/client, c/client], to: ["x/server:web", "[fd00::1]:443/TCP", "x/server:ICMP"], verdict: Allow}

Examples:
  tierwall test -R examples
  tierwall test tests/ -f cluster.yaml -o junit > report.xml

  # Do they hold in production too?
  tierwall test tests/ --live --context prod

Exit status: 0 all hold, 1 some do not, 2 the input is not valid.`,
    )
    .action(async (paths: readonly string[], flags: TestFlags) => finish(await runTest(paths, flags)));
}

async function runTest(paths: readonly string[], flags: TestFlags): Promise<number> {
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const added = readPaths(flags.filename ?? [], flags.recursive ?? false, { maxInput: flags.maxInput });
  const found = findObjects("ConnectivityTest", paths, flags, (text, file) => {
    const { tests, diagnostics: wrong } = readConnectivityTests(text, file);
    return { objects: tests, diagnostics: wrong };
  });
  const diagnostics: Diagnostic[] = [...fromOptions, ...added.diagnostics, ...found.diagnostics];
  if (hasErrors(diagnostics)) return refuse(diagnostics, found.sources);
  const asksCluster = (test: Assertion) =>
    flags.live === true || (test.given.length === 0 && added.sources.length === 0);
  const cluster = found.objects.some(asksCluster) ? await readLive(flags, new Progress()) : undefined;
  if (cluster !== undefined && hasErrors(cluster.diagnostics)) {
    const { name } = found.objects.find(asksCluster)!;
    if (flags.live !== true)
      printMessage(`ConnectivityTest \`${name}\` has no \`given\`, so it runs on the cluster`);
    return refuse(cluster.diagnostics, []);
  }
  const states = new GivenStates(added.sources, options, asksCluster, cluster?.sources ?? []);

  const results: TestResult[] = [];
  const reported = new Set<State>();
  for (const test of found.objects) {
    const { state, sources, errors } = states.for(test);
    const problems = [...errors, ...state.diagnostics.filter((d) => d.severity === "error")];
    const [problem] = state.usable && errors.length === 0 ? [] : problems;
    // Tests share states: remarks about one are printed once.
    const remarks = flags.verbose ? state.diagnostics : state.diagnostics.filter(affectsVerdicts);
    if (!reported.has(state)) printDiagnostics([...errors, ...remarks], sources, flags.verbose);
    reported.add(state);
    const result = problem === undefined ? runConnectivityTest(state, test) : unansweredTest(test, problem);
    if (problem === undefined)
      printDiagnostics(
        result.unanswered.map(({ diagnostic }) => diagnostic),
        found.sources,
      );
    results.push(result);
  }

  if (flags.output === "json") printData(testResultsJson(results), "json");
  else if (flags.output === "junit") print(testResultsJunit(results));
  else printText(testResultsText(results, styleFor(process.stdout)));
  const { failed, errors } = totals(results);
  if (errors > 0) {
    printMessage("some assertions could not be checked; see the errors above");
    return 2;
  }
  return failed > 0 ? 1 : 0;
}

function refuse(diagnostics: readonly Diagnostic[], sources: readonly ManifestFile[]): number {
  printDiagnostics(diagnostics, sources);
  return 2;
}
