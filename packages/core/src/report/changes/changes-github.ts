import type { StateChanges } from "../../analysis/changes/changes.js";
import type { Place } from "../../diagnostics/place.js";
import type { Decider } from "../../evaluate/walk.js";
import { capital } from "./changes-markdown.js";
import type { Annotation } from "../github-annotation.js";
import {
  byResponsible,
  flowText,
  foreignChangeText,
  responsibleFor,
  changeSections,
} from "./changes-words.js";
import { counted } from "../wording.js";

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
