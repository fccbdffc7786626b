import type { Finding, Related, Witness } from "../analysis/lint/finding.js";
import { formatEndpoint, type Flow } from "../evaluate/flow.js";
import { diagnosticText, type SourceText } from "./diagnostics-text.js";
import { type Style, wrap } from "./style.js";

/** A finding for a person: the diagnostic, what shows it, what it has to do with, and whether it can be mended. */
export function findingText(found: Finding, sourceText: SourceText, style: Style): string {
  const { witness, related = [], fix } = found;
  const parts = [diagnosticText(found, sourceText, style)];
  if (witness !== undefined) parts.push(wrap("  ", `For example: ${witnessText(witness)}`, "  "));
  for (const other of related) parts.push(`  ${relatedText(other)}`);
  if (fix !== undefined) parts.push(wrap("  ", `--fix would ${fix.title}.`, "  "));
  return parts.join("\n");
}

export function witnessText(witness: Witness): string {
  switch (witness.kind) {
    case "flow":
      return `${flowText(witness.flow)}: ${witness.text ?? saying[witness.verdict]}`;
    case "pods": {
      const names = witness.pods.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
      const more = witness.count - witness.pods.length;
      return more > 0 ? `${names} and ${more} more` : names;
    }
  }
}

const saying = { Allow: "allowed", Deny: "denied", Undecided: "undecided" } as const;

/** `shop/cart → payments/api :8443/TCP`. */
function flowText({ source, destination, protocol, port }: Flow): string {
  const where = protocol === "ICMP" ? "ICMP" : `:${port}/${protocol}`;
  return `${formatEndpoint(source)} → ${formatEndpoint(destination)} ${where}`;
}

function relatedText({ place, text }: Related): string {
  return place === undefined ? text : `${text} · ${place.file}:${place.line}`;
}
