/* Where a place stands inside `{…}` and `[…]`, also while they are still being written. */

export interface FlowFrame {
  readonly kind: "map" | "list";
  /** Of the pair that is being written, once its colon is there. */
  key?: string;
  index: number;
  readonly keys: string[];
}

export interface FlowPlace {
  /** Where it ends; undefined where the cursor comes first, or nothing closes it. */
  readonly end?: number;
  /** From outside to inside, as they are at the cursor. */
  readonly frames: readonly FlowFrame[];
  /** Where the word before the cursor begins. */
  readonly from: number;
}

/** Reads from an opening bracket to its end, or to the cursor if that comes first. */
export function flowPlace(text: string, start: number, cursor: number): FlowPlace {
  const frames: FlowFrame[] = [];
  let from = start;
  let at = start;
  while (at < text.length) {
    if (at === cursor) return { frames, from: firstLetter(text, from, at) };
    const letter = text[at]!;
    const top = frames.at(-1);
    if (letter === '"' || letter === "'") {
      const end = text.indexOf(letter, at + 1);
      const next = end === -1 ? text.length : end + 1;
      if (cursor > at && cursor < next) return { frames, from: at };
      at = next;
      continue;
    }
    if (letter === "#" && /\s/.test(text[at - 1] ?? " ")) {
      const end = text.indexOf("\n", at);
      const next = end === -1 ? text.length : end;
      if (cursor > at && cursor <= next) return { frames: [], from: cursor };
      at = next;
      from = at;
      continue;
    }
    if (letter === "{" || letter === "[") {
      frames.push({ kind: letter === "{" ? "map" : "list", index: 0, keys: [] });
      from = at + 1;
    } else if (letter === "}" || letter === "]") {
      frames.pop();
      if (frames.length === 0) return { end: at + 1, frames, from: at + 1 };
      from = at + 1;
    } else if (letter === "," && top !== undefined) {
      top.index++;
      delete top.key;
      from = at + 1;
    } else if (letter === ":" && top?.kind === "map" && /^[\s,{}[\]]?$/.test(text[at + 1] ?? "")) {
      top.key = unquoted(text.slice(from, at).trim());
      top.keys.push(top.key);
      from = at + 1;
    }
    at++;
  }
  return { frames, from: firstLetter(text, from, Math.min(cursor, text.length)) };
}

export const unquoted = (word: string): string => word.replace(/^(["'])(.*)\1$/, "$2");

function firstLetter(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && /\s/.test(text[at]!)) at++;
  return at;
}
