import { dialects, type JsonObject, type PolicyKind } from "@tierwall/core/manifest";
import { yamlText } from "../install/manifest-text.js";
import { type Definition, definitionOf, type Naming } from "./definition.js";

/** What is installed together. Both opt-in bundles are of drafts; that of KEP-2091 takes the place of a released kind. */
export type BundleName = "released" | "first-draft" | "kep-2091";

type Dialect = PolicyKind["dialect"];

/** Later releases of the network-policy-api project have ClusterNetworkPolicy instead. */
const lastAdminRelease = "v0.1.7";

const bundles: Readonly<Record<BundleName, readonly (readonly [Dialect, kind: string, Naming])[]>> = {
  released: [
    [
      "cluster-network-policy",
      "ClusterNetworkPolicy",
      { shortNames: ["cnp"], columns: ["tier", "priority"], bundle: "v0.2.0" },
    ],
    [
      "admin-network-policy",
      "AdminNetworkPolicy",
      { shortNames: ["anp"], columns: ["priority"], bundle: lastAdminRelease },
    ],
    [
      "admin-network-policy",
      "BaselineAdminNetworkPolicy",
      { shortNames: ["banp"], columns: [], bundle: lastAdminRelease },
    ],
  ],
  "first-draft": [
    ["first-draft", "ClusterNetworkPolicy", { shortNames: ["draftcnp"], columns: [] }],
    [
      "first-draft",
      "ClusterDefaultNetworkPolicy",
      // S6.5: keys with nothing after them isolate, but `kubectl apply` takes them out before it sends anything. A policy
      // that lost both would be taken without a word, and isolate nobody.
      { shortNames: ["cdnp"], columns: [], specHasOneOf: ["ingress", "egress"] },
    ],
  ],
  "kep-2091": [["kep-2091", "AdminNetworkPolicy", { shortNames: ["anp"], columns: ["priority"] }]],
};

/** Of a kind with several spellings, the first: the one that is released. */
export function definitionsOf(bundle: BundleName): readonly Definition[] {
  return bundles[bundle].map(([dialect, name, naming]) => {
    const kind = dialects.find((one) => one.dialect === dialect && one.kind === name)!;
    return definitionOf(kind, kind.spellings[0].schema, naming);
  });
}

/** The files of deploy/crds, text by path: the released kinds at its top, each opt-in bundle in a folder of its own. */
export function definitionFiles(): Readonly<Record<string, string>> {
  const files = (Object.keys(bundles) as BundleName[]).flatMap((bundle) =>
    definitionsOf(bundle).map((definition) => {
      const { group, names } = definition.spec;
      const folder = bundle === "released" ? "" : `${bundle}/`;
      const text = yamlText([definition as unknown as JsonObject], { lineWidth: 110 });
      return [`${folder}${group}_${names.plural}.yaml`, text];
    }),
  );
  return Object.fromEntries(files) as Record<string, string>;
}
