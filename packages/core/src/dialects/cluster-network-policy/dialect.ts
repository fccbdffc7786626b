import { child, items } from "../../cluster/fields.js";
import type { JsonObject } from "../../manifest/document.js";
import { type PolicyKind, type Spelling, spelling } from "../dialect.js";
import { lowerReleasedPolicy, lowerSeedPolicy } from "./lower.js";
import { releasedPolicy, seedPolicy } from "./schema.js";

const mixing = (here: string, there: string) => (word: string) =>
  `\`${word}\` belongs to ClusterNetworkPolicy ${there}, but the rest of this document is ${here}; ` +
  "use one spelling in the whole document";

const releasedTitle = "as released in v0.2.0 (`tier: Admin`, `action: Accept`, `protocols`)";
const seedTitle = "as in NPEP-285 (`tier: admin`, `action: Allow`, `ports`)";

const released = spelling({
  title: "as released in v0.2.0",
  schema: releasedPolicy,
  lower: lowerReleasedPolicy,
  foreign: {
    code: "TW1401",
    words: ["Allow", "ports", "portNumber", "portRange", "namedPort"],
    message: mixing(releasedTitle, seedTitle),
  },
});

const seed = spelling({
  title: "as in NPEP-285",
  schema: seedPolicy,
  lower: lowerSeedPolicy,
  foreign: {
    code: "TW1401",
    words: ["Accept", "protocols", "tcp", "udp", "sctp", "destinationPort", "destinationNamedPort"],
    message: mixing(seedTitle, releasedTitle),
  },
});

export const clusterNetworkPolicyKinds: readonly PolicyKind[] = [
  {
    dialect: "cluster-network-policy",
    title: "ClusterNetworkPolicy",
    group: "policy.networking.k8s.io",
    versions: ["v1alpha2", "v1beta1"],
    kind: "ClusterNetworkPolicy",
    scope: "Cluster",
    spellings: [released, seed],
    choose: chooseSpelling,
  },
];

/** S3.1: decided by the tier or, without a known tier, by other fields. */
function chooseSpelling(object: JsonObject): Spelling {
  const spec = child(object, "spec");
  if (spec.tier === "admin" || spec.tier === "baseline") return seed;
  if (spec.tier === "Admin" || spec.tier === "Baseline") return released;
  const rules = [...items(spec, "ingress"), ...items(spec, "egress")];
  const count = (action: string, field: string) =>
    rules.filter((rule) => rule.action === action || field in rule).length;
  return count("Allow", "ports") > count("Accept", "protocols") ? seed : released;
}
