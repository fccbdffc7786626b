import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { isObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import type { PolicyRef } from "../policy/model.js";
import { adminNetworkPolicyKinds } from "./admin-network-policy/dialect.js";
import { adminShapeOf } from "./admin-shape.js";
import { ciliumKinds } from "./cilium/dialect.js";
import { clusterNetworkPolicyKinds } from "./cluster-network-policy/dialect.js";
import { listedVersions, type PolicyKind, unknownVersion } from "./dialect.js";
import { firstDraftKinds } from "./first-draft/dialect.js";
import { kep2091Kinds } from "./kep-2091/dialect.js";
import { networkPolicyKinds } from "./network-policy/dialect.js";

/** All policy APIs. To add one, add its folder and a line here. */
export const policyKinds: readonly PolicyKind[] = [
  ...networkPolicyKinds,
  ...clusterNetworkPolicyKinds,
  ...adminNetworkPolicyKinds,
  ...kep2091Kinds,
  ...firstDraftKinds,
  ...ciliumKinds,
];

export const isKnownVersion = ({ group, kind, version }: PolicyRef): boolean =>
  policyKinds.some((one) => one.group === group && one.kind === kind && one.versions.includes(version));

/** Former groups of known kinds. */
const formerGroups: Readonly<Record<string, string>> = { NetworkPolicy: "extensions" };

/** Which API an object is of: a kind, an error for a near miss, or undefined for unknown kinds (S10.3). */
export function policyKindOf(object: ManifestObject): PolicyKind | Diagnostic | undefined {
  const sameName = policyKinds.filter((kind) => kind.kind === object.kind);
  if (sameName.length === 0) return undefined;
  // Values files of charts have a `kind` too; an object has metadata, or a spec.
  if (object.apiVersion === "" && !isObject(object.value.metadata) && !isObject(object.value.spec))
    return undefined;
  if (object.apiVersion === "")
    return diagnostic(
      "TW1104",
      `this ${object.kind} has no \`apiVersion\`; it could be ${listedVersions(sameName)}`,
      {
        place: object.document.placeOfKey([...object.path, "kind"]),
        object: object.kind,
      },
    );

  const sameGroup = sameName.filter((kind) => kind.group === groupOf(object));
  // S4.4: two APIs share one name, and only the shape of the subject distinguishes them. An unknown version is
  // the reader's concern: it is an error in a file, and a newer API in a cluster (S3.10).
  if (sameGroup.length > 1)
    return sameGroup.find((kind) => (kind.dialect === "kep-2091") === (adminShapeOf(object.value) === "kep"));
  if (sameGroup[0] !== undefined) return sameGroup[0];

  const former = sameName.filter((kind) => formerGroups[kind.kind] === groupOf(object));
  if (former.length === 0) return undefined;
  return diagnostic("TW1105", unknownVersion(object.apiVersion, former), {
    place: object.document.placeOf([...object.path, "apiVersion"]),
    object: object.kind,
    path: ["apiVersion"],
  });
}

const groupOf = ({ apiVersion }: ManifestObject): string =>
  apiVersion.includes("/") ? apiVersion.split("/", 1)[0]! : "";
