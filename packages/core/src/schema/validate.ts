import { given } from "../diagnostics/given.js";
import type { Path } from "../diagnostics/place.js";
import { didYouMean, misspellingOf, suggest } from "../diagnostics/suggest.js";
import type { Code } from "../diagnostics/table.js";
import { isObject } from "../manifest/document.js";
import type { Constraint, Format, ObjectSchema, Problem, Schema, Static } from "./schema.js";

export interface Validated<T> {
  /** Valid only where `problems` has nothing at or below the part that is used. */
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** Compares a value with its schema; nulls are dropped, null labels become empty, everything wrong is listed at once. */
export function validate<S extends Schema>(schema: S, value: unknown, path: Path = []): Validated<Static<S>> {
  const problems: Problem[] = [];
  const read = readValue(schema, value, [...path], problems);
  return { value: read as Static<S>, problems };
}

/** The path of the value that is being read: one list for all, which is copied into problems. */
type Way = (string | number)[];

/** Most values are valid: closures for problems are created only where they may be needed. */
function readValue(schema: Schema, value: unknown, way: Way, problems: Problem[]): unknown {
  if (schema.type === "object" && isObject(value)) return readObject(schema, value, way, problems);
  if (schema.type === "map" && isObject(value)) return readMap(schema, value, way, problems);
  return readDoubtful(schema, value, way, problems);
}

function readDoubtful(schema: Schema, value: unknown, way: Way, problems: Problem[]): unknown {
  const complain = (code: Code, message: string, more: Partial<Problem> = {}) => {
    problems.push({ code, path: [...way], at: "value", message, ...more });
    return undefined;
  };
  const wrongType = (expected: string) =>
    complain("TW1201", `expected ${expected}, found ${describe(value)}`, quoteIt(schema, value));

  switch (schema.type) {
    case "any":
      return value;
    case "boolean":
      if (typeof value !== "boolean") return wrongType("true or false");
      if (schema.only && !value)
        return complain("TW1405", "`false` is not allowed here; remove the field, or set it to `true`");
      return value;
    case "integer":
      if (typeof value !== "number" || !Number.isInteger(value)) return wrongType("a whole number");
      return checkRange(schema, value, complain);
    case "int-or-string":
      if (typeof value === "number" && Number.isInteger(value)) return checkRange(schema, value, complain);
      if (typeof value !== "string") return wrongType(schema.expected);
      return checkFormat(schema.format, value, way, "value", problems);
    case "string": {
      if (typeof value !== "string")
        return wrongType(schema.values ? formatChoices(schema.values) : "a string");
      if (schema.values && !schema.values.includes(value))
        return complain(
          "TW1203",
          `\`${value}\` is not ${formatChoices(schema.values)}${didYouMean(value, schema.values)}`,
        );
      if (schema.maxLength !== undefined && value.length > schema.maxLength)
        complain(
          "TW1208",
          `the string has ${value.length} characters; at most ${schema.maxLength} are allowed`,
          { readable: true },
        );
      return schema.format ? checkFormat(schema.format, value, way, "value", problems) : value;
    }
    case "list":
      if (!Array.isArray(value)) return wrongType("a list");
      if (schema.minItems !== undefined && value.length < schema.minItems)
        complain("TW1206", `the list is empty; it needs at least ${count(schema.minItems, "item")}`);
      if (schema.maxItems !== undefined && value.length > schema.maxItems)
        complain("TW1207", `the list has ${value.length} items; at most ${schema.maxItems} are allowed`, {
          readable: true,
        });
      if (schema.set) findDuplicates(value, way, problems);
      return value.map((item: unknown, i) => readAt(i, schema.items, item, way, problems));
    case "map":
      return wrongType("a mapping of keys to strings");
    case "object":
      return wrongType(`${schema.title} (an object)`);
  }
}

/** Runs with a longer path. */
function readAt(
  step: string | number,
  schema: Schema,
  value: unknown,
  way: Way,
  problems: Problem[],
): unknown {
  way.push(step);
  const read = readValue(schema, value, way, problems);
  way.pop();
  return read;
}

function readObject(schema: ObjectSchema, value: PlainObject, way: Way, problems: Problem[]): PlainObject {
  const read: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const key of Object.keys(value)) {
    const given = value[key];
    const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
    if (field === undefined) {
      if (schema.open && misspellingOf(key, absentFields(schema, value)) === undefined) continue;
      unknown.push(key);
      problems.push(unknownField(schema, key, way));
    } else if (given !== null) read[key] = readAt(key, field, given, way, problems);
    else if (field.nullable) read[key] = null;
  }
  for (const key of Object.keys(schema.fields)) {
    const field = schema.fields[key]!;
    if (!field.required || (value[key] !== undefined && value[key] !== null)) continue;
    // The misspelled field has been reported, with this field as the suggestion.
    if (unknown.some((found) => suggest(found, [key]) === key)) continue;
    problems.push({
      code: "TW1202",
      path: [...way],
      at: "key",
      message: `\`${key}\` is missing; it is required in ${schema.title}`,
      ...given({ readable: field.lenient }),
    });
  }
  for (const constraint of schema.constraints ?? [])
    checkConstraint(constraint, schema, read, unknown.length > 0, way, problems);
  return read;
}

const absentFields = (schema: ObjectSchema, value: PlainObject): readonly string[] =>
  Object.keys(schema.fields).filter((name) => !Object.hasOwn(value, name));

