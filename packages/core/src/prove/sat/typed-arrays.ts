/** The array, or a copy of it with room for at least this many numbers. */
export function withRoom<T extends Int8Array | Uint8Array | Int32Array | Float64Array>(
  array: T,
  size: number,
): T {
  if (size <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(size, array.length * 2));
  larger.set(array);
  return larger;
}
