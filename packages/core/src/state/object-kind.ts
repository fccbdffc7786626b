import { clusterKinds, clusterScopeOf, isClusterKind } from "../cluster/identity.js";
import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { misspellingOf } from "../diagnostics/suggest.js";
import { apiVersionsOf, type PolicyKind } from "../dialects/dialect.js";
import { policyKindOf, policyKinds } from "../dialects/registry.js";
import { type ForeignKind, foreignKindOf } from "../foreign/kinds.js";
import { isObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { snapshotKind } from "./snapshot/snapshot-kind.js";
import { isTestKind } from "./test-kind.js";

/** How an object is treated. */
export type ObjectKind =
  | { readonly what: "cluster" }
  | { readonly what: "policy"; readonly kind: PolicyKind }
  /** A policy API that is recognised and not evaluated (S9.3). */
  | { readonly what: "foreign"; readonly kind: ForeignKind }
  /** A near miss of a known kind, and so a mistake. */
  | { readonly what: "mistaken"; readonly diagnostic: Diagnostic }
  /** Known, but not part of a state: assertions next to the policies. */
  | { readonly what: "test" }
  /** Known, and lists what is missing in the input. */
  | { readonly what: "snapshot" }
  /** Unknown: counted (S10.3). */
  | { readonly what: "other" };

const ofCluster: ObjectKind = { what: "cluster" };

export function kindOf(object: ManifestObject): ObjectKind {
  if (isClusterKind(object)) return ofCluster;
  const policy = policyKindOf(object);
  if (policy !== undefined)
    return "code" in policy ? { what: "mistaken", diagnostic: policy } : { what: "policy", kind: policy };
  const foreign = foreignKindOf(object.apiVersion, object.kind);
  if (foreign !== undefined) return { what: "foreign", kind: foreign };
  if (isTestKind(object)) return { what: "test" };
  if (object.apiVersion === snapshotKind.apiVersion && object.kind === snapshotKind.kind)
    return { what: "snapshot" };
  const mistake = nearMiss(object);
  return mistake === undefined ? { what: "other" } : { what: "mistaken", diagnostic: mistake };
}

/** A known kind except for case, plural or one letter, or without its apiVersion: an error, as in a cluster. */
function nearMiss(object: ManifestObject): Diagnostic | undefined {
  // Most objects are not near misses: finding their place may take longer than reading them.
  const about = () => ({
    place: object.document.placeOf([...object.path, "kind"]),
    object: object.kind,
    path: ["kind"],
  });
  const known = [
    ...Object.keys(clusterKinds),
    ...policyKinds.flatMap((kind) => apiVersionsOf(kind).map((apiVersion) => `${apiVersion} ${kind.kind}`)),
  ].map((text) => text.split(" ") as [apiVersion: string, kind: string]);
  const candidates = known.filter(([apiVersion]) => apiVersion === object.apiVersion).map(([, kind]) => kind);
  const meant =
    candidates.find((kind) => fold(kind) === fold(object.kind)) ?? misspellingOf(object.kind, candidates);
  if (meant !== undefined)
    return diagnostic(
      "TW1107",
      `\`${object.kind}\` is not a kind of \`${object.apiVersion}\`; did you mean \`${meant}\`?`,
      about(),
    );
  // Values files of charts have a `kind` too; an object has metadata.
  const unversioned =
    object.apiVersion === "" && isObject(object.value.metadata)
      ? known.find(([, kind]) => kind === object.kind)
      : undefined;
  if (unversioned === undefined) return undefined;
  return diagnostic(
    "TW1104",
    `this ${object.kind} has no \`apiVersion\`; it should be \`${unversioned[0]}\``,
    about(),
  );
}

const fold = (kind: string): string => kind.toLowerCase().replace(/ies$/, "y").replace(/s$/, "");

/** `group kind namespace/name`, equal for two objects that cannot both be in a cluster (S10.4). */
export function identityOf(object: ManifestObject, kind: ObjectKind): string | undefined {
  if (kind.what !== "cluster" && kind.what !== "policy" && kind.what !== "foreign") return undefined;
  const { name, namespace } = isObject(object.value.metadata) ? object.value.metadata : {};
  if (typeof name !== "string") return undefined;
  const group = object.apiVersion.includes("/") ? object.apiVersion.split("/")[0]! : "core";
  const scope = kind.what === "cluster" ? clusterScopeOf(object.apiVersion, object.kind) : kind.kind.scope;
  const home = typeof namespace === "string" ? namespace : "default";
  return `${group} ${object.kind} ${scope === "Namespaced" ? `${home}/` : ""}${name}`;
}

/** `NetworkPolicy shop/web`, of `networking.k8s.io NetworkPolicy shop/web`. */
export const calledIn = (identity: string): string => identity.slice(identity.indexOf(" ") + 1);
