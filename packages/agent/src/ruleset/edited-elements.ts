import type { NamedSet } from "./ruleset.js";

export type Elements = Exclude<NamedSet["elements"], "learned">;

/** As many changes as are kept beside a map before it is copied. */
const most = 500;

type Changes<Key> = ReadonlyMap<Key, string | undefined>;

/** Elements that were changed: what they were, and the changes. A large map need not be copied for a few. */
class EditedElements<Key> implements ReadonlyMap<Key, string> {
  constructor(
    readonly base: ReadonlyMap<Key, string>,
    readonly changes: Changes<Key>,
    readonly size: number,
  ) {}

  get(key: Key): string | undefined {
    const changed = this.changes.get(key);
    return changed !== undefined || this.changes.has(key) ? changed : this.base.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[Key, string]> {
    for (const entry of this.base) if (!this.changes.has(entry[0])) yield entry;
    for (const [key, value] of this.changes) if (value !== undefined) yield [key, value];
  }

  *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[Key, string]> {
    return this.entries();
  }

  forEach(use: (value: string, key: Key, map: ReadonlyMap<Key, string>) => void): void {
    for (const [key, value] of this.entries()) use(value, key, this);
  }
}

interface Edit {
  /** Weak: else all that ever was would be kept. */
  readonly of: WeakRef<Elements>;
  readonly keys: readonly string[];
}

const edits = new WeakMap<Elements, Edit>();

/** The same elements but for `changes`, undefined for what goes. Where they differ is remembered. */
export function editedElements(elements: Elements, changes: Changes<string>): Elements {
  const made = editedMap(elements, changes);
  edits.set(made, { of: new WeakRef(elements), keys: [...changes.keys()] });
  return made;
}

/** The same for other keys, without remembering. */
export function editedMap<Key>(
  map: ReadonlyMap<Key, string>,
  changes: Changes<Key>,
): ReadonlyMap<Key, string> {
  const { base, changes: earlier } =
    map instanceof EditedElements
      ? (map as EditedElements<Key>)
      : { base: map, changes: new Map<Key, string | undefined>() };
  return earlier.size + changes.size > most
    ? copied(base, earlier, changes)
    : new EditedElements(base, new Map([...earlier, ...changes]), sizeAfter(map, changes));
}

function copied<Key>(
  base: ReadonlyMap<Key, string>,
  ...all: readonly Changes<Key>[]
): ReadonlyMap<Key, string> {
  const copy = new Map(base);
  for (const changes of all)
    for (const [key, value] of changes)
      if (value === undefined) copy.delete(key);
      else copy.set(key, value);
  return copy;
}

function sizeAfter<Key>(map: ReadonlyMap<Key, string>, changes: Changes<Key>): number {
  let { size } = map;
  for (const [key, value] of changes) size += Number(value !== undefined) - Number(map.has(key));
  return size;
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
