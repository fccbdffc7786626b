import { skipSpace } from "./json.js";

/** A mistake in a JSON text: where it is, and what was expected there. */
export interface JsonMistake {
  readonly at: number;
  readonly expected: string;
}

/** Unrolled, so that long strings take no stack. Control characters must be escaped. */
const string = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy;
const single = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y;

/**
 * The first mistake in a text that is not one JSON value. The JavaScript engine knows there is one, but not every
 * version of it says where.
 */
export function firstMistake(text: string): JsonMistake {
  const open: ("{" | "[")[] = [];
  let at = skipSpace(text, 0);
  let expected: "a value" | "a field" | "`:`" | "the end" | "" = "a value";
  let mayClose = false;
  const token = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = skipSpace(text, pattern.lastIndex);
    return true;
  };
  for (;;) {
    const inside = open.at(-1);
    const closing = inside === "{" ? "}" : "]";
    if (expected === "" || mayClose) {
      if (inside !== undefined && text[at] === closing) {
        at = skipSpace(text, at + 1);
        open.pop();
        expected = open.length === 0 ? "the end" : "";
        mayClose = false;
        continue;
      }
      if (expected === "") {
        if (text[at] !== ",") return { at, expected: `\`,\` or \`${closing}\`` };
        at = skipSpace(text, at + 1);
        expected = inside === "{" ? "a field" : "a value";
        continue;
      }
    }
    mayClose = false;
    if (expected === "the end") return { at, expected };
    if (expected === "a field") {
      if (!token(string)) return { at, expected: "a field in double quotes" };
      expected = "`:`";
    } else if (expected === "`:`") {
      if (text[at] !== ":") return { at, expected };
      at = skipSpace(text, at + 1);
      expected = "a value";
    } else if (text[at] === "{" || text[at] === "[") {
      open.push(text[at] as "{" | "[");
      expected = text[at] === "{" ? "a field" : "a value";
      mayClose = true;
      at = skipSpace(text, at + 1);
    } else {
      if (!token(string) && !token(single)) return { at, expected };
      expected = open.length === 0 ? "the end" : "";
    }
  }
}

/** Whether nothing is wrong with a text but that it ends too soon. */
export function isCutOff(text: string): boolean {
  const { at, expected } = firstMistake(text);
  const isBegun = expected === "a value" || (expected.startsWith("a field") && text[at] === '"');
  return at === text.length || (isBegun && beginning.test(text.slice(at)));
}

/** The beginning of a string, a number or a word. */
const beginning =
  /^(?:"[ !#-[\]-\u{10ffff}]*(?:\\(?:.[ !#-[\]-\u{10ffff}]*)?)*|-?(?:0|[1-9]\d*)?(?:\.\d*)?(?:[eE][-+]?\d*)?|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/u;
