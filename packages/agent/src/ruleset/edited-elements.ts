import { editedMap } from "@tierwall/core/state";
import type { NamedSet } from "./ruleset.js";

export type Elements = Exclude<NamedSet["elements"], "learned">;

interface Edit {
  /** Weak: else all that ever was would be kept. */
  readonly of: WeakRef<Elements>;
  readonly keys: readonly string[];
}

const edits = new WeakMap<Elements, Edit>();

/** The same elements but for `changes`, undefined for what goes. Where they differ is remembered. */
export function editedElements(
  elements: Elements,
  changes: ReadonlyMap<string, string | undefined>,
): Elements {
  const made = editedMap(elements, changes);
  if (made !== elements) edits.set(made, { of: new WeakRef(elements), keys: [...changes.keys()] });
  return made;
}

/** The keys in which one may differ from the other, where that is made from it. */
export function editedKeys(before: Elements, after: Elements): readonly string[] | undefined {
  const edit = edits.get(after);
  return edit !== undefined && edit.of.deref() === before ? edit.keys : undefined;
}

/** The same of any two: all there are, unless one is known to be made from the other. */
export function keysToCompare(before: Elements, after: Elements): Iterable<string> {
  return editedKeys(before, after) ?? allKeys(before, after);
}

function* allKeys(before: Elements, after: Elements): Iterable<string> {
  yield* after.keys();
  for (const key of before.keys()) if (!after.has(key)) yield key;
}
