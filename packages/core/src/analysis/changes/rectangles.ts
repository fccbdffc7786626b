import { countsOf, getOrInsert } from "../../collections/maps.js";
/** Each of `sources` with each of `targets`, except with itself where it is single. */
export interface Rectangle {
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/**
 * Groups sources that have the same targets. A source that is a single pod cannot connect to itself, so it does not matter
 * whether it is one of its own targets: it counts as one if that groups it with more sources.
 */
export function rectangles(
  targetsOf: ReadonlyMap<number, ReadonlySet<number>>,
  isSingle: (number: number) => boolean,
): readonly Rectangle[] {
  const candidates = Array.from(targetsOf, ([source, targets]) => {
    const plain = [...targets].toSorted((a, b) => a - b);
    const withItself =
      isSingle(source) && !targets.has(source) ? [...plain, source].toSorted((a, b) => a - b) : plain;
    return { source, plain, withItself, plainKey: plain.join(), fullKey: withItself.join() };
  });
  const counts = countsOf(
    candidates.flatMap(({ plainKey, fullKey }) => (fullKey === plainKey ? plainKey : [plainKey, fullKey])),
  );
  const found = new Map<string, { sources: number[]; targets: readonly number[] }>();
  for (const { source, plain, withItself, plainKey, fullKey } of candidates) {
    const isFuller = counts.get(fullKey)! > counts.get(plainKey)!;
    const key = isFuller ? fullKey : plainKey;
    getOrInsert(found, key, () => ({ sources: [], targets: isFuller ? withItself : plain })).sources.push(
      source,
    );
  }
  return [...found.values()].map(({ sources, targets }) => ({
    sources: sources.toSorted((a, b) => a - b),
    targets,
  }));
}
