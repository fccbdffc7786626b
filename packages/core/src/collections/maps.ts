/* Common operations on maps. */

interface Entries<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key, created and stored on first use. */
export function getOrInsert<K, V>(map: Entries<K, V>, key: K, make: () => NoInfer<V>): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Sets the value of a key; undefined deletes it. */
export function setOrDelete<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** Items by key, in the order in which each key was met first. */
export function grouped<K, T>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The number of occurrences of each, in the same order. */
export function countsOf<K>(items: Iterable<K>): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
