import { podRange } from "./addresses.js";
import type { Json, JsonObject, Manifest } from "./json.js";
import type { Plan, PlannedNamespace } from "./plan.js";
import { portHeavyPolicy } from "./port-heavy-policy.js";
import { Random } from "./random.js";
import { environments, namedPorts, outsideRanges, teams, usualPorts, usualRanges } from "./vocabulary.js";

/** The NetworkPolicies of all namespaces, as many in each as the shape says. */
export function* networkPoliciesOf({ shape, seed, namespaces }: Plan): Iterable<Manifest> {
  for (const namespace of namespaces) {
    const random = new Random(seed).fork(`network policies ${namespace.name}`);
    for (let i = 0; i < shape.policiesPerNamespace; i++) {
      const { name, spec } =
        shape.style === "port-heavy" ? portHeavyPolicy(i, random) : policyAt(i, namespace, random);
      yield networkPolicy(namespace.name, name, spec);
    }
  }
}

/** A policy of the cluster, chosen at random, after an edit. */
export function editedNetworkPolicy(
  { shape, namespaces }: Plan,
  policies: readonly Manifest[],
  random: Random,
): Manifest {
  const at = random.below(policies.length);
  const policy = policies[at]!;
  const namespace = namespaces[Math.floor(at / shape.policiesPerNamespace)]!;
  return { ...policy, spec: applicationPolicy(namespace, random).spec };
}

function networkPolicy(namespace: string, name: string, spec: JsonObject): Manifest {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name, namespace },
    spec,
  };
}

interface NamedSpec {
  readonly name: string;
  readonly spec: JsonObject;
}

/** The first ones are those that every well-kept namespace has; the rest are what its applications need. */
function policyAt(index: number, namespace: PlannedNamespace, random: Random): NamedSpec {
  const standard = standardPolicies[index];
  if (standard !== undefined) return standard(random);
  const { name, spec } = applicationPolicy(namespace, random);
  return { name: `${name}-${index}`, spec };
}

function applicationPolicy(namespace: PlannedNamespace, random: Random): NamedSpec {
  return random.pick([appToApp, appToApp, appToApp, fromTeams, toOtherNamespace, toOutside])(
    namespace,
    random,
  );
}

const everyPod: JsonObject = {};
const inNamespace = (name: string): JsonObject => ({
  matchLabels: { "kubernetes.io/metadata.name": name },
});

const standardPolicies: readonly ((random: Random) => NamedSpec)[] = [
  (random) => ({
    name: "default-deny",
    spec: { podSelector: everyPod, policyTypes: random.chance(0.5) ? ["Ingress", "Egress"] : ["Ingress"] },
  }),
  () => ({
    name: "allow-same-namespace",
    spec: {
      egress: [{ to: [{ podSelector: everyPod }] }],
      ingress: [{ from: [{ podSelector: everyPod }] }],
      podSelector: everyPod,
      policyTypes: ["Ingress"],
    },
  }),
  () => ({
    name: "allow-dns",
    spec: {
      egress: [
        {
          ports: [
            { port: 53, protocol: "UDP" },
            { port: 53, protocol: "TCP" },
          ],
          to: [
            {
              namespaceSelector: inNamespace("kube-system"),
              podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
            },
          ],
        },
      ],
      podSelector: everyPod,
      policyTypes: ["Egress"],
    },
  }),
  (random) => ({
    name: "allow-ingress-controller",
    spec: {
      ingress: [
        {
          from: [{ namespaceSelector: inNamespace("ingress-nginx") }],
          ports: random.chance(0.5) ? [{ port: "http", protocol: "TCP" }] : [{ port: 8080, protocol: "TCP" }],
        },
      ],
      podSelector: { matchExpressions: [{ key: "component", operator: "In", values: ["web", "api"] }] },
      policyTypes: ["Ingress"],
    },
  }),
  () => ({
    name: "allow-monitoring",
    spec: {
      ingress: [
        {
          from: [
            {
              namespaceSelector: inNamespace("monitoring"),
              podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
            },
          ],
          ports: [{ port: "metrics", protocol: "TCP" }],
        },
      ],
      podSelector: everyPod,
      policyTypes: ["Ingress"],
    },
  }),
];

