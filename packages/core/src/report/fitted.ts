import { visibleLength, wrap } from "./style.js";

/** Lines of a quoted manifest, which are never wrapped: `  12 | spec:`. */
const isFrame = /^\s*\d*\s+\|/;

/** No report contains such a character. */
const kept = "\u0001";

/**
 * A report whose lines fit the columns: longer ones continue on the next line, indented. Words stay whole, so that a name or a path
 * can be copied; one that is longer than the columns has a line of its own.
 */
export function fitted(report: string, columns = 80): string {
  return report
    .split("\n")
    .map((line) => {
      if (visibleLength(line) <= columns || isFrame.test(line)) return line;
      const [lead = ""] = /^\s*(?:[-+·✓✗↓?!~…] )?/u.exec(line) ?? [];
      // `warning TW2005` is one word: people search for it.
      const text = line.slice(lead.length).replace(/(error|warning|note) (?=TW\d{4})/, `$1${kept}`);
      return wrap(lead, text, `${" ".repeat(lead.length)}    `, columns)
        .replace(kept, " ")
        .replace(/ +$/gm, "");
    })
    .join("\n");
}
