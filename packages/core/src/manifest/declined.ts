/** Thrown where a text is not as plain as the quick reader wants it. It says nothing about the text being wrong. */
export class NotPlain extends Error {}

export function declined(): never {
  throw new NotPlain("not plain YAML");
}
