import type { TextEdit, Finding, Fix } from "../../analysis/lint/finding.js";
import { fileOf } from "../../analysis/lint/fix.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import type { Place } from "../../diagnostics/place.js";
import { type Code, diagnostics } from "../../diagnostics/table.js";
import type { JsonValue } from "../explanation/explanation-json.js";
import { witnessText } from "./lint-text.js";

/** SARIF 2.1.0, for code scanning and editors. */
export function lintSarif({ findings, suppressed, complete }: LintReport, version: string): JsonValue {
  const codes = [
    ...new Set([...findings, ...suppressed.map(({ finding }) => finding)].map(({ code }) => code)),
  ].toSorted();
  const resultOf = (found: Finding) => sarifResult(found, codes.indexOf(found.code));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: { name: "tierwall", version, semanticVersion: version, rules: codes.map(sarifRule) },
        },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: complete }],
        results: [
          ...findings.map(resultOf),
          ...suppressed.map(({ finding, reason }) => ({
            ...resultOf(finding),
            suppressions: [
              { kind: "inSource", ...(reason === "" ? {} : { justification: messageText(reason) }) },
            ],
          })),
        ],
      },
    ],
  };
}

type SarifObject = { readonly [key: string]: JsonValue | undefined };

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
      : [{ physicalLocation: physicalLocation(other), message: { text: messageText(text) } }],
  );
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: messageText(parts.filter((part) => part !== undefined).join("\n")) },
    ...(place === undefined && object === undefined ? {} : { locations: [{ ...physical, ...logical }] }),
    ...(others.length === 0 ? {} : { relatedLocations: others }),
    ...(fix === undefined ? {} : { fixes: [sarifFix(fix)] }),
  };
}

/** Viewers make links of `[text](address)` even in plain text: an escaped bracket makes none. What escapes is escaped as well. */
const messageText = (text: string): string => text.replace(/[\\[\]]/g, "\\$&");

function physicalLocation({ file, line, column, length }: Place): SarifObject {
  return {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, startColumn: column, endColumn: column + length },
  };
}

/** A relative path stays relative, so that whoever shows it can resolve it against the repository. */
function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${path}` : path;
}

function sarifFix({ title, edits }: Fix): SarifObject {
  const files = [...new Set(edits.map(fileOf))];
  return {
    description: { text: messageText(title) },
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
