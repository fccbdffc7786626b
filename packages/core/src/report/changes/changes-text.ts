import { type StateChanges, type ChangeRow, isChanged } from "../../analysis/changes/changes.js";
import { formatEndpoint, type Endpoint } from "../../evaluate/flow.js";
import {
  beforeText,
  byResponsible,
  foreignChangeText,
  PartyNames,
  portsText,
  changeSections,
} from "./changes-words.js";
import { counted, numberText } from "../wording.js";
import { type Style, type TextOptions, wrap } from "../style.js";

/** How many responsible rules, rows and names are shown before the rest is counted. */
const shown = { responsible: 6, rows: 5, names: 4, appeared: 6, foreign: 5 };

const columns = 80;

/** What connections become, which rules cause it, and for which endpoints: counts first. */
export function changesText(changes: StateChanges, { style, verbose = false }: TextOptions): string {
  if (!isChanged(changes)) return "no difference: the same connections are allowed, denied and undecided";
  const names = new PartyNames(changes);
  const most = verbose
    ? { responsible: Infinity, rows: Infinity, names: Infinity, appeared: Infinity, foreign: Infinity }
    : shown;
  const lines = changeSections.flatMap(({ verdict, title }) => {
    const { connections, bySource } = changes.totals[verdict];
    if (connections === 0) return [];
    const paint = { Deny: style.bad, Allow: style.good, Undecided: style.unsure }[verdict];
    const sources = [...bySource].map(([source, count]) => `${source} ${numberText(count)}`);
    const rest = sources.length - 5;
    const from = rest > 1 ? `${sources.slice(0, 5).join(" · ")} · ${rest} more` : sources.join(" · ");
    const rows = changes.rows.filter(({ after }) => after === verdict);
    return [
      `${paint(title)}  ${style.bold(counted(connections, "connection"))}  ${style.dim(`from ${from}`)}`,
      ...sectionLines(rows, names, most, style),
      "",
    ];
  });
  const all = [
    ...lines,
    ...comers("appeared", changes.appeared, most.appeared),
    ...comers("disappeared", changes.disappeared, most.appeared),
    ...changes.foreign
      .slice(0, most.foreign)
      .map((one) => wrap(`${style.unsure("not evaluated")}  `, foreignChangeText(one), "    ", columns)),
    ...more(changes.foreign.length - most.foreign, "  ", style),
  ];
  if (all.at(-1) === "") all.pop();
  return all.join("\n");
}

function sectionLines(
  rows: readonly ChangeRow[],
  names: PartyNames,
  most: typeof shown,
  style: Style,
): readonly string[] {
  const groups = byResponsible(rows);
  const lines = groups.slice(0, most.responsible).flatMap(({ text, rows: its }) => {
    const width = Math.max(
      ...its.slice(0, most.rows).map(({ connections }) => numberText(connections).length),
    );
    return [
      wrap("  ", text, "    ", columns),
      ...its.slice(0, most.rows).flatMap((row) => rowLines(row, names, most.names, width, style)),
      ...more(its.length - most.rows, "    ", style),
    ];
  });
  return [...lines, ...more(groups.length - most.responsible, "  ", style)];
}

function rowLines(
  row: ChangeRow,
  names: PartyNames,
  most: number,
  width: number,
  style: Style,
): readonly string[] {
  const count = numberText(row.connections).padStart(width);
  const indent = " ".repeat(width + 8);
  const family = onlyFamily(row);
  const before = beforeText(row);
  const some = row.partly ? " (some of their pods)" : "";
  const who = `${names.of(row.from, most)} → ${names.of(row.to, most)}${portsText(row.ports)}${family}${some}`;
  return [
    wrap(`    ${style.bold(count)}  `, who, indent, columns),
    ...(before === undefined ? [] : [style.dim(wrap(indent, before, `${indent}  `, columns))]),
  ];
}

/** Shown only if it is not the usual case. */
export function onlyFamily({ families, from, to }: ChangeRow): string {
  const isOutside = from.kind === "external" || to.kind === "external";
  return families.length === 1 && families[0] === 6 && !isOutside ? " over IPv6" : "";
}

export function more(count: number, indent: string, style: Style): readonly string[] {
  return count > 0 ? [style.dim(`${indent}…and ${numberText(count)} more (-v, or -o json for all)`)] : [];
}

function comers(what: string, ends: readonly Endpoint[], most: number): readonly string[] {
  if (ends.length === 0) return [];
  const listed = ends.slice(0, most).map(formatEndpoint).join(", ");
  const rest = ends.length > most ? `, and ${numberText(ends.length - most)} more` : "";
  return [wrap(`${what}  `, `${listed}${rest}`, "    ", columns)];
}
