/** What is in only one of two lists that are otherwise in the same order. */
export function difference<T>(
  before: readonly T[],
  after: readonly T[],
): { readonly gone: readonly T[]; readonly come: readonly T[] } {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  let [i, j] = [before.length, after.length];
  while (i > same && j > same && before[i - 1] === after[j - 1]) [i, j] = [i - 1, j - 1];
  const [gone, come] = [before.slice(same, i), after.slice(same, j)];
  const [old, now] = [new Set(gone), new Set(come)];
  return { gone: gone.filter((value) => !now.has(value)), come: come.filter((value) => !old.has(value)) };
}
