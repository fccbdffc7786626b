import type { Json } from "@tierwall/core/manifest";
import { type Setting, type SettingPath, settings } from "./settings.js";

/** What is wrong with a value; undefined where nothing is. */
export function problemWith(path: SettingPath, value: Json): string | undefined {
  const setting: Setting = settings[path];
  const { oneOf, atLeast, atMost } = setting;
  if (!isOfKind(setting.is, value)) return `\`${path}\` takes ${kindWords[setting.is]}`;
  if (oneOf !== undefined && !oneOf.includes(value as string))
    return `\`${path}\` is one of ${oneOf.join(", ")}`;
  if (atLeast !== undefined && (value as number) < atLeast) return `\`${path}\` is at least ${atLeast}`;
  if (atMost !== undefined && (value as number) > atMost) return `\`${path}\` is at most ${atMost}`;
  return undefined;
}

/** Short enough for the longest suffix. */
export const namePattern = "^([a-z]([-a-z0-9]{0,38}[a-z0-9])?)?$";

const kindWords: Readonly<Record<Setting["is"], string>> = {
  text: "a text",
  name: "a name of at most 40 lower-case letters, digits and `-` that begins with a letter, or nothing",
  number: "a whole number",
  switch: "true or false",
  list: "a list",
  object: "an object",
};

function isOfKind(kind: Setting["is"], value: Json): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string" && value !== "";
    case "name":
      return typeof value === "string" && new RegExp(namePattern).test(value);
    case "number":
      return Number.isInteger(value);
    case "switch":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
  }
}
