import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Cidr, covers, formatCidr, overlaps, parseCidr } from "../net/cidr.js";
import type {
  IpBlock,
  NetworkPolicyPeer,
  NetworkPolicyRule,
  NetworkPolicySpec,
} from "../../testing/arbitrary/arbitrary-network-policy.js";
import {
  type AdminModel,
  type AdminPeer,
  everyPeer,
  spell,
} from "../../testing/arbitrary/arbitrary-admin.js";
import type { PodModel } from "../../testing/arbitrary/arbitrary-cluster.js";
import { named } from "../../testing/arbitrary/arbitrary-policies.js";
import { type Manifest, namespaceNameKey } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, type Scenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

const scenarios = anyScenario({ kinds: ["NetworkPolicy"], complete: true, minLength: 1, maxLength: 3 });

function expectSame(scenario: Scenario, others: readonly Manifest[], policies = scenario.policies): void {
  const [x, y] = [policies, others].map((list) => verdictsIn(stateIn(scenario, list), scenario.questions));
  expect(y).toEqual(x);
}

function mapPeers(
  policy: Manifest,
  map: (peer: NetworkPolicyPeer) => readonly NetworkPolicyPeer[],
): Manifest {
  const spec = policy.spec as NetworkPolicySpec;
  const rules = (list: readonly NetworkPolicyRule[] | undefined) =>
    list?.map((rule) => {
      const [from, to] = [rule.from?.flatMap(map), rule.to?.flatMap(map)];
      return { ...rule, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    });
  const [ingress, egress] = [rules(spec.ingress), rules(spec.egress)];
  return {
    ...policy,
    spec: {
      ...spec,
      ...(ingress === undefined ? {} : { ingress }),
      ...(egress === undefined ? {} : { egress }),
    },
  };
}

/** The blocks that are left of one when parts are taken out: halves of halves, down to those parts. */
function left(block: Cidr, except: readonly Cidr[]): readonly Cidr[] {
  const touching = except.filter((part) => overlaps(block, part));
  if (touching.length === 0) return [block];
  if (touching.some((part) => covers(part, block))) return [];
  const bits = block.family === 4 ? 32 : 128;
  const prefix = block.prefix + 1;
  const half = { ...block, prefix };
  return [half, { ...half, first: block.first + (1n << BigInt(bits - prefix)) }].flatMap((b) =>
    left(b, touching),
  );
}

const textsLeft = ({ cidr, except = [] }: IpBlock): readonly string[] =>
  left(
    parseCidr(cidr)!,
    except.map((text) => parseCidr(text)!),
  ).map(formatCidr);

/** Of each range of the vocabulary something is left: an empty list would mean something else. */
const withoutExceptions = (block: IpBlock): readonly NetworkPolicyPeer[] =>
  textsLeft(block).map((cidr) => ({ ipBlock: { cidr } }));

/** Cilium's lists of ranges, wherever they are; CIDR groups keep their exceptions. */
function withoutCiliumExceptions<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutCiliumExceptions) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      key,
      key.endsWith("CIDRSet")
        ? (item as Partial<IpBlock>[]).flatMap((rule) =>
            rule.cidr === undefined
              ? [rule]
              : textsLeft({ cidr: rule.cidr, ...rule }).map((cidr) => ({ cidr })),
          )
        : withoutCiliumExceptions(item),
    ]),
  ) as T;
}

describe("ipBlocks", () => {
  it("S2.3: a block with exceptions is the list of the blocks that are left", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const plain = scenario.policies.map((policy) =>
          mapPeers(policy, (peer) => (peer.ipBlock === undefined ? [peer] : withoutExceptions(peer.ipBlock))),
        );
        expectSame(scenario, plain);
      }),
      { numRuns: 100 },
    );
  });

  it("S7.5: so is a Cilium range with exceptions, which are local to it", () => {
    const kinds = ["Cilium", "Cilium", "NetworkPolicy"] as const;
    fc.assert(
      fc.property(anyScenario({ kinds, complete: true, minLength: 2, maxLength: 4 }), (scenario) => {
        expectSame(scenario, withoutCiliumExceptions(scenario.policies));
      }),
      { numRuns: 120 },
    );
  });

  it("S2.3: a pod is selected by its addresses as by its labels", () => {
    fc.assert(
      fc.property(scenarios, fc.nat(4), fc.boolean(), (scenario, n, isIngress) => {
        const own = scenario.cluster.pods.filter((pod) => !pod.hostNetwork);
        if (own.length === 0) return;
        const pod = own[n % own.length]!;
        const policies = (["alpha", "beta"] as const).map((namespace) => [
          allowing(namespace, byLabels(pod), isIngress),
          allowing(namespace, byAddresses(pod), isIngress),
        ]);
        expectSame(
          scenario,
          [...scenario.policies, ...policies.map(([, other]) => other!)],
          [...scenario.policies, ...policies.map(([one]) => one!)],
        );
      }),
      { numRuns: 60 },
    );
  });

  it("S3.4: the same holds for `networks` of an administrator", () => {
    fc.assert(
      fc.property(scenarios, fc.nat(4), (scenario, n) => {
        const own = scenario.cluster.pods.filter((pod) => !pod.hostNetwork);
        if (own.length === 0) return;
        const pod = own[n % own.length]!;
        const [{ namespaceSelector, podSelector } = {}] = byLabels(pod);
        const labels = { pods: { namespaceSelector: namespaceSelector!, podSelector: podSelector! } };
        const networks = byAddresses(pod).map(({ ipBlock }) => ipBlock!.cidr);
        expectSame(
          scenario,
          [...scenario.policies, exempting([{ networks }])],
          [...scenario.policies, exempting([labels])],
        );
      }),
      { numRuns: 50 },
    );
  });
});

/** An egress rule for one pod, and a Deny after it for everything. */
function exempting(peers: readonly AdminPeer[]): Manifest {
  const model: AdminModel = {
    tier: "admin",
    priority: 1,
    subject: { namespaces: {} },
    egress: [
      { action: "Allow", peers },
      { action: "Deny", peers: everyPeer.egress },
    ],
  };
  return named(spell(model, "seed"), "one-pod");
}

function allowing(namespace: string, peers: readonly NetworkPolicyPeer[], isIngress: boolean): Manifest {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "one-pod", namespace },
    spec: {
      podSelector: {},
      ...(isIngress ? { ingress: [{ from: peers }] } : { policyTypes: ["Egress"], egress: [{ to: peers }] }),
    },
  };
}

const byLabels = ({ namespace, name }: PodModel): readonly NetworkPolicyPeer[] => [
  {
    namespaceSelector: { matchLabels: { [namespaceNameKey]: namespace } },
    podSelector: { matchLabels: { pod: name } },
  },
];

const byAddresses = ({ ips }: PodModel): readonly NetworkPolicyPeer[] =>
  ips.map((ip) => ({ ipBlock: { cidr: `${ip}/${ip.includes(":") ? 128 : 32}` } }));
