/**
 * Text for a terminal, a header or a log, on one line: names come from manifests, whose authors may want to write more than a name. Control
 * characters and characters that change the direction of text become spaces; what is longer than `most` is cut.
 */
export function plainText(text: string, most: number): string {
  // A hostile name may be as long as an object can be.
  const line = text
    .slice(0, most + 1)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ");
  if (line.length <= most) return line;
  // Not through the middle of a character that takes two units.
  const end = line.codePointAt(most - 2)! > 0xffff ? most - 2 : most - 1;
  return `${line.slice(0, end)}…`;
}
