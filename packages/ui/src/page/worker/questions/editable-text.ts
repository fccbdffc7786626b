import {
  isObject,
  type Json,
  type JsonObject,
  type ManifestObject,
  writeYaml,
} from "@tierwall/core/manifest";
import { objectAround } from "./lines.js";

/** An object as a text to edit: as it was written, or printed where that is JSON or a part of a list. */
export function editableText(object: ManifestObject, text: string | undefined): string {
  const { document, path } = object;
  if (text === undefined || path.length > 0 || /^\s*[[{]/.test(text)) return printed(object);
  const lines = text.split("\n");
  const [first, last] = objectAround(lines, document.placeOf(path).line);
  return `${lines
    .slice(first - 1, last)
    .join("\n")
    .trimEnd()}\n`;
}

/** Without the fields that API servers add. */
function printed({ value }: ManifestObject): string {
  const { metadata, ...rest } = value;
  const kept = isObject(metadata) ? writtenMetadata(metadata) : {};
  const { apiVersion, kind, ...others } = Object.fromEntries(
    Object.entries(rest).filter(([field]) => field !== "status"),
  );
  return writeYaml([
    { value: { apiVersion: apiVersion!, kind: kind!, metadata: kept, ...others }, comments: [] },
  ]);
}

const ofServers = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

const writtenMetadata = (metadata: JsonObject): Json =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => !ofServers.includes(key)));
