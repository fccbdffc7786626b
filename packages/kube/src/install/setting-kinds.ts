import { isObject, type Json, type JsonObject } from "@tierwall/core/manifest";
import { type Setting, type SettingPath, settings } from "./settings.js";

interface SettingKind {
  /** For messages. */
  readonly words: string;
  /** For Helm, as JSON Schema. */
  readonly schema: JsonObject;
  readonly fits: (value: Json) => boolean;
}

/** Short enough for the longest suffix. */
const namePattern = "^([a-z]([-a-z0-9]{0,38}[a-z0-9])?)?$";

export const settingKinds: Readonly<Record<Setting["is"], SettingKind>> = {
  text: {
    words: "a text",
    schema: { type: "string", minLength: 1 },
    fits: (value) => typeof value === "string" && value !== "",
  },
  name: {
    words: "a name of at most 40 lower-case letters, digits and `-` that begins with a letter, or nothing",
    schema: { type: "string", pattern: namePattern },
    fits: (value) => typeof value === "string" && new RegExp(namePattern).test(value),
  },
  number: { words: "a whole number", schema: { type: "integer" }, fits: Number.isInteger },
  switch: {
    words: "true or false",
    schema: { type: "boolean" },
    fits: (value) => typeof value === "boolean",
  },
  list: { words: "a list", schema: { type: "array" }, fits: Array.isArray },
  object: { words: "an object", schema: { type: "object" }, fits: isObject },
};

/** What is wrong with a value; undefined where nothing is. */
export function problemWith(path: SettingPath, value: Json): string | undefined {
  const { is, oneOf, atLeast, atMost } = settings[path];
  const { words, fits } = settingKinds[is];
  if (!fits(value)) return `\`${path}\` takes ${words}`;
  if (oneOf !== undefined && !oneOf.includes(value as string))
    return `\`${path}\` is one of ${oneOf.join(", ")}`;
  if (atLeast !== undefined && (value as number) < atLeast) return `\`${path}\` is at least ${atLeast}`;
  if (atMost !== undefined && (value as number) > atMost) return `\`${path}\` is at most ${atMost}`;
  return undefined;
}
