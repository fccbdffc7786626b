import { formatPath } from "../diagnostics/place.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { Caveat } from "../state/caveat.js";
import type { Mismatch, TestResult } from "../analysis/connectivity-test/run-test.js";
import { caveatLines, caveatsJson } from "./caveats.js";
import { apiVersion, explanationJson, type JsonValue } from "./explanation/explanation-json.js";
import { explanationText } from "./explanation/explanation-text.js";
import { escapeMarkup } from "./markup.js";
import { noStyle, type Style } from "./style.js";

/** The results of assertions, for a person, a machine, or a CI system. */

interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Assertions that could not be evaluated. */
  readonly errors: number;
}

export function totals(results: readonly TestResult[]): Totals {
  const sum = (count: (result: TestResult) => number) =>
    results.reduce((total, result) => total + count(result), 0);
  return {
    passed: sum((r) => r.passed),
    failed: sum((r) => r.mismatches.length),
    errors: sum((r) => r.unanswered.length),
  };
}

export function testResultsText(results: readonly TestResult[], style: Style): string {
  const lines = results.flatMap(({ test, passed, mismatches, unanswered, caveats }) => {
    const all = passed + mismatches.length + unanswered.length;
    const mark =
      mismatches.length > 0 ? style.bad("✗") : unanswered.length > 0 ? style.unsure("!") : style.good("✓");
    const count = passed === all ? `${passed}` : `${passed} of ${all}`;
    return [
      `${mark} ${style.bold(test.name)} ${style.dim(`${test.file} · ${count}`)}`,
      ...caveatLines(caveats, style).map((line) => `  ${line}`),
      ...mismatches.flatMap((mismatch) => ["", mismatchText(mismatch, style), ""]),
    ];
  });
  const { passed, failed, errors } = totals(results);
  const notAsked = errors === 0 ? "" : `, ${errors} not evaluated`;
  return [...lines, "", `${passed} passed, ${failed} failed${notAsked}`].join("\n");
}

function mismatchText(mismatch: Mismatch, style: Style): string {
  const { assertion, explanation } = mismatch;
  return [
    `${style.bold(`${assertion.place.file}:${assertion.place.line}`)}  ${summaryOf(mismatch)}`,
    explanationText(explanation, { style }),
  ].join("\n");
}

function summaryOf({ assertion, verdict, decidedBy }: Mismatch): string {
  const expected = `${assertion.verdict}${assertion.decidedBy === undefined ? "" : ` by ${assertion.decidedBy}`}`;
  const found = `${verdict}${assertion.decidedBy === undefined ? "" : ` by ${decidedBy.join(", ")}`}`;
  return `${assertion.from} → ${assertion.to}: expected ${expected}, found ${found}`;
}

export function testResultsJson(results: readonly TestResult[]): JsonValue {
  return {
    apiVersion,
    kind: "ConnectivityTestResults",
    ...totals(results),
    tests: results.map(({ test, passed, mismatches, unanswered, caveats }) => ({
      name: test.name,
      file: test.file,
      passed,
      failed: mismatches.length,
      caveats: caveatsJson(caveats),
      mismatches: mismatches.map(({ assertion, verdict, decidedBy, explanation }) => ({
        from: assertion.from,
        to: assertion.to,
        expected: { verdict: assertion.verdict, decidedBy: assertion.decidedBy },
        actual: { verdict, decidedBy },
        file: assertion.place.file,
        line: assertion.place.line,
        explanation: explanationJson(explanation),
      })),
      errors: unanswered.map(({ assertion, diagnostic }) => ({
        from: assertion.from,
        to: assertion.to,
        code: diagnostic.code,
        message: diagnostic.message,
        file: assertion.place.file,
        line: assertion.place.line,
      })),
    })),
  };
}

/** JUnit's XML: a suite for each test, a case for each pair. */
export function testResultsJunit(results: readonly TestResult[]): string {
  const { passed, failed, errors } = totals(results);
  const counts = (tests: number, failures: number, notAsked: number) =>
    `tests="${tests}" failures="${failures}" errors="${notAsked}"`;
  const suites = results.map((result) => {
    const { test, mismatches, unanswered, caveats } = result;
    const name = `name="${escapeMarkup(test.name)}" file="${escapeMarkup(test.file)}"`;
    return [
      `  <testsuite ${name} ${counts(test.assertions.length, mismatches.length, unanswered.length)}>`,
      ...caveatProperties(caveats),
      ...testCases(result),
      "  </testsuite>",
    ].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tierwall" ${counts(passed + failed + errors, failed, errors)}>`,
    ...suites,
    "</testsuites>",
  ].join("\n");
}

function caveatProperties(caveats: readonly Caveat[]): readonly string[] {
  if (caveats.length === 0) return [];
  const properties = caveats.map(
    ({ text }) => `      <property name="caveat" value="${escapeMarkup(text)}"/>`,
  );
  return ["    <properties>", ...properties, "    </properties>"];
}

function testCases({ test, mismatches, unanswered }: TestResult): readonly string[] {
  const failures = new Map(mismatches.map((mismatch) => [mismatch.assertion, mismatch]));
  const problems = new Map(unanswered.map(({ assertion, diagnostic }) => [assertion, diagnostic]));
  return test.assertions.map((assertion) => {
    const name = escapeMarkup(`${assertion.from} → ${assertion.to}: ${assertion.verdict}`);
    const place = `file="${escapeMarkup(assertion.place.file)}" line="${assertion.place.line}"`;
    const open = `    <testcase classname="${escapeMarkup(test.name)}" name="${name}" ${place}`;
    const problem = problems.get(assertion);
    const mismatch = failures.get(assertion);
    if (problem !== undefined)
      return `${open}>\n      <error type="${problem.code}" message="${escapeMarkup(problem.message)}"/>\n    </testcase>`;
    if (mismatch === undefined) return `${open}/>`;
    const text = escapeMarkup(explanationText(mismatch.explanation, { style: noStyle }));
    return `${open}>\n      <failure message="${escapeMarkup(summaryOf(mismatch))}">${text}</failure>\n    </testcase>`;
  });
}

export function diagnosticsJson(found: readonly Diagnostic[]): JsonValue {
  return found.map(({ code, severity, message, place, object, path, hint }) => ({
    code,
    severity,
    message,
    file: place?.file,
    line: place?.line,
    column: place?.column,
    object,
    path: path === undefined ? undefined : formatPath(path),
    hint,
  }));
}
