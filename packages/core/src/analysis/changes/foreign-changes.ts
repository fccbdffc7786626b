import type { Place } from "../../diagnostics/place.js";
import { type ForeignObject, formatForeign } from "../../foreign/object.js";
import type { Json } from "../../manifest/document.js";
import { formatPolicy } from "../../policy/model.js";
import { sameValue } from "../../state/live/same-value.js";

/** An object that is not evaluated and is not the same in both states: what it allows and denies may be different (S9.3). */
export interface ForeignChange {
  /** `Calico GlobalNetworkPolicy guard`. */
  readonly object: string;
  readonly change: "added" | "changed" | "removed";
  readonly place: Place | undefined;
}

/** Verdicts do not show these changes: they are Undecided before and after. */
export function foreignChanges(
  before: readonly ForeignObject[],
  after: readonly ForeignObject[],
): readonly ForeignChange[] {
  const [old, now] = [byName(before), byName(after)];
  const found = [...now].flatMap(([name, object]): ForeignChange[] => {
    const known = old.get(name);
    if (known === undefined) return [changeOf(object, "added")];
    return sameValue(contentOf(known), contentOf(object)) ? [] : [changeOf(object, "changed")];
  });
  const removed = [...old].filter(([name]) => !now.has(name));
  return [...found, ...removed.map(([, object]) => changeOf(object, "removed"))];
}

/** Others refer to those without an effect of their own; what is staged changes nothing. */
const byName = (objects: readonly ForeignObject[]): ReadonlyMap<string, ForeignObject> =>
  new Map(
    objects
      .filter(({ kind }) => kind.effect.kind !== "inert")
      .map((object) => [`${object.kind.group} ${formatPolicy(object.policy)}`, object]),
  );

/** Without what an API server or a version of the API adds. */
function contentOf({ object: { value } }: ForeignObject): Json {
  const { apiVersion: _version, metadata: _metadata, status: _status, ...content } = value;
  return content;
}

const changeOf = (object: ForeignObject, change: ForeignChange["change"]): ForeignChange => ({
  object: formatForeign(object),
  change,
  place: object.policy.place(),
});
