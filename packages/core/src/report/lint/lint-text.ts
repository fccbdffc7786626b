import { verdictWords } from "../../analysis/verdict-words.js";
import { grouped } from "../../collections/maps.js";
import { diagnostics } from "../../diagnostics/table.js";
import type { Finding, Related, Witness } from "../../analysis/lint/finding.js";
import type { LintReport } from "../../analysis/lint/lint.js";
import { formatEndpoint, type Flow } from "../../evaluate/flow.js";
import { connectionText } from "../proofs/proofs-words.js";
import { othersText, worstFirst } from "../diagnostics-groups.js";
import { diagnosticText, paintOf, type SourceText } from "../diagnostics-text.js";
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

/** A table of the codes, the worst first; then one finding of each in full, and how many more there are. */
export function lintText({ findings, suppressed }: LintReport, options: LintTextOptions): string {
  const byCode = grouped(worstFirst(findings), ({ code }) => code);
  const parts = [...byCode.values()].map((group) => groupText(group, options));
  if (parts.length > 1) parts.unshift(tableText([...byCode.values()], options.style));
  if (options.verbose)
    for (const { finding, reason } of suppressed)
      parts.push(
        options.style.dim(`excepted: ${oneLine(finding)} (${reason === "" ? "no reason" : reason})`),
      );
  return parts.join("\n\n");
}

/** `  warning TW4005   2  pods that are cut off from DNS`. */
function tableText(groups: readonly (readonly Finding[])[], style: Style): string {
  const width = Math.max(...groups.map(({ length }) => String(length).length));
  const rows = groups.map((group) => {
    const { severity, code } = group[0]!;
    const paint = paintOf(severity, style);
    const count = String(group.length).padStart(width);
    return `  ${paint(`${severity.padEnd("warning".length)} ${code}`)}  ${count}  ${diagnostics[code].title}`;
  });
  return rows.join("\n");
}

function groupText(
  group: readonly Finding[],
  { sourceText, style, verbose, columns }: LintTextOptions,
): string {
  if (verbose) return group.map((found) => findingText(found, sourceText, style, columns)).join("\n\n");
  const shown = group.slice(0, group[0]!.severity === "error" ? 3 : 1);
  const text = shown.map((found) => shortText(found, sourceText, style, columns)).join("\n\n");
  const others = group.slice(shown.length);
  return others.length === 0 ? text : `${text}\n${style.dim(othersText(others))}`;
}

/** Without what the message has already, and of a note, only the message and what to do. */
function shortText(found: Finding, sourceText: SourceText, style: Style, columns?: number): string {
  const { object, path: _, related: __, witness, fix, ...rest } = found;
  if (found.severity === "error") return diagnosticText(found, sourceText, style, columns);
  const named = object === undefined || found.message.includes(object) ? {} : { object };
  // The first line of an object shows nothing that its name does not.
  const quoted: SourceText = found.place?.column === 1 ? () => undefined : sourceText;
  const text = diagnosticText({ ...rest, ...named }, quoted, style, columns, 0);
  if (found.severity === "note") return text;
  const lines = [
    ...(witness === undefined ? [] : [`For example: ${witnessText(witness)}`]),
    ...(fix === undefined ? [] : [`--fix would ${fix.title}.`]),
  ];
  return [text, ...lines.map((line) => wrap("  ", line, "  "))].join("\n");
}

function oneLine({ place, message }: Finding): string {
  return place === undefined ? message : `${place.file}:${place.line}:${place.column}  ${message}`;
}
