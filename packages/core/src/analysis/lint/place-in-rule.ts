import type { Path, Place } from "../../diagnostics/place.js";
import { isObject, type Json } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import type { RuleOrigin } from "../../policy/model.js";

/** Where the first part of a rule stands that is meant, and the way to it. */
export interface PartOfRule {
  readonly place: Place;
  readonly path: Path;
}

/** Looks through a rule as it was written; `fits` is asked about each value and the key it stands under. */
export function partOfRule(
  object: ManifestObject,
  origin: RuleOrigin,
  fits: (value: Json, key: string | number) => boolean,
): PartOfRule | undefined {
  const path = stepsOf(origin.path);
  const rule = path.reduce<Json | undefined>(step, object.value);
  const inside = rule === undefined ? undefined : find(rule, fits);
  if (inside === undefined) return undefined;
  const full = [...path, ...inside];
  // A single value is shown itself; of a list or an object, the word that it stands under.
  const at = [...object.path, ...full];
  const isSingle =
    typeof step(inside.slice(0, -1).reduce<Json | undefined>(step, rule), inside.at(-1)!) !== "object";
  return {
    place: isSingle ? object.document.placeOf(at) : object.document.placeOfKey(at),
    path: full,
  };
}

/** `specs[1].egressDeny[0]`: such paths have no other keys than plain words. */
export function stepsOf(path: string): Path {
  return path
    .split(/[.[\]]+/)
    .flatMap((part) => (part === "" ? [] : /^\d+$/.test(part) ? Number(part) : part));
}

function step(value: Json | undefined, key: string | number): Json | undefined {
  if (typeof key === "number") return Array.isArray(value) ? (value[key] as Json | undefined) : undefined;
  return isObject(value) ? value[key] : undefined;
}

function find(value: Json, fits: (value: Json, key: string | number) => boolean): Path | undefined {
  const entries: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? [...(value as readonly Json[]).entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, inner] of entries) {
    if (fits(inner, key)) return [key];
    const below = find(inner, fits);
    if (below !== undefined) return [key, ...below];
  }
  return undefined;
}
