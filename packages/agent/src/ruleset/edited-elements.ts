import type { NamedSet } from "./ruleset.js";

export type Elements = Exclude<NamedSet["elements"], "learned">;

interface Edit {
  /** Weak: else all that ever was would be kept. */
  readonly of: WeakRef<Elements>;
  readonly keys: readonly string[];
}

const edits = new WeakMap<Elements, Edit>();

/** Large maps in which little changes are remembered with what changed. `changes`: undefined for what goes. */
export function editedElements(
  elements: Elements,
  changes: ReadonlyMap<string, string | undefined>,
): Elements {
  const copy = new Map(elements);
  for (const [key, value] of changes)
    if (value === undefined) copy.delete(key);
    else copy.set(key, value);
  edits.set(copy, { of: new WeakRef(elements), keys: [...changes.keys()] });
  return copy;
}

/** The keys in which one may differ from the other: all there are, unless one is known to be made from the other. */
export function keysToCompare(before: Elements, after: Elements): Iterable<string> {
  const edit = edits.get(after);
  return edit !== undefined && edit.of.deref() === before ? edit.keys : allKeys(before, after);
}

function* allKeys(before: Elements, after: Elements): Iterable<string> {
  yield* after.keys();
  for (const key of before.keys()) if (!after.has(key)) yield key;
}
