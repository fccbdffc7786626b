import type { TextEdit, Finding, Fix } from "../../analysis/lint/finding.js";
import { fileOf } from "../../analysis/lint/fix.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { type Code, diagnostics } from "../../diagnostics/table.js";
import type { JsonValue } from "../explanation/explanation-json.js";
import { physicalLocation, sarifLog, type SarifObject, sarifText, uriOf } from "../sarif.js";
import { witnessText } from "./lint-text.js";

/** SARIF 2.1.0, for code scanning and editors. */
export function lintSarif({ findings, suppressed, complete }: LintReport, version: string): JsonValue {
  const codes = [
    ...new Set([...findings, ...suppressed.map(({ finding }) => finding)].map(({ code }) => code)),
  ].toSorted();
  const resultOf = (found: Finding) => sarifResult(found, codes.indexOf(found.code));
  return sarifLog(
    version,
    codes.map(sarifRule),
    [
      ...findings.map(resultOf),
      ...suppressed.map(({ finding, reason }) => ({
        ...resultOf(finding),
        suppressions: [{ kind: "inSource", ...(reason === "" ? {} : { justification: sarifText(reason) }) }],
      })),
    ],
    complete,
  );
}

function sarifRule(code: Code): SarifObject {
  const { severity, title } = diagnostics[code];
  return {
    id: code,
    shortDescription: { text: title },
    help: { text: `docs/reference/diagnostics/${code}.md explains it with an example.` },
    defaultConfiguration: { level: severity },
  };
}

function sarifResult(found: Finding, ruleIndex: number): SarifObject {
  const { code, severity, message, hint, object, place, witness, related = [], fix } = found;
  const logical = object === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: object }] };
  const physical = place === undefined ? {} : { physicalLocation: physicalLocation(place) };
  const parts = [message, witness && `for example: ${witnessText(witness)}`, hint];
  const others = related.flatMap(({ place: other, text }) =>
    other === undefined
      ? []
      : [{ physicalLocation: physicalLocation(other), message: { text: sarifText(text) } }],
  );
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: sarifText(parts.filter((part) => part !== undefined).join("\n")) },
    ...(place === undefined && object === undefined ? {} : { locations: [{ ...physical, ...logical }] }),
    ...(others.length === 0 ? {} : { relatedLocations: others }),
    ...(fix === undefined ? {} : { fixes: [sarifFix(fix)] }),
  };
}

function sarifFix({ title, edits }: Fix): SarifObject {
  const files = [...new Set(edits.map(fileOf))];
  return {
    description: { text: sarifText(title) },
    artifactChanges: files.map((file) => ({
      artifactLocation: { uri: uriOf(file) },
      replacements: edits.filter((edit) => fileOf(edit) === file).map(replacement),
    })),
  };
}

function replacement(edit: TextEdit): SarifObject {
  switch (edit.kind) {
    case "replace": {
      const { line, column, length } = edit.place;
      return {
        deletedRegion: { startLine: line, startColumn: column, endLine: line, endColumn: column + length },
        insertedContent: { text: edit.text },
      };
    }
    case "delete-lines":
      return {
        deletedRegion: { startLine: edit.first, startColumn: 1, endLine: edit.last + 1, endColumn: 1 },
      };
  }
}
