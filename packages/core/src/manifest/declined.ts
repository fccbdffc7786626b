/** Thrown where a text is not as plain as the quick reader wants it. It says nothing about the text being wrong. */
export const notPlain = new Error("not plain YAML");

export function declined(): never {
  throw notPlain;
}
