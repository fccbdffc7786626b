/**
 * Text from outside on one line, with every character that is not seen, or that changes how others are seen, written as an
 * escape: line breaks and other control characters (a terminal obeys them), bidirectional overrides, zero-width characters,
 * line and paragraph separators, lone surrogates; and `##[` and `##vso[`, which CI systems obey anywhere in a line.
 * Escapes are those of JSON, so that it may also be applied to JSON.
 */
export function visible(text: string): string {
  return text.replace(unseen, escapeOf);
}

/** The same for multi-line text that Tierwall wrote: line breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text.replace(unseen, (found) => (found === "\n" || found === "\t" ? found : escapeOf(found)));
}

/** A text, shortened to the length that fits in a message. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Never between the two units of a surrogate pair.
  const end = text.codePointAt(most - 2)! > 0xffff ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}

/** Both: for headers, conditions and Events, which have a limit. A hostile text may be as long as an object can be. */
export const visibleWithin = (text: string, most: number): string =>
  shortened(visible(text.slice(0, most + 1)), most);

// Cf has bidirectional and zero-width characters, Cs lone surrogates, NChar what is no character; the last four are letters without a shape.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{NChar}\u115f\u1160\u3164\uffa0]|##(?=(?:vso)?\[)/giu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "##": "#\\u0023" };

function escapeOf(found: string): string {
  return (
    short[found] ??
    codeUnits(found)
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join("")
  );
}

const codeUnits = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
