/** A size with room to grow: past it the kernel refuses elements, and another size needs another map. */
export function roomFor(count: number, least: number): number {
  let size = least;
  while (size < count * 1.25) size *= 4;
  return size;
}
