import { editedMap } from "@tierwall/core/state";
import type { Chain, NamedSet, Ruleset } from "./ruleset.js";

export function sameChain(a: Chain, b: Chain): boolean {
  return a === b || (a.hook === b.hook && sameList(a.rules, b.rules));
}

/** The same except for the elements. */
export function sameDeclaration(a: NamedSet, b: NamedSet): boolean {
  return a.kind === b.kind && a.type === b.type && a.size === b.size && sameFlags(a.flags, b.flags);
}

/** If one was made from the other, `b` is the later one. */
export function sameSet(a: NamedSet, b: NamedSet): boolean {
  return a === b || (sameDeclaration(a, b) && sameElements(a.elements, b.elements));
}

export function sameRuleset(a: Ruleset, b: Ruleset): boolean {
  return (
    sameEntries(a.chains, b.chains, sameChain) &&
    sameEntries(a.sets, b.sets, sameSet) &&
    (a.counters === b.counters ||
      (a.counters.size === b.counters.size && [...a.counters].every((name) => b.counters.has(name))))
  );
}

/** The parts in which two rulesets differ, for people. */
export function listDifferences(found: Ruleset, wanted: Ruleset): string[] {
  return [
    ...apart("chain", found.chains, wanted.chains, sameChain),
    ...apart("set", found.sets, wanted.sets, sameSet),
    ...apart("counter", asMap(found.counters), asMap(wanted.counters), () => true),
  ];
}

function apart<T>(
  kind: string,
  found: ReadonlyMap<string, T>,
  wanted: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
): string[] {
  const differences: string[] = [];
  for (const [name, part] of wanted) {
    const there = found.get(name);
    if (there === undefined) differences.push(`${kind} ${name} is missing`);
    else if (!same(there, part)) differences.push(`${kind} ${name} differs`);
  }
  for (const name of found.keys()) if (!wanted.has(name)) differences.push(`${kind} ${name} is unexpected`);
  return differences;
}

const asMap = (names: ReadonlySet<string>): ReadonlyMap<string, true> =>
  new Map([...names].map((name) => [name, true]));

/** Elements that are learned while the agent runs are not compared. */
function sameElements(a: NamedSet["elements"], b: NamedSet["elements"]): boolean {
  if (a === b || a === "learned" || b === "learned") return true;
  if (a.size !== b.size) return false;
  for (const key of editedKeys(a, b) ?? b.keys()) if (a.get(key) !== b.get(key)) return false;
  return true;
}

function sameEntries<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [key, value] of b) {
    const other = a.get(key);
    if (other === undefined || !same(other, value)) return false;
  }
  return true;
}

export function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((value, at) => value === b[at]));
}

/** nft prints flags in its own order. */
const sameFlags = (a: NamedSet["flags"], b: NamedSet["flags"]): boolean =>
  a.length === b.length && a.every((flag) => b.includes(flag));

export type Elements = Exclude<NamedSet["elements"], "learned">;

interface Edit {
  /** Weak, so that earlier versions can be freed. */
  readonly of: WeakRef<Elements>;
  readonly keys: readonly string[];
}

const edits = new WeakMap<Elements, Edit>();

/** The elements with `changes`, in which undefined removes a key. The changed keys are remembered. */
export function editedElements(
  elements: Elements,
  changes: ReadonlyMap<string, string | undefined>,
): Elements {
  const made = editedMap(elements, changes);
  if (made !== elements) edits.set(made, { of: new WeakRef(elements), keys: [...changes.keys()] });
  return made;
}

/** The keys in which `after` may differ from `before`, if it was made from it. */
export function editedKeys(before: Elements, after: Elements): readonly string[] | undefined {
  const edit = edits.get(after);
  return edit !== undefined && edit.of.deref() === before ? edit.keys : undefined;
}

/** The same for any two maps: all keys, unless one was made from the other. */
export function keysToCompare(before: Elements, after: Elements): Iterable<string> {
  return editedKeys(before, after) ?? allKeys(before, after);
}

function* allKeys(before: Elements, after: Elements): Iterable<string> {
  yield* after.keys();
  for (const key of before.keys()) if (!after.has(key)) yield key;
}
