import { nodeRange } from "./addresses.js";
import type { Json, JsonObject, Manifest } from "./json.js";
import type { Plan } from "./plan.js";
import { shardCount, shardLabel } from "./planned-pods.js";
import { Random } from "./random.js";
import {
  apps,
  environments,
  namedPorts,
  outsideRanges,
  roles,
  teams,
  usualPorts,
  usualRanges,
} from "./vocabulary.js";

/** ClusterNetworkPolicies of 1 to 100 rules, six in ten of them in the admin tier. */
export function* clusterPoliciesOf({ shape, seed }: Plan): Iterable<Manifest> {
  const random = new Random(seed).fork("cluster policies");
  const shards = shape.style === "adversarial" ? shardCount : 0;
  for (let digit = 0; digit < shards; digit++) yield shardPolicy(digit);
  const others = shape.clusterPolicies - shards;
  for (let i = 0; i < others; i++) {
    // A factor without a divisor in common mixes long policies and short ones, and still meets every length.
    const length = Math.round(100 ** (((i * 37) % others) / Math.max(1, others - 1)));
    yield policyAt(i, length, random.fork(String(i)));
  }
}

/** A policy of so many rules, as a cluster of any number of them can have it: priorities end at 1000. */
export function guardrailAt(index: number, length: number, random: Random): Manifest {
  const made = policyAt(index, length, random);
  return { ...made, spec: { ...(made.spec as JsonObject), priority: 1 + (index % 1000) } };
}

function policyAt(index: number, length: number, random: Random): Manifest {
  const tier = index % 5 < 3 ? "admin" : "baseline";
  const ingress = random.between(0, length);
  const longest = Math.max(ingress, length - ingress);
  const spelling = longest > releasedLimit || random.chance(0.3) ? seed : released;
  const purpose = purposeOf(tier, spelling, random);
  const rules = (direction: "ingress" | "egress", count: number): JsonObject =>
    count === 0
      ? {}
      : { [direction]: Array.from({ length: count }, () => ruleAt(direction, purpose, random)) };
  return clusterPolicy(`${tier}-${teams[index % teams.length]}-${index}`, {
    ...rules("egress", length - ingress),
    ...rules("ingress", ingress),
    priority: 20 + index * 5,
    subject: subject(random),
    tier: spelling.tier[tier],
  });
}

/** The policy with one of its rules, taken by chance, written anew. */
export function editedClusterPolicy(policy: Manifest, random: Random): Manifest {
  const spec = policy.spec as JsonObject;
  const written = (["ingress", "egress"] as const).filter((direction) => direction in spec);
  const direction = random.pick(written);
  const rules = spec[direction] as readonly Json[];
  const tier = spec.tier === "Admin" || spec.tier === "admin" ? "admin" : "baseline";
  const spelling = spec.tier === released.tier[tier] ? released : seed;
  const rule = ruleAt(direction, purposeOf(tier, spelling, random), random);
  return { ...policy, spec: { ...spec, [direction]: rules.with(random.below(rules.length), rule) } };
}

function clusterPolicy(name: string, spec: JsonObject): Manifest {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name },
    spec,
  };
}

/** Pods that have this digit must not call those that have not, on a port of its own. */
function shardPolicy(digit: number): Manifest {
  const having = (value: string): JsonObject => ({
    namespaceSelector: {},
    podSelector: { matchLabels: { [shardLabel(digit)]: value } },
  });
  return clusterPolicy(`shards-${digit}`, {
    egress: [
      {
        action: "Deny",
        protocols: [{ tcp: { destinationPort: { number: 7000 + digit } } }],
        to: [{ pods: having("0") }],
      },
    ],
    priority: digit,
    subject: { pods: having("1") },
    tier: "Admin",
  });
}

/** The API is written in two ways (as released, and as first proposed), which differ in words and in limits. */
interface Spelling {
  readonly tier: Readonly<Record<"admin" | "baseline", string>>;
  readonly allow: string;
  readonly portsField: string;
  readonly number: (protocol: "TCP" | "UDP", port: number) => JsonObject;
  readonly range: (start: number, end: number) => JsonObject;
  readonly named: (name: string) => JsonObject;
}

/** Rules a direction. */
const releasedLimit = 25;

const released: Spelling = {
  tier: { admin: "Admin", baseline: "Baseline" },
  allow: "Accept",
  portsField: "protocols",
  number: (protocol, number) => ({ [protocol.toLowerCase()]: { destinationPort: { number } } }),
  range: (start, end) => ({ tcp: { destinationPort: { range: { end, start } } } }),
  named: (destinationNamedPort) => ({ destinationNamedPort }),
};

