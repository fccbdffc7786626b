import { visible } from "../diagnostics/visible.js";
import { isObject, type Json, type JsonObject } from "../manifest/document.js";

/*
 * Kubernetes' own objects are read leniently: an API server or a generator made them, and nobody wants a policy tool to
 * complain about a container's resources. What is not of the expected type is as if absent.
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

/** Names and addresses, as they can be shown; what else is in them, no API server accepts. */
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
