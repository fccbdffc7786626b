import type { Json, JsonObject } from "./json.js";

/** A value in block style, as kubectl writes it: two spaces a level, lists not indented, quotes where they are needed. */
export function toYaml(value: Json, indent = ""): string {
  if (isList(value)) return value.map((item) => `${indent}- ${inline(item, `${indent}  `)}`).join("");
  if (!isObject(value)) return `${indent}${scalar(value)}\n`;
  return Object.entries(value)
    .map(([key, item]) => `${indent}${entry(key, item, indent)}`)
    .join("");
}

/** An item of a list: the first line follows the dash, the others are below it. */
function inline(value: Json, indent: string): string {
  if (isEmpty(value) || !(isList(value) || isObject(value))) return `${scalar(value)}\n`;
  return toYaml(value, indent).slice(indent.length);
}

function entry(key: string, value: Json, indent: string): string {
  const name = text(key);
  if (isEmpty(value) || !(isList(value) || isObject(value))) return `${name}: ${scalar(value)}\n`;
  return `${name}:\n${toYaml(value, isList(value) ? indent : `${indent}  `)}`;
}

function scalar(value: Json): string {
  if (typeof value === "string") return text(value);
  return JSON.stringify(value);
}

/** Plain where nothing else could be meant. */
function text(value: string): string {
  const mistakable = words.has(value.toLowerCase()) || (numberLike.test(value) && !dottedQuad.test(value));
  return plain.test(value) && !mistakable ? value : JSON.stringify(value);
}

const plain = /^[A-Za-z0-9_./][A-Za-z0-9_./@+=-]*(:[A-Za-z0-9_./@+=-]+)*$/;
/** Numbers in any base, dates and times, all of which YAML makes something else of; an address is only text. */
const numberLike = /^[-+.]?\d[\d_.,:]*(e[-+]?\d+)?$|^[-+]?0[box][\da-f_]+$|^\d{4}-\d\d?-\d\d?(t.*)?$/i;
const dottedQuad = /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/;
const words = new Set(["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "."]);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !isList(value);
const isEmpty = (value: Json): boolean =>
  (isList(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);
