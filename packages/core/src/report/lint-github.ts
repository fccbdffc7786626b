import type { Finding } from "../analysis/lint/finding.js";
import type { LintReport } from "../analysis/lint/lint.js";
import { witnessText } from "./lint-text.js";

/** Workflow commands of GitHub Actions: each finding becomes an annotation of the line it is about. */
export function lintGithub({ findings }: LintReport): string {
  return findings.map(command).join("\n");
}

const levels = { error: "error", warning: "warning", note: "notice" } as const;

function command({ code, severity, message, hint, object, place, witness }: Finding): string {
  const where =
    place === undefined
      ? []
      : [
          `file=${property(place.file)}`,
          `line=${place.line}`,
          `col=${place.column}`,
          `endColumn=${place.column + place.length}`,
        ];
  const title = `title=${property(object === undefined ? code : `${code} ${object}`)}`;
  const parts = [message, witness && `for example: ${witnessText(witness)}`, hint];
  const text = parts.filter((part) => part !== undefined).join("\n");
  return `::${levels[severity]} ${[...where, title].join(",")}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
