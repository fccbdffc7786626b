import { editedMap } from "@tierwall/core/state";
import type { NamedSet } from "./ruleset.js";

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
