import { type Diagnostic, diagnostic } from "../diagnostics/diagnostic.js";
import { isObject } from "../manifest/document.js";
import type { ManifestObject } from "../manifest/object.js";
import { adminNetworkPolicyKinds } from "./admin-network-policy/dialect.js";
import { adminShapeOf } from "./admin-shape.js";
import { ciliumKinds } from "./cilium/dialect.js";
import { clusterNetworkPolicyKinds } from "./cluster-network-policy/dialect.js";
import type { PolicyKind } from "./dialect.js";
import { firstDraftKinds } from "./first-draft/dialect.js";
import { kep2091Kinds } from "./kep-2091/dialect.js";
import { networkPolicyKinds } from "./network-policy/dialect.js";

/** Every policy API there is. Adding one is adding its folder and a line here. */
export const policyKinds: readonly PolicyKind[] = [
  ...networkPolicyKinds,
  ...clusterNetworkPolicyKinds,
  ...adminNetworkPolicyKinds,
  ...kep2091Kinds,
  ...firstDraftKinds,
  ...ciliumKinds,
];

/** Groups that once served a kind of ours. */
const formerGroups: Readonly<Record<string, string>> = { NetworkPolicy: "extensions" };

/** Which API an object is of: a kind, an error for one that only nearly is, or undefined for what is not ours (S10.3). */
export function policyKindOf(object: ManifestObject): PolicyKind | Diagnostic | undefined {
  const sameName = policyKinds.filter((kind) => kind.kind === object.kind);
  if (sameName.length === 0) return undefined;
  // Values files of charts have a `kind` too; an object has metadata, or a spec.
  if (object.apiVersion === "" && !isObject(object.value.metadata) && !isObject(object.value.spec))
    return undefined;
  if (object.apiVersion === "")
    return diagnostic(
      "TW1104",
      `this ${object.kind} has no \`apiVersion\`; it could be ${listed(sameName)}`,
      {
        place: object.document.placeOfKey([...object.path, "kind"]),
        object: object.kind,
      },
    );

  const [group, version] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/", 2)
    : ["", object.apiVersion];
  const exact = sameName.filter((kind) => kind.group === group && kind.version === version);
  // S4.4: two APIs share one name, and only the shape of the subject tells them apart.
  if (exact.length > 1)
    return exact.find((kind) => (kind.dialect === "kep-2091") === (adminShapeOf(object.value) === "kep"));
  if (exact[0] !== undefined) return exact[0];

  const sameGroup = sameName.filter((kind) => kind.group === group || formerGroups[kind.kind] === group);
  if (sameGroup.length === 0) return undefined;
  return diagnostic(
    "TW1105",
    `\`${object.apiVersion}\` is not a known version of ${object.kind}; known is ${listed(sameGroup)}`,
    {
      place: object.document.placeOf([...object.path, "apiVersion"]),
      object: object.kind,
      path: ["apiVersion"],
    },
  );
}

function listed(kinds: readonly PolicyKind[]): string {
  return [...new Set(kinds.map((kind) => `\`${kind.group}/${kind.version}\``))].join(" or ");
}
