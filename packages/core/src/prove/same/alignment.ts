/*
 * Which parts of two lists correspond to each other, as in a patience diff: items whose key occurs once on both sides, in the
 * same order, are anchors; what is between two anchors corresponds to each other, and is divided again by the next key.
 */

export interface Segment<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
  /** The first key is the same, item by item. */
  readonly isEqual: boolean;
}

/** `keys`: the first identifies an item, the others are what neighbours have in common. */
export function align<T>(
  before: readonly T[],
  after: readonly T[],
  [key, ...others]: readonly ((item: T) => string)[],
  isFirst = true,
): readonly Segment<T>[] {
  if (before.length === 0 && after.length === 0) return [];
  if (key === undefined || before.length === 0 || after.length === 0)
    return [{ before, after, isEqual: false }];
  // The first key is of single items; with the others, neighbours are one block.
  const [left, right] = [before, after].map((items) => blocksOf(items, key, !isFirst));
  const segments: Segment<T>[] = [];
  let [i, j] = [0, 0];
  const upTo = (k: number, l: number) =>
    segments.push(...align(itemsOf(left!.slice(i, k)), itemsOf(right!.slice(j, l)), others, false));
  for (const [k, l] of anchorsOf(left!, right!)) {
    upTo(k, l);
    segments.push({ before: left![k]!.items, after: right![l]!.items, isEqual: isFirst });
    [i, j] = [k + 1, l + 1];
  }
  upTo(left!.length, right!.length);
  return segments;
}

interface Block<T> {
  readonly key: string;
  readonly items: readonly T[];
}

const itemsOf = <T>(blocks: readonly Block<T>[]): readonly T[] => blocks.flatMap(({ items }) => items);

function blocksOf<T>(items: readonly T[], keyOf: (item: T) => string, joins: boolean): readonly Block<T>[] {
  const blocks: { readonly key: string; readonly items: T[] }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    const last = blocks.at(-1);
    if (joins && last?.key === key) last.items.push(item);
    else blocks.push({ key, items: [item] });
  }
  return blocks;
}

/** Pairs of positions: equal beginnings and ends, and in between as many blocks as possible that occur once on both sides. */
function anchorsOf(
  left: readonly Block<unknown>[],
  right: readonly Block<unknown>[],
): readonly (readonly [number, number])[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start]!.key === right[start]!.key) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end)!.key === right.at(-1 - end)!.key) end++;
  const inBetween = ascending(uniquePairs(left, right, start, end));
  return [
    ...Array.from({ length: start }, (_, i) => [i, i] as const),
    ...inBetween,
    ...Array.from({ length: end }, (_, i) => [left.length - end + i, right.length - end + i] as const),
  ];
}

function uniquePairs(
  left: readonly Block<unknown>[],
  right: readonly Block<unknown>[],
  start: number,
  end: number,
): readonly (readonly [number, number])[] {
  const uniqueIn = (blocks: readonly Block<unknown>[]): ReadonlyMap<string, number> => {
    const places = new Map<string, number>();
    for (let i = start; i < blocks.length - end; i++) {
      const { key } = blocks[i]!;
      places.set(key, places.has(key) ? repeated : i);
    }
    return places;
  };
  const places = uniqueIn(right);
  return [...uniqueIn(left)].flatMap(([key, i]) => {
    const j = places.get(key) ?? repeated;
    return i === repeated || j === repeated ? [] : [[i, j] as const];
  });
}

const repeated = -1;

/** The longest part of the pairs, whose first numbers ascend, in which the second numbers ascend too. */
function ascending(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  /** By length less one: the pair with the lowest second number that such a sequence can end with. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [i, [, second]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![1] < second) low = middle + 1;
      else high = middle;
    }
    previous[i] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = i;
  }
  const found: (readonly [number, number])[] = [];
  for (let i = ends.at(-1) ?? -1; i !== -1; i = previous[i]!) found.push(pairs[i]!);
  return found.toReversed();
}
