import { setOrDelete } from "../../collections/maps.js";
/** The number of changes that are kept next to a map before it is copied. */
const most = 500;
/** Smaller maps are copied at once. */
const large = 1000;

/**
 * An immutable map, stored as an older one and the changes since. So a large map is not copied whenever
 * something in it changes: such copies would be the largest garbage, and the last to be collected.
 */
class EditedMap<K, T> implements ReadonlyMap<K, T> {
  constructor(
    readonly base: ReadonlyMap<K, T>,
    readonly changes: ReadonlyMap<K, T | undefined>,
    readonly size: number,
  ) {}

  get(key: K): T | undefined {
    const changed = this.changes.get(key);
    return changed !== undefined || this.changes.has(key) ? changed : this.base.get(key);
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[K, T]> {
    for (const entry of this.base) {
      const [key] = entry;
      if (!this.changes.has(key)) yield entry;
      else {
        const changed = this.changes.get(key);
        if (changed !== undefined) yield [key, changed];
      }
    }
    for (const [key, value] of this.changes)
      if (value !== undefined && !this.base.has(key)) yield [key, value];
  }

  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<T> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[K, T]> {
    return this.entries();
  }

  forEach(use: (value: T, key: K, map: ReadonlyMap<K, T>) => void): void {
    for (const [key, value] of this.entries()) use(value, key, this);
  }
}

/** The same with these changes; undefined removes a key. */
export function editedMap<K, T>(
  before: ReadonlyMap<K, T>,
  changes: ReadonlyMap<K, T | undefined>,
): ReadonlyMap<K, T> {
  if (changes.size === 0) return before;
  const { base, changes: earlier } = partsOf(before);
  if (base.size >= large && earlier.size + changes.size <= most) {
    let { size } = before;
    for (const [key, value] of changes) size += Number(value !== undefined) - Number(before.has(key));
    return new EditedMap(base, new Map([...earlier, ...changes]), size);
  }
  const copy = new Map(before);
  for (const [key, value] of changes) setOrDelete(copy, key, value);
  return copy;
}

/** The values that differ in the second; undefined: removed. */
export function changedEntries<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): ReadonlyMap<string, T | undefined> {
  const found = new Map<string, T | undefined>();
  if (before === after) return found;
  for (const key of keysToCompare(before, after)) {
    const value = after.get(key);
    if (value !== before.get(key)) found.set(key, value);
  }
  return found;
}

/** If both share an older map, only the changes since. */
function* keysToCompare<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): Iterable<string> {
  const [one, other] = [partsOf(before), partsOf(after)];
  if (one.base === other.base) {
    yield* one.changes.keys();
    yield* other.changes.keys();
  } else {
    yield* after.keys();
    for (const key of before.keys()) if (!after.has(key)) yield key;
  }
}

const partsOf = <K, T>(map: ReadonlyMap<K, T>): Pick<EditedMap<K, T>, "base" | "changes"> =>
  map instanceof EditedMap ? (map as EditedMap<K, T>) : { base: map, changes: new Map() };
