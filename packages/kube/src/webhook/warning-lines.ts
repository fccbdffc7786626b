import { type EditWarning, warningOrder } from "@tierwall/core";

/** API servers cut longer lines, and drop what is more than 4,096 characters together. */
const longestLine = 256;
const mostTogether = 2048;
const mostLines = 8;

/** What `kubectl` prints, each behind `Warning: `: what matters most first, and no more than anybody reads. */
export function warningLines(warnings: readonly EditWarning[], others: readonly string[]): readonly string[] {
  const sorted = warnings.toSorted((a, b) => warningOrder.indexOf(a.about) - warningOrder.indexOf(b.about));
  const lines: string[] = [];
  let length = 0;
  for (const text of [...sorted.map((one) => one.text), ...others]) {
    const line = cut(oneLine(text));
    length += line.length;
    if (lines.length === mostLines || length > mostTogether) break;
    lines.push(line);
  }
  return lines;
}

/** Headers carry them: no line may end inside. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, " ");

function cut(line: string): string {
  if (line.length <= longestLine) return line;
  // Not through the middle of a character that takes two units.
  const end = line.codePointAt(longestLine - 2)! > 0xffff ? longestLine - 2 : longestLine - 1;
  return `${line.slice(0, end)}…`;
}
