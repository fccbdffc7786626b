import { type PolicyKind, spelling } from "../dialect.js";
import { lowerClusterDefaultNetworkPolicy, lowerClusterNetworkPolicy } from "./lower.js";
import { clusterDefaultNetworkPolicy, firstDraftClusterNetworkPolicy } from "./schema.js";

const api = {
  dialect: "first-draft",
  group: "netpol.networking.k8s.io",
  versions: ["v1alpha1"],
  scope: "Cluster",
} as const;
const title = "netpol.networking.k8s.io/v1alpha1";

export const firstDraftKinds: readonly PolicyKind[] = [
  {
    ...api,
    title: "ClusterNetworkPolicy of KEP-2091's first draft",
    kind: "ClusterNetworkPolicy",
    spellings: [
      spelling({ title, schema: firstDraftClusterNetworkPolicy, lower: lowerClusterNetworkPolicy }),
    ],
  },
  {
    ...api,
    title: "ClusterDefaultNetworkPolicy of KEP-2091's first draft",
    kind: "ClusterDefaultNetworkPolicy",
    spellings: [
      spelling({ title, schema: clusterDefaultNetworkPolicy, lower: lowerClusterDefaultNetworkPolicy }),
    ],
  },
];
