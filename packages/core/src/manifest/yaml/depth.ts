import { CST, Lexer } from "yaml";

/** Deeper than any manifest, and not yet so deep that the parser runs out of stack and takes the process with it. */
const deepest = 500;

/** Where a YAML text is nested too deeply to be parsed; undefined for every text that a person would write. */
export function firstTooDeep(text: string): number | undefined {
  return looksDeep(text) ? deepToken(text) : undefined;
}

/** A quick look that may be wrong about brackets in plain text, but never misses. */
function looksDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === "[" || c === "{") {
      if (++depth > deepest) return true;
    } else if ((c === "]" || c === "}") && depth > 0) depth--;
  }
  return new RegExp(`^(?:[-?:] |[ \\t]){${deepest}}`, "m").test(text);
}

/** The same with the lexer, which distinguishes nested brackets from brackets in strings. */
function deepToken(text: string): number | undefined {
  let offset = 0;
  let flow = 0;
  let block = 0;
  let isContent = false;
  for (const token of new Lexer().lex(text)) {
    // What follows a scalar's mark is text, whatever it looks like.
    const type: CST.TokenType | "scalar" | null = isContent ? null : CST.tokenType(token);
    isContent = type === "scalar";
    if (type === "flow-map-start" || type === "flow-seq-start") flow++;
    else if (type === "flow-map-end" || type === "flow-seq-end") flow = Math.max(0, flow - 1);
    else if (type === "newline" || type === "doc-start") block = 0;
    else if (type === "seq-item-ind" || type === "explicit-key-ind") block++;
    else if (type === "space") block += token.length;
    // Every level of a block takes a column at least, and every flow level a bracket.
    if (flow > deepest || (flow === 0 && block > deepest)) return offset;
    // Marks correspond to nothing in the text.
    if (type !== "doc-mode" && type !== "flow-error-end" && type !== "scalar") offset += token.length;
  }
  return undefined;
}
