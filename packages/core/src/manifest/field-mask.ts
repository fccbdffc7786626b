import { isObject, type Json, type JsonObject } from "./document.js";

/** Some fields of an object, and which of theirs; of a list, those of each item. */
export interface FieldMask {
  readonly [field: string]: FieldMask | "all";
}

/** An object with these fields alone. */
export function pickFields(value: JsonObject, mask: FieldMask): JsonObject {
  const picked: Record<string, Json> = {};
  for (const [field, inner] of Object.entries(mask)) {
    const found = value[field];
    if (found !== undefined) picked[field] = inner === "all" ? found : inside(found, inner);
  }
  return picked;
}

function inside(value: Json, mask: FieldMask): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inside(item, mask));
  return isObject(value) ? pickFields(value, mask) : value;
}
