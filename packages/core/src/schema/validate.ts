import { given } from "../diagnostics/given.js";
import type { Path } from "../diagnostics/place.js";
import { didYouMean, misspellingOf, suggest } from "../diagnostics/suggest.js";
import type { Code } from "../diagnostics/table.js";
import { isObject } from "../manifest/document.js";
import type {
  Constraint,
  Format,
  MapSchema,
  ObjectSchema,
  Problem,
  Schema,
  Static,
  StringSchema,
} from "./schema.js";

export interface Validated<T> {
  /** Valid only where `problems` has nothing at or below the part that is used. */
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** Compares a value with its schema; nulls are dropped, null labels become empty, everything wrong is listed at once. */
export function validate<S extends Schema>(schema: S, value: unknown, path: Path = []): Validated<Static<S>> {
  const reader = new Reader([...path]);
  return { value: reader.value(schema, value) as Static<S>, problems: reader.problems };
}

type PlainObject = Readonly<Record<string, unknown>>;

class Reader {
  readonly problems: Problem[] = [];

  /** `way` is the path of the value that is being read: one list for all, which is copied into problems. */
  constructor(private readonly way: (string | number)[]) {}

  value(schema: Schema, value: unknown): unknown {
    switch (schema.type) {
      case "any":
        return value;
      case "boolean":
        if (typeof value !== "boolean") return this.wrongType("true or false", schema, value);
        if (schema.only && !value)
          this.complain("TW1405", "`false` is not allowed here; remove the field, or set it to `true`");
        return schema.only && !value ? undefined : value;
      case "integer":
        if (typeof value !== "number" || !Number.isInteger(value))
          return this.wrongType("a whole number", schema, value);
        return this.inRange(schema, value);
      case "int-or-string":
        if (typeof value === "number" && Number.isInteger(value)) return this.inRange(schema, value);
        if (typeof value !== "string") return this.wrongType(schema.expected, schema, value);
        return this.inFormat(schema.format, value);
      case "string":
        return this.text(schema, value);
      case "list":
        if (!Array.isArray(value)) return this.wrongType("a list", schema, value);
        if (schema.minItems !== undefined && value.length < schema.minItems)
          this.complain("TW1206", `the list is empty; it needs at least ${count(schema.minItems, "item")}`);
        if (schema.maxItems !== undefined && value.length > schema.maxItems)
          this.complain(
            "TW1207",
            `the list has ${value.length} items; at most ${schema.maxItems} are allowed`,
            {
              readable: true,
            },
          );
        if (schema.set) this.findDuplicates(value);
        return value.map((item: unknown, i) => this.inside(i, schema.items, item));
      case "map":
        return isObject(value)
          ? this.map(schema, value)
          : this.wrongType("a mapping of keys to strings", schema, value);
      case "object":
        return isObject(value)
          ? this.object(schema, value)
          : this.wrongType(`${schema.title} (an object)`, schema, value);
    }
  }

  private complain(code: Code, message: string, more: Partial<Problem> = {}): void {
    this.problems.push({ code, path: [...this.way], at: "value", message, ...more });
  }

  private wrongType(expected: string, schema: Schema, value: unknown): undefined {
    this.complain("TW1201", `expected ${expected}, found ${describe(value)}`, quoteIt(schema, value));
  }

  private inside(step: string | number, schema: Schema, value: unknown): unknown {
    this.way.push(step);
    const read = this.value(schema, value);
    this.way.pop();
    return read;
  }

  private text(schema: StringSchema, value: unknown): unknown {
    const { values, maxLength, format } = schema;
    if (typeof value !== "string")
      return this.wrongType(values ? formatChoices(values) : "a string", schema, value);
    if (values && !values.includes(value)) {
      this.complain("TW1203", `\`${value}\` is not ${formatChoices(values)}${didYouMean(value, values)}`);
      return undefined;
    }
    if (maxLength !== undefined && value.length > maxLength)
      this.complain("TW1208", `the string has ${value.length} characters; at most ${maxLength} are allowed`, {
        readable: true,
      });
    return format ? this.inFormat(format, value) : value;
  }

  private inRange(schema: { minimum?: number; maximum?: number; mayGrow?: true }, value: number): number {
    const { minimum = -Infinity, maximum = Infinity } = schema;
    if (value >= minimum && value <= maximum) return value;
    const range = maximum === Infinity ? `at least ${minimum}` : `from ${minimum} to ${maximum}`;
    const understood = schema.mayGrow && value > maximum && value <= maxInt32;
    const more: Partial<Problem> = understood ? { readable: true } : {};
    this.complain("TW1205", `\`${value}\` is out of range; it must be ${range}`, more);
    return value;
  }

