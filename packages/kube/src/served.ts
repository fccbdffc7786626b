import type { IncomingMessage } from "node:http";
import { isObject, type JsonObject } from "@tierwall/core";
import type { WatchedKind } from "./kinds.js";
import { textOf } from "./list-pages.js";

/**
 * Whether a kind is served at all. Who may not list it is told that it is forbidden, also where there is no such kind; but
 * everybody may ask what there is.
 */
export async function isServed(
  get: (path: string) => Promise<IncomingMessage>,
  { group, plural }: WatchedKind,
  version: string,
): Promise<boolean> {
  const response = await get(`/apis/${group}/${version}`);
  const text = await textOf(response);
  if (response.statusCode === 404) return false;
  // Who may not even ask that takes it that there may be some.
  if (response.statusCode !== 200) return true;
  const { resources } = JSON.parse(text) as JsonObject;
  return Array.isArray(resources) && resources.some((one) => isObject(one) && one.name === plural);
}
