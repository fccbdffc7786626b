import { verdictWords } from "../../analysis/verdict-words.js";
import { grouped } from "../../collections/maps.js";
import type { Finding, Related, Witness } from "../../analysis/lint/finding.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { formatEndpoint, type Flow } from "../../evaluate/flow.js";
import { connectionText } from "../proofs/proofs-words.js";
import { diagnosticText, type SourceText } from "../diagnostics-text.js";
import { type Style, wrap } from "../style.js";
import { portText } from "../wording.js";

/** A finding for a person: the diagnostic, a witness, related places, and whether it can be fixed. */
export function findingText(found: Finding, sourceText: SourceText, style: Style, columns?: number): string {
  const { witness, related = [], fix } = found;
  const parts = [diagnosticText(found, sourceText, style, columns)];
  if (witness !== undefined) parts.push(wrap("  ", `For example: ${witnessText(witness)}`, "  "));
  for (const other of related) parts.push(`  ${relatedText(other)}`);
  if (fix !== undefined) parts.push(wrap("  ", `--fix would ${fix.title}.`, "  "));
  return parts.join("\n");
}

export function witnessText(witness: Witness): string {
  switch (witness.kind) {
    case "flow":
      return `${flowText(witness.flow)}: ${witness.text ?? verdictWords[witness.verdict]}`;
    case "pods": {
      const names = witness.pods.map(({ namespace, name }) => `${namespace}/${name}`).join(", ");
      const more = witness.count - witness.pods.length;
      return more > 0 ? `${names} and ${more} more` : names;
    }
    case "cluster":
      return `${connectionText(witness.confirmed)}: ${witness.text}`;
  }
}

/** `shop/cart → payments/api :8443/TCP`. */
const flowText = (flow: Flow): string =>
  `${formatEndpoint(flow.source)} → ${formatEndpoint(flow.destination)} ${portText(flow)}`;

function relatedText({ place, text }: Related): string {
  return place === undefined ? text : `${text} · ${place.file}:${place.line}`;
}

export interface LintTextOptions {
  readonly sourceText: SourceText;
  readonly style: Style;
  /** Everything in full. */
  readonly verbose: boolean;
  /** How many columns of a quoted line are shown. */
  readonly columns?: number | undefined;
}

/** Findings by kind: the worst first, one of each in full, a few more in a line, and how many there are. */
export function lintText({ findings, suppressed }: LintReport, options: LintTextOptions): string {
  const worstFirst = (["error", "warning", "note"] as const).flatMap((severity) =>
    findings.filter((found) => found.severity === severity),
  );
  const byCode = grouped(worstFirst, ({ code }) => code);
  const parts = [...byCode.values()].map((group) => groupText(group, options));
  if (options.verbose)
    for (const { finding, reason } of suppressed)
      parts.push(
        options.style.dim(`excepted: ${oneLine(finding)} (${reason === "" ? "no reason" : reason})`),
      );
  return parts.join("\n\n");
}

/** Beyond the first, which is shown in full. */
const shownInShort = 4;

function groupText(
  group: readonly Finding[],
  { sourceText, style, verbose, columns }: LintTextOptions,
): string {
  const full = (found: Finding) => findingText(found, sourceText, style, columns);
  if (verbose || group.every(({ severity }) => severity === "error")) return group.map(full).join("\n\n");
  const [first, ...others] = group;
  const lines = [full(first!)];
  if (others.length > 0) lines.push("", `  ${style.dim(`${others.length} more of ${first!.code}:`)}`);
  // A list is not cut to save a single line.
  const shown = others.length === shownInShort + 1 ? others : others.slice(0, shownInShort);
  for (const found of shown) lines.push(`  ${oneLine(found)}`);
  if (others.length > shown.length)
    lines.push(`  …and ${others.length - shown.length} more (-v shows all, -o json lists them)`);
  return lines.join("\n");
}

function oneLine({ place, message }: Finding): string {
  return place === undefined ? message : `${place.file}:${place.line}:${place.column}  ${message}`;
}