function unknownField(schema: ObjectSchema, key: string, path: Path): Problem {
  return {
    code: "TW1204",
    path: [...path, key],
    at: "key",
    message: `unknown field \`${key}\` in ${schema.title}${didYouMean(key, Object.keys(schema.fields))}`,
    hint: schema.ifDropped ?? "A cluster drops the field or rejects the object.",
  };
}

function checkConstraint(
  constraint: Constraint,
  schema: ObjectSchema,
  value: PlainObject,
  hasUnknown: boolean,
  path: Path,
  problems: Problem[],
): void {
  if (constraint.kind === "custom") {
    for (const found of constraint.check(value))
      problems.push({ at: "value", ...found, path: [...path, ...found.path] });
    return;
  }
  const { code } = constraint;
  const hint = constraint.hint === undefined ? {} : { hint: constraint.hint };
  if (constraint.kind === "needs") {
    const { field, needs } = constraint;
    if (value[field] === undefined || needs.some((key) => value[key] !== undefined)) return;
    const message = `\`${field}\` requires ${names(needs, "or")}`;
    problems.push({ code: code ?? "TW1211", path: [...path, field], at: "key", message, ...hint });
    return;
  }
  const given = constraint.of.filter((key) => Object.hasOwn(value, key));
  // An unknown field may be the one that was meant; it has been reported.
  if (given.length === 0 && constraint.kind !== "at-most-one" && !hasUnknown)
    problems.push({
      code: code ?? "TW1209",
      path: [...path],
      at: "value",
      message: `${schema.title} needs ${constraint.kind === "exactly-one" ? "exactly one" : "at least one"} of ${names(constraint.of, "and")}; none is set`,
      ...hint,
    });
  if (given.length > 1 && constraint.kind !== "at-least-one")
    problems.push({
      code: code ?? (constraint.kind === "exactly-one" ? "TW1209" : "TW1210"),
      path: [...path, given[1]!],
      at: "key",
      message: `${names(given, "and")} are mutually exclusive in ${schema.title}; keep one`,
    });
}

type PlainObject = Readonly<Record<string, unknown>>;
const maxInt32 = 2 ** 31 - 1;

type Complain = (code: Code, message: string, more?: Partial<Problem>) => undefined;

function checkRange(
  schema: { minimum?: number; maximum?: number; mayGrow?: true },
  value: number,
  complain: Complain,
): number | undefined {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value >= minimum && value <= maximum) return value;
  const range = maximum === Infinity ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
  const understood = schema.mayGrow && value > maximum && value <= maxInt32;
  complain(
    "TW1205",
    `\`${value}\` is out of range; it must be ${range}`,
    understood ? { readable: true } : {},
  );
  return value;
}

function checkFormat(
  format: Format,
  text: string,
  way: Way,
  at: "key" | "value",
  problems: Problem[],
): string {
  for (const complaint of format.check(text)) problems.push({ path: [...way], at, ...complaint });
  return text;
}

function readMap(
  schema: Extract<Schema, { type: "map" }>,
  value: PlainObject,
  way: Way,
  problems: Problem[],
): PlainObject {
  const read: Record<string, string> = {};
  for (const key of Object.keys(value)) {
    const given = value[key];
    way.push(key);
    checkFormat(schema.keys, key, way, "key", problems);
    if (given === null) {
      // S10.5
      problems.push({
        code: "TW2010",
        path: [...way],
        at: "key",
        message: `\`${key}\` has no value; it is read as an empty string`,
        hint: 'Write `""` if this is intended.',
        readable: true,
      });
      read[key] = "";
    } else if (typeof given === "string")
      read[key] = checkFormat(schema.values, given, way, "value", problems);
    else
      problems.push({
        code: "TW1201",
        path: [...way],
        at: "value",
        message: `expected a string, found ${describe(given)}`,
        ...quoteIt(schema, given),
      });
    way.pop();
  }
  return read;
}

function findDuplicates(items: readonly unknown[], path: Path, problems: Problem[]): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    if (typeof item !== "string" && typeof item !== "number") continue;
    const key = String(item);
    if (seen.has(key))
      problems.push({
        code: "TW1212",
        path: [...path, i],
        at: "value",
        message: `\`${key}\` is a duplicate item of this list`,
        readable: true,
      });
    seen.add(key);
  }
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string")
    return `the string \`${value.length > 40 ? `${value.slice(0, 40)}…` : value}\``;
  if (typeof value === "number") return `the number ${value}`;
  return typeof value === "boolean" ? `\`${value}\`` : "something else";
}

/** `version: 1` and `enabled: yes` are not strings until quoted. */
function quoteIt(schema: Schema, value: unknown): { quote?: true } {
  const wantsText = (schema.type === "string" && schema.values === undefined) || schema.type === "map";
  return wantsText && (typeof value === "number" || typeof value === "boolean") ? { quote: true } : {};
}

function formatChoices(values: readonly string[]): string {
  return values.length === 1 ? `\`${values[0]}\`` : `one of ${names(values, "and")}`;
}

function names(list: readonly string[], word: "and" | "or"): string {
  const quoted = list.map((name) => `\`${name}\``);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} ${word} ${quoted.at(-1)}`;
}

const count = (n: number, noun: string): string => (n === 1 ? `one ${noun}` : `${n} ${noun}s`);
