import type { Diagnostic } from "./diagnostic.js";

/** By file in the order they were named, line and column; what has no place comes last. */
export function inReadingOrder<D extends Pick<Diagnostic, "place">>(
  found: readonly D[],
  files: readonly string[],
): readonly D[] {
  const positions = new Map(files.map((file, i) => [file, i]));
  const key = ({ place }: D) =>
    place === undefined
      ? [Infinity, 0, 0]
      : [positions.get(place.file) ?? Infinity, place.line, place.column];
  return found.toSorted((a, b) => {
    const [x, y] = [key(a), key(b)];
    const i = x.findIndex((value, j) => value !== y[j]);
    return i === -1 ? 0 : x[i]! - y[i]!;
  });
}
