import { isObject, parseManifest } from "@tierwall/core/manifest";
import { writtenText } from "./bounded-input.js";

/** Defaults for the command's options; they lie among manifests, and are none. */
export const configName = "tierwall.yaml";

/** A manifest may have the same name, as that of Tierwall itself: it has a kind, and defaults have none. */
export function isConfig(path: string): boolean {
  try {
    return isConfigText(writtenText(path));
  } catch {
    // A folder of that name, or one that may not be read: reading it reports the error.
    return false;
  }
}

export function isConfigText(text: string): boolean {
  const { documents } = parseManifest(text, configName);
  return !documents.some(({ value }) => isObject(value) && ("kind" in value || "apiVersion" in value));
}
