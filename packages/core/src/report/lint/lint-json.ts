import type { TextEdit, Finding, Fix, Related, Witness } from "../../analysis/lint/finding.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { formatPath } from "../../diagnostics/place.js";
import { podKey } from "../../cluster/model.js";
import { diagnostics } from "../../diagnostics/table.js";
import { connectionText } from "../proofs/proofs-words.js";
import { summarize } from "../diagnostics-text.js";
import { apiVersion, flowJson, type JsonValue } from "../explanation/explanation-json.js";

/** The stable, versioned JSON of a lint report. Fields are only ever added within a version. */
export function lintJson({ findings, suppressed, complete, undecided }: LintReport): JsonValue {
  return {
    apiVersion,
    kind: "LintReport",
    ...summarize(findings),
    complete,
    undecided: { ...undecided },
    findings: findings.map(findingJson),
    suppressed: suppressed.map(({ finding, reason }) => ({ ...findingJson(finding), reason })),
  };
}

function findingJson(found: Finding): { readonly [key: string]: JsonValue | undefined } {
  const { code, severity, message, place, object, path, hint, witness, related, fix } = found;
  return {
    code,
    severity,
    title: diagnostics[code].title,
    message,
    file: place?.file,
    line: place?.line,
    column: place?.column,
    length: place?.length,
    object,
    path: path === undefined ? undefined : formatPath(path),
    hint,
    witness: witness && witnessJson(witness),
    related: related?.map(relatedJson),
    fix: fix && fixJson(fix),
  };
}

function witnessJson(witness: Witness): JsonValue {
  switch (witness.kind) {
    case "flow": {
      const { family: _, ...flow } = witness.flow;
      return { flow: flowJson(flow), verdict: witness.verdict, text: witness.text };
    }
    case "pods":
      return { pods: witness.pods.map(podKey), count: witness.count };
    case "cluster":
      return {
        connection: connectionText(witness.confirmed),
        manifests: witness.confirmed.manifests,
        text: witness.text,
      };
  }
}

function relatedJson({ place, text }: Related): JsonValue {
  return { text, file: place?.file, line: place?.line };
}

function fixJson({ title, edits }: Fix): JsonValue {
  return { title, edits: edits.map(editJson) };
}

function editJson(edit: TextEdit): JsonValue {
  switch (edit.kind) {
    case "replace": {
      const { file, line, column, length } = edit.place;
      return { file, line, column, length, text: edit.text };
    }
    case "delete-lines":
      return { file: edit.file, firstLine: edit.first, lastLine: edit.last };
  }
}
