import type { Finding } from "../../analysis/lint/finding.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { type Annotation, annotationText } from "../github-annotation.js";
import { witnessText } from "./lint-text.js";

/** Workflow commands of GitHub Actions: each finding becomes an annotation of the line it is about. */
export function lintGithub({ findings }: LintReport): string {
  return findings.map((finding) => annotationText(annotationOf(finding))).join("\n");
}

const levels = { error: "error", warning: "warning", note: "notice" } as const;

function annotationOf({ code, severity, message, hint, object, place, witness }: Finding): Annotation {
  const parts = [message, witness && `for example: ${witnessText(witness)}`, hint];
  return {
    level: levels[severity],
    place,
    title: object === undefined ? code : `${code} ${object}`,
    message: parts.filter((part) => part !== undefined).join("\n"),
  };
}