/** One application lets another of its namespace in. */
function appToApp({ workloads }: PlannedNamespace, random: Random): NamedSpec {
  const [server, client] = [random.pick(workloads), random.pick(workloads)];
  return {
    name: `${server.name}-from-${client.name}`,
    spec: {
      ingress: [{ from: [{ podSelector: appOf(client.labels) }], ports: ports(random) }],
      podSelector: appOf(server.labels),
      policyTypes: ["Ingress"],
    },
  };
}

/** A layer is open to other teams of its environment. */
function fromTeams(_: PlannedNamespace, random: Random): NamedSpec {
  const env = random.pick(environments);
  const tier = random.pick(["frontend", "backend"]);
  const peer: JsonObject = {
    namespaceSelector: {
      matchExpressions: [{ key: "team", operator: "In", values: random.some(teams, random.between(1, 4)) }],
      matchLabels: { env },
    },
    ...(random.chance(0.5) ? { podSelector: { matchLabels: { tier } } } : {}),
  };
  const unless = { key: "version", operator: "NotIn", values: ["v1"] };
  return {
    name: `${tier}-from-teams`,
    spec: {
      ingress: [{ from: [peer], ports: ports(random) }],
      podSelector: { matchLabels: { tier }, ...(random.chance(0.2) ? { matchExpressions: [unless] } : {}) },
      policyTypes: ["Ingress"],
    },
  };
}

/** An application calls those of another namespace. */
function toOtherNamespace({ workloads }: PlannedNamespace, random: Random): NamedSpec {
  const client = random.pick(workloads);
  const team = random.pick(teams);
  return {
    name: `${client.name}-to-${team}`,
    spec: {
      egress: [
        {
          ports: ports(random),
          to: [
            {
              namespaceSelector: { matchLabels: { env: random.pick(environments), team } },
              podSelector: { matchLabels: { component: random.pick(["api", "rpc", "queue"]) } },
            },
          ],
        },
      ],
      podSelector: appOf(client.labels),
      policyTypes: ["Egress"],
    },
  };
}

/** The internet without the cluster, or an office network. */
function toOutside({ workloads }: PlannedNamespace, random: Random): NamedSpec {
  const client = random.pick(workloads);
  const ipBlock: JsonObject = random.chance(0.5)
    ? { cidr: "0.0.0.0/0", except: ["10.0.0.0/8", "169.254.169.254/32", ...random.some(outsideRanges, 2)] }
    : { cidr: random.pick([...outsideRanges, podRange]) };
  return {
    name: `${client.name}-to-outside`,
    spec: {
      egress: [{ ports: [{ port: random.pick(usualPorts), protocol: "TCP" }], to: [{ ipBlock }] }],
      podSelector: appOf(client.labels),
      policyTypes: ["Egress"],
    },
  };
}

/** The label for what runs in a pod; system pods have other labels than workloads. */
function appOf(labels: Readonly<Record<string, string>>): JsonObject {
  const key = ["app", "k8s-app", "app.kubernetes.io/name"].find((key) => Object.hasOwn(labels, key));
  return key === undefined ? everyPod : { matchLabels: { [key]: labels[key]! } };
}

function ports(random: Random): readonly Json[] {
  return Array.from({ length: random.between(1, 3) }, () => {
    if (random.chance(0.2)) return { port: random.pick(namedPorts), protocol: "TCP" };
    if (random.chance(0.2)) {
      const [port, endPort] = random.pick(usualRanges);
      return { endPort, port, protocol: "TCP" };
    }
    return { port: random.pick(usualPorts), protocol: random.chance(0.1) ? "UDP" : "TCP" };
  });
}
