import { declined } from "./declined.js";

const backslash = 0x5c;
const doubleQuote = 0x22;
const newline = 0x0a;

/** A text in quotes that begins here, and where it ends. Its further lines stand to the right of `outer`. */
export function quotedScalar(
  text: string,
  at: number,
  quote: number,
  outer: number,
): { readonly value: string; readonly end: number } {
  let escaped = false;
  let long = false;
  for (let i = at + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === newline) long = true;
    else if (c === backslash && quote === doubleQuote) {
      escaped = true;
      i++;
    } else if (c === quote) {
      if (quote !== doubleQuote && text.charCodeAt(i + 1) === quote) {
        escaped = true;
        i++;
        continue;
      }
      const written = text.slice(at + 1, i);
      const joined = long ? joinLines(written, outer) : written;
      return { value: escaped ? unescape(joined, quote) : joined, end: i + 1 };
    }
  }
  return declined();
}

function unescape(written: string, quote: number): string {
  if (quote !== doubleQuote) return written.replaceAll("''", "'");
  try {
    // Escapes that JSON has mean the same in YAML.
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return declined();
  }
}

/** Line breaks become spaces. Empty lines and escaped breaks are left to the library. */
function joinLines(written: string, outer: number): string {
  const lines = written.split("\n");
  const parts = lines.map((line, i) => {
    const content = line.replace(/^ +/, "");
    if (i > 0 && (content === "" || line.length - content.length <= outer)) declined();
    if (content.includes("\t") || isMarkerLine(line)) declined();
    const ended = i === lines.length - 1 ? content : content.replace(/ +$/, "");
    if (i < lines.length - 1 && ended.endsWith("\\")) declined();
    return i === 0 ? line.replace(/ +$/, "") : ended;
  });
  return parts.join(" ");
}

const isMarkerLine = (line: string): boolean => /^(?:---|\.\.\.)/.test(line);
