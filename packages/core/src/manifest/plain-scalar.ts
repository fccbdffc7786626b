import { declined } from "./declined.js";

/*
 * What a word or number without quotes means, as in `yaml-tree.ts`, which asks the library: YAML 1.1 without base 60
 * and dates.
 */

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
]);

const longestWord = 5;

/** Those that everybody writes; 15 digits are exact in any reading. */
const plainInteger = /^(?:0|-?[1-9][0-9]{0,14})$/;

/** Everything else that may be a number, with signs, underscores, bases and exponents: the library knows what it is. */
const mayBeNumber =
  /^[-+]?(?:0b[01_]+|0x[0-9a-f_]+|(?=[^0-9]*[0-9])[0-9_]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?|\.(?:inf|nan))$/i;

export function plainScalar(text: string): string | number | boolean | null {
  const first = text.charCodeAt(0);
  // Digits, and the signs `+`, `-` and `.` before them.
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d || first === 0x2e) {
    if (plainInteger.test(text)) return Number(text);
    return mayBeNumber.test(text) ? declined() : text;
  }
  if (text.length <= longestWord) {
    const word = words.get(text);
    if (word !== undefined) return word;
    // `<<` merges, and `=` once meant something.
    if (first === 0x3c || first === 0x3d) return declined();
  }
  return text;
}
