import type { Diagnostic } from "@tierwall/core";
import { formatPath } from "@tierwall/core/manifest";
import { visibleWithin } from "@tierwall/core/report";

export const complaintsOf = (found: readonly Diagnostic[]): readonly string[] =>
  found.filter(({ severity }) => severity === "warning").map(complaintText);

/** `TW2015 spec.ingress[0].from[0].galaxies: unknown field …`. */
function complaintText({ code, message, path = [] }: Diagnostic): string {
  return `${code} ${path.length === 0 ? "" : `${formatPath(path)}: `}${message}`;
}

const mostShown = 10;
const longestRefusal = 1000;

/** As `tierwall validate` reports it, with the field instead of the line. */
export function refusalText(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const texts = errors
    .slice(0, mostShown)
    .map((error) => `error ${complaintText(error)}${error.hint === undefined ? "" : ` (${error.hint})`}`)
    .map((text) => visibleWithin(text, longestRefusal));
  const rest = errors.length - texts.length;
  return [...texts, ...(rest > 0 ? [`and ${rest} more`] : [])].join("\n");
}
