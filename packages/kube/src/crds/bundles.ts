import { dialects, type JsonObject, type ObjectSchema, type PolicyKind } from "@tierwall/core/manifest";
import { guaranteeSchema } from "@tierwall/core/prove";
import { guaranteeKind } from "../cluster/kinds.js";
import { yamlText } from "../install/manifest-text.js";
import { type Definition, definitionOf, type Naming } from "./definition.js";
import { guaranteeStatus } from "./status.js";

/**
 * What is installed together. `guarantees` is always installed, with the released kinds. Both opt-in bundles are of drafts; that of KEP-2091
 * replaces a released kind.
 */
export type BundleName = PolicyBundle | "guarantees";

type PolicyBundle = "released" | "first-draft" | "kep-2091";

type Dialect = PolicyKind["dialect"];

/** Later releases of the network-policy-api project have ClusterNetworkPolicy instead. */
const lastAdminRelease = "v0.1.7";

/** Conditions that `kubectl get` shows of every policy. */
const ofPolicies = ["Accepted", "Programmed"] as const;

const bundles: Readonly<Record<PolicyBundle, readonly (readonly [Dialect, kind: string, Naming])[]>> = {
  released: [
    [
      "cluster-network-policy",
      "ClusterNetworkPolicy",
      { shortNames: ["cnp"], columns: ["tier", "priority", ...ofPolicies], bundle: "v0.2.0" },
    ],
    [
      "admin-network-policy",
      "AdminNetworkPolicy",
      { shortNames: ["anp"], columns: ["priority", ...ofPolicies], bundle: lastAdminRelease },
    ],
    [
      "admin-network-policy",
      "BaselineAdminNetworkPolicy",
      { shortNames: ["banp"], columns: ofPolicies, bundle: lastAdminRelease },
    ],
  ],
  "first-draft": [
    ["first-draft", "ClusterNetworkPolicy", { shortNames: ["draftcnp"], columns: ofPolicies }],
    [
      "first-draft",
      "ClusterDefaultNetworkPolicy",
      // S6.5: keys with nothing after them isolate, but `kubectl apply` takes them out before it sends anything. A policy
      // that lost both would be accepted without a warning, and isolate no pods.
      { shortNames: ["cdnp"], columns: ofPolicies, specHasOneOf: ["ingress", "egress"] },
    ],
  ],
  "kep-2091": [
    ["kep-2091", "AdminNetworkPolicy", { shortNames: ["anp"], columns: ["priority", ...ofPolicies] }],
  ],
};

/** Of a kind with several spellings, the first: the one that is released. */
export function definitionsOf(bundle: BundleName): readonly Definition[] {
  if (bundle === "guarantees") return [guaranteeDefinition];
  return bundles[bundle].map(([dialect, name, naming]) => {
    const kind = dialects.find((one) => one.dialect === dialect && one.kind === name)!;
    return definitionOf(kind, kind.spellings[0].schema, naming);
  });
}

const guaranteeDefinition = definitionOf(
  { ...guaranteeKind, versions: ["v1"], scope: "Cluster" },
  guaranteeSchema as ObjectSchema,
  { columns: ["Holds", "verdict"], status: guaranteeStatus },
);

/** The files of deploy/crds, text by path: what is always installed at its top, each opt-in bundle in a folder of its own. */
export function definitionFiles(): Readonly<Record<string, string>> {
  const all: readonly BundleName[] = ["released", "guarantees", "first-draft", "kep-2091"];
  const files = all.flatMap((bundle) =>
    definitionsOf(bundle).map((definition) => {
      const { group, names } = definition.spec;
      const folder = bundle === "released" || bundle === "guarantees" ? "" : `${bundle}/`;
      const text = yamlText([definition as unknown as JsonObject], { lineWidth: 110 });
      return [`${folder}${group}_${names.plural}.yaml`, text];
    }),
  );
  return Object.fromEntries(files) as Record<string, string>;
}
