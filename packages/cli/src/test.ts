import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type ConnectivityTest,
  type Diagnostic,
  diagnostic,
  hasErrors,
  readConnectivityTests,
  readState,
  runConnectivityTest,
  type Source,
  type State,
  type StateOptions,
  type TestResult,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "@tierwall/core";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { filesAt, readPaths, unreadable } from "./files.js";
import { type StateFlags, stateOptions, tellDiagnostics, withStateFlags } from "./state.js";
import { print, styleFor, talk } from "./terminal.js";

interface TestFlags extends StateFlags {
  readonly output: "text" | "json" | "junit";
}

export function addTest(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    program
      .command("test")
      .summary("check assertions about who can reach whom")
      .description(
        [
          "Runs ConnectivityTests: assertions about connections, kept in YAML beside the policies and run in CI.",
          "A path is a file or a folder; other files in a folder are left alone. -f adds manifests to those that",
          "each test names under `given`.",
        ].join("\n"),
      )
      .argument("<path...>", "files or folders with ConnectivityTests")
      .addOption(
        new Option("-o, --output <format>", "how to report")
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

Exit status: 0 all hold, 1 some do not, 2 the input is not valid.`,
    )
    .action((paths: readonly string[], flags: TestFlags) => finish(runTest(paths, flags)));
}

function runTest(paths: readonly string[], flags: TestFlags): number {
  const { options, diagnostics: fromOptions } = stateOptions(flags);
  const added = readPaths(flags.filename ?? [], flags.recursive ?? false);
  const found = findTests(paths, flags.recursive ?? false);
  const states = new StateCache(added.sources, options);
  const diagnostics: Diagnostic[] = [...fromOptions, ...added.diagnostics, ...found.diagnostics];
  if (hasErrors(diagnostics)) return refuse(diagnostics, found.sources, flags);

  const results: TestResult[] = [];
  for (const test of found.tests) {
    const { state, sources, errors } = states.for(test);
    if (errors.length > 0) diagnostics.push(...errors);
    if (!state.usable || errors.length > 0) {
      tellDiagnostics(
        [...errors, ...state.diagnostics.filter((d) => d.severity === "error")],
        sources,
        false,
      );
      diagnostics.push(...state.diagnostics.filter((d) => d.severity === "error"));
      continue;
    }
    const result = runConnectivityTest(state, test);
    tellDiagnostics(result.diagnostics, found.sources, false);
    diagnostics.push(...result.diagnostics);
    results.push(result);
  }

  if (flags.output === "json") printData(testResultsJson(results), "json");
  else
    print(
      flags.output === "junit"
        ? testResultsJunit(results)
        : testResultsText(results, styleFor(process.stdout)),
    );
  if (hasErrors(diagnostics)) {
    talk("some tests could not be run; see the errors above");
    return 2;
  }
  return totals(results).failed > 0 ? 1 : 0;
}

function refuse(diagnostics: readonly Diagnostic[], sources: readonly Source[], flags: TestFlags): number {
  tellDiagnostics(diagnostics, sources, flags.verbose ?? false);
  return 2;
}

interface FoundTests {
  readonly tests: readonly ConnectivityTest[];
  readonly sources: readonly Source[];
  readonly diagnostics: readonly Diagnostic[];
}

function findTests(paths: readonly string[], recursive: boolean): FoundTests {
  const tests: ConnectivityTest[] = [];
  const sources: Source[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    try {
      for (const file of filesAt(path, recursive)) {
        const text = readFileSync(file, "utf8");
        const read = readConnectivityTests(text, file);
        // A broken file that may hold a test is an error; others in a folder are none of our business.
        const isTheFile = !statSync(path).isDirectory();
        if (read.tests.length > 0 || isTheFile || read.diagnostics.length > 0) sources.push({ file, text });
        tests.push(...read.tests);
        diagnostics.push(...read.diagnostics);
      }
    } catch (cause) {
      diagnostics.push(unreadable(path, cause));
    }
  }
  if (tests.length === 0 && diagnostics.length === 0)
    diagnostics.push(
      diagnostic(
        "TW1004",
        `no ConnectivityTest in ${paths.map((path) => `\`${path}\``).join(", ")}${recursive ? "" : "; -R searches folders below too"}`,
      ),
    );
  return { tests, sources, diagnostics };
}

/** Tests that are given the same files share one state: reading is dearer than answering. */
class StateCache {
  private readonly states = new Map<
    string,
    { state: State; sources: readonly Source[]; errors: readonly Diagnostic[] }
  >();

  constructor(
    private readonly added: readonly Source[],
    private readonly options: StateOptions,
  ) {}

  for(test: ConnectivityTest): { state: State; sources: readonly Source[]; errors: readonly Diagnostic[] } {
    const paths = test.given.map((path) => join(dirname(test.file), path));
    const key = paths.map((path) => resolve(path)).join("\0");
    const known = this.states.get(key);
    if (known !== undefined) return known;
    const read = readPaths(paths, true);
    const sources = [...read.sources, ...this.added];
    const nothing =
      sources.length === 0 && read.diagnostics.length === 0
        ? [
            diagnostic(
              "TW1004",
              `ConnectivityTest \`${test.name}\` has no \`given\`, and no -f names a state`,
            ),
          ]
        : [];
    const made = {
      state: readState(sources, this.options),
      sources,
      errors: [...read.diagnostics, ...nothing],
    };
    this.states.set(key, made);
    return made;
  }
}
