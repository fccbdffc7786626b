import fc from "fast-check";
import { anyHostileText } from "../../packages/core/testing/hostile-texts.js";

/*
 * Files that were fine once: a few edits away from one that is, so that most of it is still read.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const oddKeys = ["__proto__", "constructor", "toString", "valueOf", "toJSON", "length", "then", ""];

const oddValue: fc.Arbitrary<Json> = fc.oneof(
  anyHostileText,
  fc.constantFrom<Json>(null, true, -1, 0.5, 1e308, 2 ** 53, [], {}, [[]], "", "::", "10.0.0.1/33", "1e9"),
  fc.constantFrom(...oddKeys).map((key): Json => own(key, null)),
  fc.constantFrom(...oddKeys).map((key): Json => [own(key, { x: [1] })]),
  fc.integer({ min: 100, max: 3_000 }).map(nested),
);

/** JSON in which some values, keys and items are others, or gone. */
export function mutatedJson(value: Json): fc.Arbitrary<Json> {
  const edit = fc.record({
    path: fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
    change: fc.constantFrom("replace", "remove", "rename", "repeat"),
    by: oddValue,
    key: fc.oneof(fc.constantFrom(...oddKeys), anyHostileText),
  });
  type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;
  const apply = (at: Json, { path, ...rest }: Edit): Json => {
    const [turn, ...further] = path;
    if (turn === undefined || typeof at !== "object" || at === null) return rest.by;
    const isList = Array.isArray(at);
    const entries = Object.entries(at);
    if (entries.length === 0) return rest.by;
    const i = turn % entries.length;
    const [key, child] = entries[i]!;
    const isLeaf = further.length === 0 || typeof child !== "object" || child === null;
    const changed: [string, Json][] = !isLeaf
      ? [[key, apply(child, { path: further, ...rest })]]
      : {
          replace: [[key, rest.by] as [string, Json]],
          remove: [],
          rename: [[rest.key, child] as [string, Json]],
          repeat: [
            [key, child],
            [rest.key, child],
          ] as [string, Json][],
        }[rest.change];
    entries.splice(i, 1, ...changed);
    return isList ? entries.map(([, item]) => item) : objectOf(entries);
  };
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) => edits.reduce<Json>(apply, value));
}

/** Text with pieces of it gone, doubled, replaced, or said a hundred thousand times. */
export function mutatedText(text: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(30),
    change: fc.constantFrom("remove", "cut", "insert", "replace", "double", "flood"),
    by: fc.oneof(
      anyHostileText,
      fc.constantFrom('"', ",", "{", "[", "=", ":", "\\", "\n", "\t", " ", "#", "&a *a"),
    ),
  });
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map((edits) =>
    edits.reduce((now, { at, length, change, by }) => {
      const start = Math.floor(at * now.length);
      const [before, piece, after] = [
        now.slice(0, start),
        now.slice(start, start + length),
        now.slice(start + length),
      ];
      const pieces = {
        remove: "",
        cut: "",
        insert: by + piece,
        replace: by,
        double: piece + piece,
        flood: flood(by),
      };
      return before + pieces[change] + (change === "cut" ? "" : after);
    }, text),
  );
}

/** Bytes that were cut, or some of them changed. */
export function mutatedBytes(bytes: Buffer): fc.Arbitrary<Buffer> {
  const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  return fc
    .record({
      end: fc.oneof(fc.constant(1), place),
      flips: fc.array(fc.tuple(place, fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
      tail: fc.uint8Array({ maxLength: 20 }),
    })
    .map(({ end, flips, tail }) => {
      const made = Buffer.from(bytes.subarray(0, Math.floor(end * bytes.length)));
      for (const [at, mask] of flips) if (made.length > 0) made[Math.floor(at * made.length)]! ^= mask;
      return Buffer.concat([made, tail]);
    });
}

/** Long enough that time in the square of its length would be noticed. */
const flood = (piece: string): string => piece.repeat(Math.ceil(100_000 / Math.max(1, piece.length)));

function nested(depth: number): Json {
  let made: Json = "x";
  for (let i = 0; i < depth; i++) made = i % 2 === 0 ? [made] : { a: made };
  return made;
}

/** Also for `__proto__`, which an assignment would not make a key. */
function objectOf(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries);
}

const own = (key: string, value: Json): Json => objectOf([[key, value]]);
