/** 1 1 2 1 1 2 4 1 1 2 …: the intervals between restarts that are never far from the best (Luby, 1993). */
export function luby(index: number): number {
  let size = 1;
  while (size < index + 1) size = size * 2 + 1;
  let rest = index;
  while (size - 1 !== rest) {
    size = (size - 1) >> 1;
    rest %= size;
  }
  return (size + 1) >> 1;
}
