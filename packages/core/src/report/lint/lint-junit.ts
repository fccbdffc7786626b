import { grouped } from "../../collections/maps.js";
import type { Finding } from "../../analysis/lint/finding.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { findingText } from "./lint-text.js";
import { noStyle } from "../style.js";
import { escapeMarkup } from "../markup.js";

/** JUnit's XML: a suite for each file, a case for each finding; a file without findings is one case that passes. */
export function lintJunit(
  { findings }: LintReport,
  files: readonly string[],
  isFailure: (found: Finding) => boolean,
): string {
  const byFile = new Map<string, readonly Finding[]>(files.map((file) => [file, []]));
  for (const [file, found] of grouped(findings, ({ place }) => place?.file ?? "(no place)"))
    byFile.set(file, found);
  const suites = [...byFile].map(([file, found]) => {
    const cases = found.length === 0 ? [passing(file)] : found.map((one) => testCase(one, isFailure(one)));
    const counts = `tests="${cases.length}" failures="${found.filter(isFailure).length}"`;
    return [`  <testsuite name="${escapeMarkup(file)}" ${counts}>`, ...cases, "  </testsuite>"].join("\n");
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="tierwall lint">',
    ...suites,
    "</testsuites>",
  ].join("\n");
}

const passing = (file: string): string =>
  `    <testcase classname="tierwall lint" name="${escapeMarkup(file)}"/>`;

function testCase(found: Finding, fails: boolean): string {
  const { code, severity, message, place } = found;
  const where = place === undefined ? "" : ` file="${escapeMarkup(place.file)}" line="${place.line}"`;
  const open = `    <testcase classname="${code}" name="${escapeMarkup(message)}"${where}>`;
  const text = escapeMarkup(findingText(found, () => undefined, noStyle));
  const body = fails
    ? `      <failure type="${severity}" message="${escapeMarkup(message)}">${text}</failure>`
    : `      <system-out>${text}</system-out>`;
  return [open, body, "    </testcase>"].join("\n");
}
