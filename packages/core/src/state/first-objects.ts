import type { Place } from "../diagnostics/place.js";
import type { ManifestObject } from "../manifest/object.js";
import { ownText } from "../manifest/own-text.js";

export type FirstPlace = Pick<Place, "file" | "line">;

/** Where the first object of each name is: a cluster cannot have two (S10.4). */
export class FirstObjects {
  /** By identity. Objects themselves are kept only if their line is unknown. */
  private readonly places = new Map<string, FirstPlace | ManifestObject>();

  /** Where another object of this identity is; undefined for the first, which is recorded. */
  add(object: ManifestObject, identity: string): FirstPlace | undefined {
    const first = this.places.get(identity);
    if (first !== undefined) return "document" in first ? first.document.placeOf(first.path) : first;
    const { document, line } = object;
    this.places.set(ownText(identity), line === undefined ? object : { file: document.file, line });
    return undefined;
  }
}
