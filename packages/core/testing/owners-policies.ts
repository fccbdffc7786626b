import { type Direction, directions, type Tiers } from "../src/policy/model.js";
import { byDirection, type OwnerAct, ownerActs } from "../src/prove/encode/index.js";
import { readState, type State } from "../src/state/state.js";
import type { OwnersActs } from "./fixed-connection.js";

/** Policies that the owner of each namespace writes for all of its pods, as real objects; in a direction there may be several. */
export function withOwnersPolicies(
  state: State,
  roll: () => number,
): { readonly owners: OwnersActs; readonly tiers: Tiers } {
  const owners = byDirection(() => ownerActs.filter(() => roll() % 3 === 0));
  const inCilium = roll() % 2 === 0;
  const objects = [...state.cluster.namespaces.keys()].flatMap((namespace) =>
    directions.flatMap((direction) =>
      owners[direction].map((act) => ({
        ...(inCilium || act === "deny" ? ciliumPolicy(direction, act) : networkPolicy(direction, act)),
        metadata: { name: `owner-${direction}-${act}`, namespace },
      })),
    ),
  );
  const read = readState(objects.map((object, i) => ({ file: `${i}.json`, text: JSON.stringify(object) })));
  if (read.definitions.length !== objects.length) throw new Error("a policy of an owner cannot be read");
  return { owners, tiers: state.withDefinitions([...state.definitions, ...read.definitions]).tiers };
}

/** S2.1 */
const networkPolicy = (direction: Direction, act: Exclude<OwnerAct, "deny">): object => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  spec: {
    podSelector: {},
    policyTypes: [direction === "ingress" ? "Ingress" : "Egress"],
    [direction]: act === "allow" ? [{}] : [],
  },
});

/** S7.2, S7.3, S7.8 */
function ciliumPolicy(direction: Direction, act: OwnerAct): object {
  const all = direction === "ingress" ? { fromEntities: ["all"] } : { toEntities: ["all"] };
  const section = act === "deny" ? `${direction}Deny` : direction;
  return {
    apiVersion: "cilium.io/v2",
    kind: "CiliumNetworkPolicy",
    spec: {
      endpointSelector: {},
      [section]: [act === "isolate" ? {} : all],
      ...(act === "deny" ? { enableDefaultDeny: { ingress: false, egress: false } } : {}),
    },
  };
}
