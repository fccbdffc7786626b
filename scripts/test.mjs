// `npm test`: prepares the checkout, then runs every check even if an earlier one failed, so that one run tells all.
// `npm test -- --only NAME` runs one of them, `--except NAME` all but one, and `--long` the long run as well, which
// counts as one test more. The last line counts: `N passed, N failed`.

import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { bin, build, install, requireNode, root, run, say } from "./prepare.mjs";

const node = process.execPath;
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
  generated: () => quiet(node, ["scripts/check-generated.mjs"]),
  statements: () => quiet(node, ["scripts/check-semantics.mjs"]),
  tests: () => vitest(),
  long: () => run(node, ["test/long/run.mjs"], { stdio: "inherit" }).status === 0,
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

const failed = [];
for (const name of chosen) {
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

/** Runs a check that has nothing to say when all is well. */
function quiet(command, args) {
  const { status, stdout, stderr, error } = run(command, args);
  if (status !== 0) console.log(`${stdout ?? ""}${stderr ?? ""}${error ? error.message : ""}`.trimEnd());
  return status === 0;
}

function vitest() {
  // Elsewhere tests that want an API server are skipped until somebody gets it with `npm run test:cluster`.
  if (process.env.CI === "true") run(node, ["scripts/kube-binaries.mjs"], { stdio: "inherit" });
  mkdirSync(dirname(reportFile), { recursive: true });
  // An old report must not pass for the one of a run that crashed.
  rmSync(reportFile, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const { status } = run(bin("vitest"), ["run", ...reporters], { stdio: "inherit" });
  const { skipped } = counts();
  // A test that is skipped in CI runs nowhere.
  const missed = process.env.CI === "true" && skipped > 0;
  if (missed) console.log(`skipped tests: ${skipped}; with CI=true there may be none`);
  return status === 0 && !missed;
}

/** From vitest's report; a file that could not even be loaded has no tests to count, so it counts itself. */
function counts() {
  let report;
  try {
    report = JSON.parse(readFileSync(reportFile, "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Failed checks count as well: a red run never ends in `0 failed`. */
function closingLine() {
  const tests = counts();
  const others = failed.filter((name) => name !== "tests" || tests.failed === 0).length;
  const passed = tests.passed + (chosen.includes("long") && !failed.includes("long") ? 1 : 0);
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : "";
  return `${passed} passed, ${tests.failed + others} failed${skipped}`;
}
