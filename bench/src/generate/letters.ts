/** Those that Kubernetes makes names of: no vowels, so that no words come of it. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** A number as the random-looking end of a name. */
export function letters(value: number, length: number): string {
  let text = "";
  let rest = value;
  for (let i = 0; i < length; i++) {
    text += alphabet[rest % alphabet.length]!;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
