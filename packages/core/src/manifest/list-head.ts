import type { Json, JsonObject } from "./document.js";
import { type JsonScanner, openingBrace, openingBracket, Unfinished } from "./json-scanner.js";
import { mayBeList } from "./streamed-list.js";
import { decodeUtf8 } from "./utf8.js";

/** The fields before the `items` of a list. */
export interface ListHead {
  readonly head: JsonObject;
  /** Behind the bracket that opens the items. */
  readonly end: number;
}

/** Of the object that begins here; undefined where it is no list. */
export function listHead(scanner: JsonScanner, start: number): ListHead | undefined {
  const { bytes } = scanner;
  if (bytes[start] !== openingBrace) return undefined;
  const parsed = (from: number, to: number) => JSON.parse(decodeUtf8(bytes.subarray(from, to))) as Json;
  const head: Record<string, Json> = {};
  for (let at = scanner.space(start + 1); ; ) {
    const keyEnd = scanner.string(at);
    const key = parsed(at, keyEnd) as string;
    const valueAt = scanner.colon(scanner.space(keyEnd));
    if (valueAt >= scanner.length) throw new Unfinished("the window ends here");
    if (key === "items") {
      const isList = bytes[valueAt] === openingBracket && mayBeList(head);
      return isList ? { head, end: valueAt + 1 } : undefined;
    }
    const end = scanner.value(valueAt);
    head[key] = parsed(valueAt, end);
    at = scanner.comma(scanner.space(end));
  }
}
