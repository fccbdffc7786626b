import { type PolicyKind, spelling } from "../dialect.js";
import { lowerCiliumPolicy } from "./lower.js";
import { ciliumClusterwideNetworkPolicy, ciliumNetworkPolicy } from "./schema.js";

export const ciliumKinds: readonly PolicyKind[] = [
  {
    dialect: "cilium",
    title: "CiliumNetworkPolicy",
    group: "cilium.io",
    versions: ["v2"],
    kind: "CiliumNetworkPolicy",
    scope: "Namespaced",
    spellings: [spelling({ title: "cilium.io/v2", schema: ciliumNetworkPolicy, lower: lowerCiliumPolicy })],
  },
  {
    dialect: "cilium",
    title: "CiliumClusterwideNetworkPolicy",
    group: "cilium.io",
    versions: ["v2"],
    kind: "CiliumClusterwideNetworkPolicy",
    scope: "Cluster",
    spellings: [
      spelling({ title: "cilium.io/v2", schema: ciliumClusterwideNetworkPolicy, lower: lowerCiliumPolicy }),
    ],
  },
];
