import { isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import { firstTooDeep } from "./depth.js";

/** A value of a text: what it is made of, and from where to where it is written. */
export interface ValueSpan {
  readonly start: number;
  readonly end: number;
  /** Of a mapping: by key; `after` is where the key and its colon end. */
  readonly fields?: readonly { readonly key: string; readonly after: number; readonly value: ValueSpan }[];
  /** Of a list. */
  readonly items?: readonly ValueSpan[];
  /** Of a single value that is a text. */
  readonly text?: string;
}

/** One document of a text, from the end of the one before to its own. */
export interface DocumentSpan {
  readonly start: number;
  readonly end: number;
  /** Absent where it is empty. */
  readonly value?: ValueSpan;
  /** Whether it can be read. */
  readonly isSound: boolean;
}

/**
 * Where everything in a text of YAML or JSON is written; undefined for one that is nested too deeply. The library is slow: it
 * is for texts that people write.
 */
export function valueSpans(text: string): readonly DocumentSpan[] | undefined {
  if (firstTooDeep(text) !== undefined) return undefined;
  const parsed = parseAllDocuments(text, {
    version: "1.1",
    logLevel: "silent",
    prettyErrors: false,
    stringKeys: false,
  });
  const documents = Array.isArray(parsed) ? parsed : [];
  let before = 0;
  return documents.map((document) => {
    const [start, end] = [before, document.range[2]];
    before = end;
    const value = spanOf(document.contents, text);
    return {
      start,
      end,
      isSound: document.errors.length === 0,
      ...(value === undefined || isEmpty(document.contents) ? {} : { value }),
    };
  });
}

const isEmpty = (node: unknown): boolean => isScalar(node) && node.value === null && node.source === "";

function spanOf(node: unknown, text: string): ValueSpan | undefined {
  if (isMap(node) && node.range) {
    const fields = node.items.flatMap(({ key, value }) => {
      if (!isScalar(key) || !key.range) return [];
      const after = text.indexOf(":", key.range[1]) + 1;
      return [{ key: String(key.value), after, value: spanOf(value, text) ?? { start: after, end: after } }];
    });
    return { ...span(node.range, text), fields };
  }
  if (isSeq(node) && node.range) {
    const items = node.items.flatMap((item) => spanOf(item, text) ?? []);
    return { ...span(node.range, text), items };
  }
  if (isScalar(node) && node.range)
    return { ...span(node.range, text), ...(typeof node.value === "string" ? { text: node.value } : {}) };
  const range = (node as { readonly range?: Range } | null)?.range;
  return range ? span(range, text) : undefined;
}

type Range = readonly [number, number, number];

/** Without the space after it. */
function span([start, end]: Range, text: string): { readonly start: number; readonly end: number } {
  return { start, end: start + text.slice(start, end).trimEnd().length };
}
