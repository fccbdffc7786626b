import type { Chain, NamedSet, Ruleset } from "./ruleset.js";

/** Says where a chain or a counter comes from, a line each. */
export type Comments = (kind: "chain" | "counter" | "set", name: string) => readonly string[];

/** A whole table for `nft -f -`. The same ruleset is always the same text, in whatever order it was made. */
export function rulesetText(ruleset: Ruleset, table: string, commentsOf: Comments = () => []): string {
  const blocks = [
    ...[...ruleset.counters]
      .toSorted()
      .map((name) => block(`counter ${name}`, [], commentsOf("counter", name))),
    ...sorted(ruleset.sets).map(([name, set]) =>
      block(`${set.kind} ${name}`, setLines(set), commentsOf("set", name)),
    ),
    ...sorted(ruleset.chains).map(([name, chain]) =>
      block(`chain ${name}`, chainLines(chain), commentsOf("chain", name)),
    ),
  ];
  return `table inet ${table} {\n${blocks.join("\n")}}\n`;
}

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));

function block(head: string, lines: readonly string[], comments: readonly string[]): string {
  const before = comments.map((comment) => `\t# ${comment}\n`).join("");
  return `${before}\t${head} {\n${lines.map((line) => `\t\t${line}\n`).join("")}\t}\n`;
}

const chainLines = ({ hook, rules }: Chain): readonly string[] =>
  hook === undefined ? rules : [hook, ...rules];

function setLines({ type, flags, size, elements, kind }: NamedSet): readonly string[] {
  const keys = elements === "learned" ? [] : [...elements.keys()].toSorted();
  const entries = keys.map((key) =>
    elements === "learned" || kind === "set" ? key : `${key} : ${elements.get(key)}`,
  );
  return [
    `type ${type}`,
    ...(size === undefined ? [] : [`size ${size}`]),
    ...(flags.length === 0 ? [] : [`flags ${flags.join(",")}`]),
    ...(entries.length === 0 ? [] : [`elements = {\n\t\t\t${entries.join(",\n\t\t\t")} }`]),
  ];
}
