/** A size with room to grow: the kernel refuses more elements, and another size needs another map. */
export function roomFor(count: number, least: number): number {
  let size = least;
  while (size < count * 1.25) size *= 4;
  return size;
}
