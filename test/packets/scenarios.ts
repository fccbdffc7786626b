import fc from "fast-check";
import type { Endpoint, Flow } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import type { AskedPort, AskedPair } from "../../packages/core/src/analysis/explain/ask.js";
import { sameAddress } from "../../packages/core/src/net/address.js";
import {
  anyCluster,
  anyFacts,
  type ClusterModel,
} from "../../packages/core/testing/arbitrary/arbitrary-cluster.js";
import { domainNames, type Manifest } from "../../packages/core/testing/arbitrary/arbitrary-vocabulary.js";
import { anyPolicies } from "../../packages/core/testing/arbitrary/arbitrary-policies.js";
import { memberPairs, otherPairs, portsAtBorders } from "../../packages/core/testing/every-flow.js";
import type { Scenario } from "../../packages/core/testing/arbitrary/scenario.js";

/** One cluster, and what is known besides, under several sets of policies: all of them fit into one lab. */
export interface Series {
  readonly cluster: ClusterModel;
  readonly scenarios: readonly Scenario[];
}

const known = { complete: true } as const;

/** Names matter only where others are denied, which chance seldom brings together. */
const onlyNames: fc.Arbitrary<Manifest> = fc
  .uniqueArray(fc.constantFrom(...domainNames, "*.example.com"), { minLength: 1, maxLength: 3 })
  .map((names) => ({
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name: "only-names" },
    spec: {
      tier: "Admin",
      priority: 1,
      subject: { namespaces: {} },
      egress: [
        { action: "Accept", to: [{ domainNames: names }] },
        { action: "Deny", to: [{ networks: ["0.0.0.0/0", "::/0"] }] },
      ],
    },
  }));

/** Cilium alone as well, which has the most kinds of peers. */
const mixes = [
  { minLength: 2, maxLength: 6 },
  { minLength: 4, maxLength: 12 },
  { minLength: 1, maxLength: 4, kinds: ["Cilium"] },
] as const;

/** The same for the same seed. */
export function seriesOf(seed: number, count: number): Series {
  const policies = fc.oneof(
    ...mixes.map((mix) => anyPolicies({ ...mix, unknowable: false })),
    fc
      .tuple(anyPolicies({ maxLength: 2, unknowable: false }), onlyNames)
      .map(([some, names]) => [...some, names]),
  );
  const series = anyCluster({ ...known, minPods: 4, maxPods: 6, maxReplicas: 2 }).chain((cluster) =>
    fc
      .tuple(fc.array(policies, { minLength: count, maxLength: count }), anyFacts(known))
      .map(([sets, facts]): Series => {
        const scenarios = sets.map((policies) => ({ cluster, policies, facts, questions: [] }));
        return { cluster, scenarios };
      }),
  );
  return fc.sample(series, { seed, numRuns: 1 })[0]!;
}

/**
 * About `wanted` of all connections that a rule could distinguish: a third between members, a third with addresses
 * that are known by a name or as the API server's, and a third with all others at the borders of CIDRs.
 */
export function flowsIn(state: State, wanted: number): readonly Flow[] {
  const { dns = [], apiServer = [] } = state.cluster.facts;
  const known = [...dns.flatMap(({ addresses }) => addresses), ...apiServer];
  const isKnown = (end: Endpoint) =>
    end.kind === "external" && known.some((address) => sameAddress(address, end.address));
  const others = otherPairs(state);
  const withKnown = others.filter(({ source, destination }) => isKnown(source) || isKnown(destination));
  const groups = [memberPairs(state.cluster), withKnown, others].filter((pairs) => pairs.length > 0);
  const borders = portsAtBorders(state);
  // One port among many, it would hardly ever be asked about.
  const echoes = Array.from({ length: Math.ceil(borders.length / 8) }, () => echo);
  const ports = [...borders, ...echoes];
  return groups.flatMap((pairs) => spread(pairs, ports, wanted / groups.length));
}

const echo: AskedPort = { protocol: "ICMP", port: 0 };

function spread(pairs: readonly AskedPair[], ports: readonly AskedPort[], wanted: number): readonly Flow[] {
  const all = pairs.length * ports.length;
  // A golden stride: neighbours in the list are alike, and those that are taken should not be.
  return Array.from({ length: Math.min(Math.floor(wanted), all) }, (_, i) => {
    const at = Math.floor((i * 0.6180339887498949 * all) % all);
    return { ...pairs[Math.floor(at / ports.length)]!, ...ports[at % ports.length]! };
  });
}
