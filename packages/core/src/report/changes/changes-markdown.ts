import { type StateChanges, isChanged } from "../../analysis/changes/changes.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { onlyFamily } from "./changes-text.js";
import {
  beforeText,
  byResponsible,
  flowText,
  foreignChangeText,
  PartyNames,
  portsText,
  changeSections,
  responsibleFor,
} from "./changes-words.js";
import { counted, numberText } from "../wording.js";
import { markdownText } from "../markdown.js";
import type { Place } from "../../diagnostics/place.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Annotation } from "../github-annotation.js";

/** Comments on pull requests are cut off at 65,536 characters: what is shown stays well below. */
const shown = { responsible: 10, rows: 10, names: 6 };

/** For pull requests and step summaries: a table for each responsible rule. */
export function changesMarkdown(changes: StateChanges, title = "Network policy changes"): string {
  const lines = [`## ${title}`, ""];
  if (!isChanged(changes))
    return [...lines, "No connection is allowed, denied or undecided differently."].join("\n");
  const names = new PartyNames(changes);
  lines.push("| becomes | connections |", "|---|---:|");
  for (const { verdict, title: what } of changeSections)
    lines.push(`| ${what} | ${numberText(changes.totals[verdict].connections)} |`);
  for (const { verdict, title: what } of changeSections) {
    const groups = byResponsible(changes.rows.filter(({ after }) => after === verdict));
    if (groups.length === 0) continue;
    lines.push("", `### ${capital(what)}: ${counted(changes.totals[verdict].connections, "connection")}`);
    for (const { text, rows } of groups.slice(0, shown.responsible)) {
      lines.push("", `**${markdownText(capital(text))}**`, "");
      lines.push("| connections | from | to | ports | before | for example |", "|---:|---|---|---|---|---|");
      for (const row of rows.slice(0, shown.rows))
        lines.push(
          `| ${[
            numberText(row.connections),
            names.of(row.from, shown.names),
            names.of(row.to, shown.names),
            `${portsText(row.ports)}${onlyFamily(row)}`.trim(),
            beforeText(row) ?? "",
            flowText(row.example),
          ]
            .map(markdownText)
            .join(" | ")} |`,
        );
      if (rows.length > shown.rows) lines.push("", `…and ${numberText(rows.length - shown.rows)} more`);
    }
    if (groups.length > shown.responsible)
      lines.push("", `…and ${numberText(groups.length - shown.responsible)} more rules`);
  }
  for (const [what, ends] of [
    ["Appeared", changes.appeared],
    ["Disappeared", changes.disappeared],
  ] as const)
    if (ends.length > 0) {
      const listed = ends.slice(0, shown.rows).map((end) => markdownText(formatEndpoint(end)));
      const rest = ends.length > shown.rows ? ` and ${numberText(ends.length - shown.rows)} more` : "";
      lines.push("", `${what}: ${listed.join(", ")}${rest}`);
    }
  if (changes.foreign.length > 0) lines.push("");
  for (const change of changes.foreign.slice(0, shown.rows))
    lines.push(`- Not evaluated: ${markdownText(foreignChangeText(change))}`);
  if (changes.foreign.length > shown.rows)
    lines.push(`- …and ${numberText(changes.foreign.length - shown.rows)} more that are not evaluated`);
  return lines.join("\n");
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** One per responsible rule, at its line. */
export function changesAnnotations(changes: StateChanges): readonly Annotation[] {
  const foreign = changes.foreign.map((change) => ({
    level: "warning" as const,
    place: change.place,
    title: `${change.object} was ${change.change}`,
    message: `Not evaluated: ${foreignChangeText(change)}`,
  }));
  const evaluated = changeSections.flatMap(({ verdict, title }) =>
    byResponsible(changes.rows.filter(({ after }) => after === verdict)).map(
      ({ text, connections, rows }) => ({
        level: "warning" as const,
        place: placeOf(responsibleFor(rows[0]!).deciders),
        title: `${counted(connections, "connection")} ${title}`,
        message: `${capital(text)}\nfor example ${flowText(rows[0]!.example)}`,
      }),
    ),
  );
  return [...evaluated, ...foreign];
}

function placeOf(deciders: readonly Decider[]): Place | undefined {
  for (const by of deciders) {
    if (by.kind === "rule") return by.rule.origin.place();
    const [first] = by.kind === "isolation" ? by.isolation : [];
    if (first?.origin.kind === "policy") return first.origin.policy.place();
  }
  return undefined;
}
