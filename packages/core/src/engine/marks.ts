/** The numbers that are marked with a 1, ascending. */
export function marked(marks: Uint8Array): Uint32Array {
  const found = new Uint32Array(marks.length);
  let count = 0;
  for (let number = marks.indexOf(1); number >= 0; number = marks.indexOf(1, number + 1))
    found[count++] = number;
  return found.slice(0, count);
}
