// `npm test`: prepares the checkout, then runs every check even if an earlier one failed, so that one run shows everything. Of slow
// tests it runs a slice, and with TIERWALL_TESTS=full everything (test/slice.mjs).
// `npm test -- --only NAME` runs one of them, `--except NAME` all but one, and `--long` the long run as well, which
// counts as one test more. The last line counts: `N passed, N failed`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { parseArgs } from "node:util";
import { longRandomRuns } from "../test/packets/random-runs.mjs";
import { filesOnlyInFull, fullTag, sliceNumber } from "../test/slice.mjs";
import { bin, build, install, requireNode, root, run, say } from "./prepare.mjs";

const node = process.execPath;
const howMuch = process.env.TIERWALL_TESTS ?? "slice";
const isFull = howMuch !== "slice";
const reportFile = join(root, ".cache", "vitest.json");

/** In this order: the cheap ones first, what needs a build after it. */
const checks = {
  build: () => build(),
  format: () => quiet(bin("biome"), ["format", "--colors=off", "--reporter=summary", "."]),
  lint: () => quiet(bin("oxlint"), ["--type-aware", "--deny-warnings", "--report-unused-disable-directives"]),
  types: () =>
    ["tsconfig.tests.json", "packages/ui/tsconfig.page.json"].every((file) =>
      quiet(bin("tsc"), ["-p", file]),
    ),
  boundaries: () => quiet(node, ["scripts/check-boundaries.mjs"]),
  vocabulary: () => quiet(node, ["scripts/check-vocabulary.mjs"]),
  generated: () => quiet(node, ["scripts/check-generated.mjs"]),
  statements: () => quiet(node, ["scripts/check-semantics.mjs"]),
  tests: () => vitest(),
  long: () => longRun(),
};

requireNode();
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    except: { type: "string" },
    long: { type: "boolean", default: false },
  },
});
for (const name of [values.only, values.except]) {
  if (name === undefined || Object.hasOwn(checks, name)) continue;
  say(`there is no check \`${name}\`; there are: ${Object.keys(checks).join(", ")}`);
  process.exit(2);
}
const wanted = Object.keys(checks).filter((name) => name !== "long" || values.long || values.only === "long");
const chosen = wanted.filter((name) => name === (values.only ?? name) && name !== values.except);
if (!install()) process.exit(1);
// Checks that run alone still want what is built; if that fails, they say so themselves.
if (!chosen.includes("build")) build();

// Meanwhile, as the network is slow: an API server for the tests that want one. In full it is built if it cannot be downloaded.
const fetching = chosen.includes("tests")
  ? spawn(node, ["scripts/kube-binaries.mjs", ...(isFull ? [] : ["--no-build"])], {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    })
  : undefined;
const fetched = fetching && once(fetching, "exit");

const failed = [];
for (const name of chosen) {
  if (name === "tests") await fetched;
  const start = performance.now();
  const ok = checks[name]();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${ok ? "ok  " : "FAIL"}  ${name.padEnd(10)}  ${seconds} s`);
  if (!ok) failed.push(name);
  // Let a full pipe drain: the next command writes to the same place, and would overtake us.
  await new Promise((resolve) => process.stdout.write("", resolve));
}
console.log(failed.length === 0 ? "\nall checks hold" : `\nfailed: ${failed.join(", ")}`);
if (chosen.includes("tests")) console.log(closingLine());
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs a check that prints nothing if it succeeds. */
function quiet(command, args) {
  const { status, stdout, stderr, error } = run(command, args);
  if (status !== 0) console.log(`${stdout ?? ""}${stderr ?? ""}${error ? error.message : ""}`.trimEnd());
  return status === 0;
}

function vitest() {
  mkdirSync(dirname(reportFile), { recursive: true });
  // An old report must not pass for the one of a run that crashed.
  rmSync(reportFile, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const env = {
    ...process.env,
    TIERWALL_TESTS: howMuch,
    TIERWALL_SLICE: String(sliceNumber),
    ...(values.long ? longRandomRuns() : {}),
  };
  const { status } = run(bin("vitest"), ["run", ...reporters], { stdio: "inherit", env });
  const { skipped, left } = counts();
  if (!isFull) console.log(leftToFull(left));
  // A test that is skipped in CI runs nowhere.
  const missed = process.env.CI === "true" && skipped > 0;
  if (missed) console.log(`skipped tests: ${skipped}; with CI=true there may be none`);
  return status === 0 && !missed;
}

/** Its packets are sent by the tests, if those run. */
function longRun() {
  const without = chosen.includes("tests") ? ["--without-packets"] : [];
  return run(node, ["test/long/run.mjs", ...without], { stdio: "inherit" }).status === 0;
}

/** A slice says of what: by folder, the tests that it left out. */
function leftToFull(left) {
  const lines = [...left].map(([folder, count]) => `  ${String(count).padStart(5)}  ${folder}`);
  const total = sumOf(left);
  return [
    `left to the full run: ${total} tests, and four fifths of the cases of each property`,
    ...lines,
    `and ${filesOnlyInFull.length} files:`,
    ...filesOnlyInFull.map((file) => `         ${file}`),
    `TIERWALL_TESTS=full npm test runs everything, as .ci/run does; this was slice ${sliceNumber} (TIERWALL_SLICE=${sliceNumber})`,
  ].join("\n");
}

/** From vitest's report; a file that could not even be loaded has no tests to count, so it counts itself. */
function counts() {
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, left: new Map() };
  }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  const left = new Map();
  for (const { name, assertionResults } of report.testResults) {
    const folder = relative(root, dirname(name)).split(sep).slice(0, 2).join("/");
    const count = isFull ? 0 : assertionResults.filter(({ tags }) => tags.includes(fullTag)).length;
    if (count > 0) left.set(folder, (left.get(folder) ?? 0) + count);
  }
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests - sumOf(left),
    left,
  };
}

function sumOf(counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Failed checks count as well: a red run never ends in `0 failed`. */
function closingLine() {
  const tests = counts();
  const others = failed.filter((name) => name !== "tests" || tests.failed === 0).length;
  const passed = tests.passed + (chosen.includes("long") && !failed.includes("long") ? 1 : 0);
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : "";
  const left = isFull
    ? ""
    : `, ${sumOf(tests.left)} and ${filesOnlyInFull.length} files left to the full run`;
  return `${passed} passed, ${tests.failed + others} failed${skipped}${left}`;
}
