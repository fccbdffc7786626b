import { type PolicyKind, spelling } from "../dialect.js";
import { lowerCiliumPolicy as lower } from "./lower.js";
import { ciliumClusterwideNetworkPolicy, ciliumNetworkPolicy } from "./schema.js";

const api = { dialect: "cilium", group: "cilium.io", versions: ["v2"] } as const;
const title = "cilium.io/v2";

export const ciliumKinds: readonly PolicyKind[] = [
  {
    ...api,
    title: "CiliumNetworkPolicy",
    kind: "CiliumNetworkPolicy",
    scope: "Namespaced",
    spellings: [spelling({ title, schema: ciliumNetworkPolicy, lower })],
  },
  {
    ...api,
    title: "CiliumClusterwideNetworkPolicy",
    kind: "CiliumClusterwideNetworkPolicy",
    scope: "Cluster",
    spellings: [spelling({ title, schema: ciliumClusterwideNetworkPolicy, lower })],
  },
];
