import type { Place } from "../diagnostics/place.js";
import type { JsonFields, JsonValue } from "./explanation/explanation-json.js";

export type SarifObject = JsonFields;

/** SARIF 2.1.0, for code scanning and editors. */
export function sarifLog(
  version: string,
  rules: readonly SarifObject[],
  results: readonly SarifObject[],
  complete: boolean,
): JsonValue {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "tierwall", version, semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        invocations: [{ executionSuccessful: complete }],
        results,
      },
    ],
  };
}

/** Viewers make links of `[text](address)` even in plain text: an escaped bracket makes none. What escapes is escaped as well. */
export const sarifText = (text: string): string => text.replace(/[\\[\]]/g, "\\$&");

export function physicalLocation({ file, line, column, length }: Place): SarifObject {
  return {
    artifactLocation: { uri: uriOf(file) },
    region: { startLine: line, startColumn: column, endColumn: column + length },
  };
}

/** A relative path stays relative, so that it can be resolved against the repository. */
export function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? `file://${path}` : path;
}
