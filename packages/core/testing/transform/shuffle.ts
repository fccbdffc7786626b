import type { Manifest } from "../arbitrary/arbitrary-vocabulary.js";

/** A list in another order, which follows from the seed alone. */
export function shuffled<T>(list: readonly T[], seed: number): readonly T[] {
  const rest = [...list];
  const result: T[] = [];
  for (let state = seed >>> 0; rest.length > 0; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    result.push(...rest.splice((state >>> 8) % rest.length, 1));
  }
  return result;
}

/** Gives the chosen policies each other's names, so that they are evaluated in another order. */
export function withNamesExchanged(
  policies: readonly Manifest[],
  chosen: (policy: Manifest) => boolean,
  seed: number,
): readonly Manifest[] {
  const names = shuffled(
    policies.filter(chosen).map(({ metadata }) => metadata.name),
    seed,
  );
  let next = 0;
  return policies.map((policy) =>
    chosen(policy) ? { ...policy, metadata: { ...policy.metadata, name: names[next++]! } } : policy,
  );
}

/** Shuffles the lists under the given fields, at any depth. */
export function withListsShuffled<T>(value: T, listFields: readonly string[], seed: number): T {
  if (Array.isArray(value))
    return value.map((item: unknown, i) => withListsShuffled(item, listFields, seed + i)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => {
      const inner = withListsShuffled(item, listFields, seed + key.length);
      return [key, Array.isArray(inner) && listFields.includes(key) ? shuffled(inner, seed) : inner];
    }),
  ) as T;
}
