/** The position of the last of the ascending values that is not above `wanted`; -1 where all are. */
export function lastAtMost<T extends number | bigint>(ascending: ArrayLike<T>, wanted: T): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export const holds = (ascending: ArrayLike<number>, wanted: number): boolean =>
  ascending[lastAtMost(ascending, wanted)] === wanted;
