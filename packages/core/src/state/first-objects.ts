import type { Place } from "../diagnostics/place.js";
import { isObject, type Json } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { ownText } from "../manifest/own-text.js";
import { familyOf, type ObjectKind } from "./object-kind.js";

export type FirstPlace = Pick<Place, "file" | "line">;

/** Where the first object of each name stands: a cluster could not hold two (S10.4). */
export class FirstObjects {
  /** By family, then by name: what is read together lies together. Objects themselves are kept only where their line is not known. */
  private readonly families = new Map<string, Family>();
  /** Of the cluster itself: in a snapshot, objects of a kind and a namespace follow each other. */
  private latest: Latest | undefined;

  /** Where another of this identity stands; undefined for the first, which is remembered, and for what has no identity. */
  add(object: ManifestObject, kind: ObjectKind): FirstPlace | undefined {
    const { metadata } = object.value;
    const family = isObject(metadata) ? this.familyOf(object, kind, metadata.namespace) : undefined;
    const name = isObject(metadata) ? metadata.name : undefined;
    if (family === undefined || typeof name !== "string") return undefined;
    const first = family.objects.get(name);
    if (first !== undefined) return placeOf(first, family);
    family.objects.set(ownText(name), objectIn(family, object));
    return undefined;
  }

  private familyOf(
    object: ManifestObject,
    what: ObjectKind,
    namespace: Json | undefined,
  ): Family | undefined {
    const { apiVersion, kind } = object;
    const latest = what.what === "cluster" ? this.latest : undefined;
    if (latest?.kind === kind && latest.apiVersion === apiVersion && latest.namespace === namespace)
      return latest.family;
    const text = familyOf(object, what);
    if (text === undefined) return undefined;
    const family = this.families.get(text) ?? {
      file: object.document.file,
      objects: new Map<string, First>(),
    };
    this.families.set(ownText(text), family);
    if (what.what === "cluster") this.latest = { apiVersion, kind, namespace, family };
    return family;
  }
}

/** Where the first stands: the line in the file of its family, a place in another, or whoever can tell. */
type First = number | FirstPlace | ManifestObject;

interface Family {
  /** Of the first object; mostly all are in one. */
  readonly file: string;
  readonly objects: Map<string, First>;
}

interface Latest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: Json | undefined;
  readonly family: Family;
}

function objectIn(family: Family, object: ManifestObject): First {
  const {
    document: { file },
    line,
  } = object;
  if (line === undefined) return object;
  return file === family.file ? line : { file, line };
}

function placeOf(first: First, { file }: Family): FirstPlace {
  if (typeof first === "number") return { file, line: first };
  return "document" in first ? first.document.placeOf(first.path) : first;
}
