import { isObject, type JsonObject } from "../../manifest/document.js";

/** The object on a line, or what is wrong with it. */
export function objectOn(line: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : "it is not a JSON object";
  } catch {
    return "it is not JSON";
  }
}