const seed: Spelling = {
  tier: { admin: "admin", baseline: "baseline" },
  allow: "Allow",
  portsField: "ports",
  number: (protocol, port) => ({ portNumber: { port, protocol } }),
  range: (start, end) => ({ portRange: { end, protocol: "TCP", start } }),
  named: (namedPort) => ({ namedPort }),
};

function subject(random: Random): JsonObject {
  const env = random.pick(environments);
  const pods = (podSelector: JsonObject, namespaceSelector: JsonObject): JsonObject => ({
    pods: { namespaceSelector, podSelector },
  });
  const kinds: readonly (() => JsonObject)[] = [
    () => ({ namespaces: { matchLabels: { env } } }),
    () => ({ namespaces: { matchLabels: { env } } }),
    () => ({ namespaces: teamIn(random, 4) }),
    () => ({ namespaces: teamIn(random, 4) }),
    () => ({ namespaces: { matchLabels: { compliance: "pci" } } }),
    () => pods({ matchLabels: { tier: "data" } }, { matchLabels: { env } }),
    () => pods({ matchLabels: { component: random.pick(roles).component } }, teamIn(random, 6)),
    () => pods({ matchLabels: { app: random.pick(apps).name } }, { matchLabels: { trust: "tenant" } }),
    () => ({ namespaces: { matchLabels: { trust: "tenant" } } }),
  ];
  return random.pick(kinds)();
}

/** A policy is written for something: its rules are about the same few ports, and mostly do the same. */
interface Purpose {
  readonly spelling: Spelling;
  readonly actions: readonly string[];
  readonly ports: readonly (readonly Json[])[];
}

function purposeOf(tier: "admin" | "baseline", spelling: Spelling, random: Random): Purpose {
  const most = random.pick([spelling.allow, "Deny", ...(tier === "admin" ? ["Pass"] : [])]);
  const other = random.pick([spelling.allow, "Deny"]);
  return {
    spelling,
    actions: [most, most, most, other],
    ports: Array.from({ length: random.between(1, 3) }, () => ports(spelling, random)),
  };
}

function ruleAt(
  direction: "ingress" | "egress",
  { spelling, actions, ports }: Purpose,
  random: Random,
): JsonObject {
  const toAddresses = direction === "egress" && random.chance(0.2);
  const peers = Array.from({ length: random.between(1, 2) }, () =>
    toAddresses ? addressPeer(random) : podPeer(random),
  );
  return {
    action: random.pick(actions),
    [direction === "ingress" ? "from" : "to"]: peers,
    // Names of ports are for pods only: addresses have none.
    ...(!toAddresses && random.chance(0.5) ? { [spelling.portsField]: random.pick(ports) } : {}),
  };
}

function podPeer(random: Random): JsonObject {
  const env = random.pick(environments);
  const kinds: readonly (() => JsonObject)[] = [
    () => ({ namespaces: { matchLabels: { env, team: random.pick(teams) } } }),
    () => ({ namespaces: teamIn(random, 2) }),
    () => ({ namespaces: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }),
    () => ({
      pods: {
        namespaceSelector: teamIn(random, 3),
        podSelector: { matchLabels: { component: random.pick(roles).component } },
      },
    }),
    () => ({
      pods: {
        namespaceSelector: { matchLabels: { env } },
        podSelector: { matchLabels: { app: random.pick(apps).name } },
      },
    }),
    () => ({
      pods: {
        namespaceSelector: { matchLabels: { team: random.pick(teams) } },
        podSelector: { matchExpressions: [{ key: "version", operator: "In", values: ["v1", "v2"] }] },
      },
    }),
  ];
  return random.pick(kinds)();
}

function addressPeer(random: Random): JsonObject {
  const kinds: readonly (() => JsonObject)[] = [
    () => ({ networks: random.some(outsideRanges, random.between(1, 4)) }),
    () => ({ networks: ["169.254.169.254/32", nodeRange] }),
    () => ({ nodes: { matchLabels: { "node.kubernetes.io/pool": "edge" } } }),
  ];
  return random.pick(kinds)();
}

const teamIn = (random: Random, most: number): JsonObject => ({
  matchExpressions: [{ key: "team", operator: "In", values: random.some(teams, random.between(1, most)) }],
});

function ports(spelling: Spelling, random: Random): readonly Json[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    if (random.chance(0.15)) return spelling.named(random.pick(namedPorts));
    if (random.chance(0.2)) {
      const [start, end] = random.pick(usualRanges);
      return spelling.range(start, end);
    }
    return spelling.number(random.chance(0.1) ? "UDP" : "TCP", random.pick(usualPorts));
  });
}
