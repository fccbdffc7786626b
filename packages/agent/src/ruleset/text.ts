import { visible } from "@tierwall/core/report";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";

/** Comments on the parts of a table. */
export interface Annotations {
  /** Lines above the part. */
  readonly above: (kind: Part, name: string) => readonly string[];
  /** After an element. */
  readonly behind: (set: string, element: string) => string | undefined;
}

export type Part = "chain" | "counter" | "set";

const noAnnotations: Annotations = { above: () => [], behind: () => undefined };

/** A whole table for `nft -f -`. The same ruleset always gives the same text. */
export function rulesetText(
  ruleset: Ruleset,
  table: string,
  annotations: Annotations = noAnnotations,
): string {
  const blocks = [
    ...[...ruleset.counters].toSorted().map((name) => counterText(name, annotations)),
    ...inOrder(ruleset.sets).map(([name, set]) => setText(name, set, annotations)),
    ...inOrder(ruleset.chains).map(([name, chain]) => chainText(name, chain, annotations)),
  ];
  return `table inet ${table} {\n${blocks.join("\n")}}\n`;
}

export function counterText(name: string, annotations: Annotations = noAnnotations): string {
  return block(`counter ${name}`, [], annotations.above("counter", name));
}

export function chainText(name: string, chain: Chain, annotations: Annotations = noAnnotations): string {
  const { hook, rules } = chain;
  const lines = hook === undefined ? rules : [hook, ...rules];
  return block(`chain ${name}`, lines, annotations.above("chain", name));
}

export function setText(name: string, set: NamedSet, annotations: Annotations = noAnnotations): string {
  const elements = elementsOf(set);
  const entries = elements.map(([key, text], i) => {
    const comment = annotations.behind(name, key);
    return `\t${text}${i === elements.length - 1 ? "" : ","}${comment === undefined ? "" : ` # ${visible(comment)}`}`;
  });
  const listed = entries.length === 0 ? [] : ["elements = {", ...entries, "}"];
  return setBlock(name, set, listed, annotations.above("set", name));
}

/** `listed`: the lines of its elements. */
export function setBlock(
  name: string,
  { kind, type, flags, size }: NamedSet,
  listed: readonly string[],
  comments: readonly string[] = [],
): string {
  const lines = [
    `type ${type}`,
    ...(size === undefined ? [] : [`size ${size}`]),
    ...(flags.length === 0 ? [] : [`flags ${flags.join(",")}`]),
    ...listed,
  ];
  return block(`${kind} ${name}`, lines, comments);
}

/** Each key with its text. */
export function elementsOf({ kind, elements }: NamedSet): readonly (readonly [string, string])[] {
  if (elements === "learned") return [];
  return inOrder(elements).map(([key, value]) => [key, kind === "set" ? key : `${key} : ${value}`]);
}

const inOrder = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));

function block(head: string, lines: readonly string[], comments: readonly string[]): string {
  const above = comments.map((comment) => `\t# ${visible(comment)}\n`).join("");
  return `${above}\t${head} {\n${lines.map((line) => `\t\t${line}\n`).join("")}\t}\n`;
}

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
