/* Sets of columns that change often: a bit for each, in words. */

export const bitsFor = (columns: number): Uint32Array => new Uint32Array((columns + 31) >>> 5);

export const has = (bits: Uint32Array, column: number): boolean =>
  ((bits[column >>> 5]! >>> (column & 31)) & 1) === 1;

export function mark(bits: Uint32Array, column: number): void {
  bits[column >>> 5]! |= 1 << (column & 31);
}

export function unmark(bits: Uint32Array, column: number): void {
  bits[column >>> 5]! &= ~(1 << (column & 31));
}
