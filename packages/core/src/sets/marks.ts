/** The numbers that are marked with a 1, ascending. */
export function marked(marks: Uint8Array): Uint32Array {
  const found = new Uint32Array(marks.length);
  let count = 0;
  for (let number = 0; number < marks.length; number++) if (marks[number] === 1) found[count++] = number;
  return found.slice(0, count);
}
