import type { JsonObject } from "@tierwall/core/manifest";
import { valueAt } from "./object-fields.js";

/** Whether two versions of a policy mean the same. Annotations count, as some of them decide how a policy is enforced. */
export function hasSameMeaning(a: JsonObject, b: JsonObject): boolean {
  return meaningOf(a) === meaningOf(b);
}

function meaningOf(object: JsonObject): string {
  const annotations = valueAt(object, "metadata", "annotations") ?? {};
  const own = Object.entries(annotations).filter(([key]) => key.startsWith("tierwall.dev/"));
  return JSON.stringify([object.spec, object.specs, own]);
}
