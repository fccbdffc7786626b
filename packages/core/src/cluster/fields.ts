import { visible } from "../diagnostics/visible.js";
import { isObject, type Json, type JsonObject } from "../manifest/document.js";

/*
 * Kubernetes' own objects are read leniently: an API server or a generator made them, and a policy tool should not
 * complain about a container's resources. Values of an unexpected type are ignored.
 */

const nothing: JsonObject = {};

export function child(value: Json | undefined, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : nothing;
}

export function items(value: JsonObject, key: string): readonly JsonObject[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** Names and addresses, as they can be shown; an API server accepts no other characters in them. */
export function text(value: JsonObject, key: string): string | undefined {
  const found = value[key];
  return typeof found === "string" && found !== "" ? visible(found) : undefined;
}

export function texts(value: JsonObject, key: string): readonly string[] {
  const found = value[key];
  return Array.isArray(found) ? found.filter((item) => typeof item === "string").map(visible) : [];
}

export function number(value: JsonObject, key: string): number | undefined {
  const found = value[key];
  return typeof found === "number" ? found : undefined;
}

export function protocol(value: JsonObject): "TCP" | "UDP" | "SCTP" {
  const found = value.protocol;
  return found === "UDP" || found === "SCTP" ? found : "TCP";
}