  private inFormat(format: Format, text: string, at: "key" | "value" = "value"): string {
    for (const complaint of format.check(text)) this.problems.push({ path: [...this.way], at, ...complaint });
    return text;
  }

  private object(schema: ObjectSchema, value: PlainObject): PlainObject {
    const read: Record<string, unknown> = {};
    const unknown: string[] = [];
    for (const key of Object.keys(value)) {
      const given = value[key];
      const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
      if (field === undefined) {
        if (schema.open && misspellingOf(key, absentFields(schema, value)) === undefined) continue;
        unknown.push(key);
        this.complain(
          "TW1204",
          `unknown field \`${key}\` in ${schema.title}${didYouMean(key, Object.keys(schema.fields))}`,
          {
            path: [...this.way, key],
            at: "key",
            hint: schema.ifDropped ?? "A cluster drops the field or rejects the object.",
          },
        );
      } else if (given !== null) read[key] = this.inside(key, field, given);
      else if (field.nullable) read[key] = null;
    }
    for (const key of Object.keys(schema.fields)) {
      const field = schema.fields[key]!;
      if (!field.required || (value[key] !== undefined && value[key] !== null)) continue;
      // The misspelled field has been reported, with this field as the suggestion.
      if (unknown.some((found) => suggest(found, [key]) === key)) continue;
      this.complain("TW1202", `\`${key}\` is missing; it is required in ${schema.title}`, {
        at: "key",
        ...given({ readable: field.lenient }),
      });
    }
    for (const constraint of schema.constraints ?? [])
      this.check(constraint, schema.title, read, unknown.length > 0);
    return read;
  }

  private check(constraint: Constraint, title: string, value: PlainObject, hasUnknown: boolean): void {
    if (constraint.kind === "custom") {
      for (const found of constraint.check(value))
        this.problems.push({ at: "value", ...found, path: [...this.way, ...found.path] });
      return;
    }
    const { code } = constraint;
    const hint = given({ hint: constraint.hint });
    if (constraint.kind === "needs") {
      const { field, needs } = constraint;
      if (value[field] === undefined || needs.some((key) => value[key] !== undefined)) return;
      const path = [...this.way, field];
      const message = `\`${field}\` requires ${names(needs, "or")}`;
      this.complain(code ?? "TW1211", message, { path, at: "key", ...hint });
      return;
    }
    const { kind, of } = constraint;
    const set = of.filter((key) => Object.hasOwn(value, key));
    // An unknown field may be the one that was meant; it has been reported.
    if (set.length === 0 && kind !== "at-most-one" && !hasUnknown)
      this.complain(
        code ?? "TW1209",
        `${title} needs ${kind === "exactly-one" ? "exactly one" : "at least one"} of ${names(of, "and")}; none is set`,
        hint,
      );
    if (set.length > 1 && kind !== "at-least-one")
      this.complain(
        code ?? (kind === "exactly-one" ? "TW1209" : "TW1210"),
        `${names(set, "and")} are mutually exclusive in ${title}; keep one`,
        { path: [...this.way, set[1]!], at: "key" },
      );
  }

  private map(schema: MapSchema, value: PlainObject): PlainObject {
    const read: Record<string, string> = {};
    for (const key of Object.keys(value)) {
      const given = value[key];
      this.way.push(key);
      this.inFormat(schema.keys, key, "key");
      if (typeof given === "string") read[key] = this.inFormat(schema.values, given);
      else if (given !== null) this.wrongType("a string", schema, given);
      else {
        // S10.5
        this.complain("TW2010", `\`${key}\` has no value; it is read as an empty string`, {
          at: "key",
          hint: 'Write `""` if this is intended.',
          readable: true,
        });
        read[key] = "";
      }
      this.way.pop();
    }
    return read;
  }

  private findDuplicates(items: readonly unknown[]): void {
    const seen = new Set<string>();
    for (const [i, item] of items.entries()) {
      if (typeof item !== "string" && typeof item !== "number") continue;
      const key = String(item);
      if (seen.has(key))
        this.complain("TW1212", `\`${key}\` is a duplicate item of this list`, {
          path: [...this.way, i],
          readable: true,
        });
      seen.add(key);
    }
  }
}

const maxInt32 = 2 ** 31 - 1;

const absentFields = (schema: ObjectSchema, value: PlainObject): readonly string[] =>
  Object.keys(schema.fields).filter((name) => !Object.hasOwn(value, name));

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
