import { type EditWarning, visibleWithin, warningOrder } from "@tierwall/core/report";

/** API servers cut longer lines, and drop what is more than 4,096 characters together. */
const longestLine = 256;
const mostTogether = 2048;
const mostLines = 8;

/** The lines that `kubectl` prints after `Warning: `: the most severe first, and not more than users read. */
export function warningLines(warnings: readonly EditWarning[], others: readonly string[]): readonly string[] {
  const sorted = warnings.toSorted((a, b) => warningOrder.indexOf(a.about) - warningOrder.indexOf(b.about));
  const all = [...sorted.map((one) => one.text), ...others].map((text) => visibleWithin(text, longestLine));
  if (countThatFit(all, mostLines, mostTogether) === all.length) return all;
  const shown = countThatFit(all, mostLines - 1, mostTogether - restLine(all.length).length);
  return [...all.slice(0, shown), restLine(all.length - shown)];
}

function countThatFit(lines: readonly string[], most: number, room: number): number {
  let length = 0;
  const tooMuch = lines.findIndex((line, i) => i === most || (length += line.length) > room);
  return tooMuch === -1 ? lines.length : tooMuch;
}

const restLine = (count: number): string =>
  `and ${count} more; \`tierwall preview\` and \`tierwall validate\` show all`;
