import { visible } from "@tierwall/core/report";
import type { NamedSet, Ruleset } from "./ruleset.js";
import { type Annotations, chainText, elementsOf, setText } from "./text.js";

/** One side of a comparison. */
interface AnnotatedRuleset {
  readonly ruleset: Ruleset;
  readonly annotations: Annotations;
}

/**
 * What is in only one of two tables, for people: `-` marks what is removed, `+` what is added. Chains are named after their
 * contents, so a changed chain is one that is removed and one that is added.
 */
export function differenceText(before: AnnotatedRuleset, after: AnnotatedRuleset): string {
  const parts = [
    ...onlyIn(before.ruleset.chains, after.ruleset.chains).map(([name, chain]) =>
      marked("-", chainText(name, chain, before.annotations)),
    ),
    ...onlyIn(before.ruleset.sets, after.ruleset.sets).map(([name, set]) =>
      marked("-", setText(name, set, before.annotations)),
    ),
    ...[...before.ruleset.sets].flatMap(([name, set]) => {
      const now = after.ruleset.sets.get(name);
      return now === undefined ? [] : elementChanges(name, set, now, before.annotations, after.annotations);
    }),
    ...onlyIn(after.ruleset.sets, before.ruleset.sets).map(([name, set]) =>
      marked("+", setText(name, set, after.annotations)),
    ),
    ...onlyIn(after.ruleset.chains, before.ruleset.chains).map(([name, chain]) =>
      marked("+", chainText(name, chain, after.annotations)),
    ),
  ];
  return parts.join("\n");
}

function onlyIn<T>(
  these: ReadonlyMap<string, T>,
  those: ReadonlyMap<string, T>,
): readonly (readonly [string, T])[] {
  return [...these].filter(([name]) => !those.has(name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const marked = (mark: "-" | "+", text: string): string =>
  text.replace(/^\t/gm, `${mark} `).replaceAll("\t", "    ");

function elementChanges(
  name: string,
  before: NamedSet,
  after: NamedSet,
  was: Annotations,
  is: Annotations,
): readonly string[] {
  const lines = (mark: "-" | "+", these: NamedSet, those: NamedSet, annotations: Annotations) => {
    const others = new Set(elementsOf(those).map(([, text]) => text));
    return elementsOf(these).flatMap(([key, text]) => {
      const comment = annotations.behind(name, key);
      return others.has(text)
        ? []
        : `${mark}     ${text}${comment === undefined ? "" : ` # ${visible(comment)}`}\n`;
    });
  };
  const changes = [...lines("-", before, after, was), ...lines("+", after, before, is)];
  if (changes.length === 0) return [];
  const above = is.above("set", name).map((comment) => `  # ${visible(comment)}\n`);
  return [`${above.join("")}  ${before.kind} ${name}\n${changes.join("")}`];
}
