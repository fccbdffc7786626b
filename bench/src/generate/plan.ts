import { dotted, nodeAddress } from "./addresses.js";
import { letters } from "./letters.js";
import { Random } from "./random.js";
import { podCount, type Shape } from "./shape.js";
import { apps, environments, products, type Role, teams } from "./vocabulary.js";

/*
 * A cluster before it is written down: what there is, in few words. Pods are not part of it, as there may be a million
 * of them; `podsOf` makes them one at a time.
 */
export interface Plan {
  readonly shape: Shape;
  readonly seed: number;
  readonly namespaces: readonly PlannedNamespace[];
  readonly workloads: readonly PlannedWorkload[];
  readonly nodes: readonly PlannedNode[];
}

type Labels = Readonly<Record<string, string>>;

export interface PlannedNamespace {
  readonly name: string;
  readonly labels: Labels;
  /** The workloads in it, in the order of the plan. */
  readonly workloads: readonly PlannedWorkload[];
}

export interface PlannedWorkload {
  readonly kind: Role["kind"] | "DaemonSet";
  readonly namespace: string;
  readonly name: string;
  /** Of its pods. */
  readonly labels: Labels;
  readonly ports: Role["ports"];
  readonly hostNetwork: boolean;
}

export interface PlannedNode {
  readonly name: string;
  readonly labels: Labels;
  readonly address: string;
}

export function planCluster(shape: Shape, seed: number): Plan {
  const random = new Random(seed);
  const names = Array.from({ length: shape.namespaces }, (_, i) => namespaceAt(i));
  const rooms = names.map(() => [] as PlannedWorkload[]);
  const workloads = Array.from({ length: shape.workloads }, (_, i) => {
    const room = rooms[i % rooms.length]!;
    const { name, labels } = names[i % rooms.length]!;
    const workload = workloadAt(name, labels, room, random.fork(`workload ${i}`));
    room.push(workload);
    return workload;
  });
  const namespaces = names.map((namespace, i) => ({ ...namespace, workloads: rooms[i]! }));
  // About a hundred pods a node; replicas of one workload do not share one.
  const nodeCount = Math.max(3, shape.replicas, Math.ceil(podCount(shape) / 100));
  const nodes = Array.from({ length: nodeCount }, (_, i) => nodeAt(i));
  return { shape, seed, namespaces, workloads, nodes };
}

/** Those that every cluster has, and that policies select by name. */
const systemNamespaces = ["kube-system", "ingress-nginx", "monitoring"] as const;

function namespaceAt(index: number): Pick<PlannedNamespace, "name" | "labels"> {
  const system = systemNamespaces[index];
  if (system !== undefined) return { name: system, labels: { team: "platform", trust: "system" } };
  const combinations = teams.length * products.length * environments.length;
  // The step has no divisor in common with the number of combinations: each is met once before any is met again.
  const at = (index * 665) % combinations;
  const env = environments[at % environments.length]!;
  const team = teams[Math.floor(at / environments.length) % teams.length]!;
  const product = products[Math.floor(at / environments.length / teams.length)]!;
  const again = Math.floor(index / combinations);
  return {
    name: `${team}-${product}-${env}${again === 0 ? "" : `-${again}`}`,
    labels: {
      ...(index % 5 === 0 ? { compliance: "pci" } : {}),
      env,
      product,
      team,
      trust: "tenant",
    },
  };
}

const systemWorkloads: Readonly<Record<string, readonly Omit<PlannedWorkload, "namespace">[]>> = {
  "kube-system": [
    system("Deployment", "coredns", { "k8s-app": "kube-dns" }, [
      { name: "dns-tcp", port: 53 },
      { name: "metrics", port: 9153 },
    ]),
    system("DaemonSet", "kube-proxy", { "k8s-app": "kube-proxy" }, [], true),
  ],
  "ingress-nginx": [
    system("Deployment", "ingress-nginx-controller", { "app.kubernetes.io/name": "ingress-nginx" }, [
      { name: "http", port: 80 },
      { name: "https", port: 443 },
    ]),
  ],
  monitoring: [
    system("StatefulSet", "prometheus", { "app.kubernetes.io/name": "prometheus" }, [
      { name: "web", port: 9090 },
    ]),
    system(
      "DaemonSet",
      "node-exporter",
      { "app.kubernetes.io/name": "node-exporter" },
      [{ name: "metrics", port: 9100 }],
      true,
    ),
  ],
};

function system(
  kind: PlannedWorkload["kind"],
  name: string,
  labels: Labels,
  ports: PlannedWorkload["ports"],
  hostNetwork = false,
): Omit<PlannedWorkload, "namespace"> {
  return { kind, name, labels: { ...labels, team: "platform" }, ports, hostNetwork };
}

function workloadAt(
  namespace: string,
  { team, env }: Labels,
  neighbours: readonly PlannedWorkload[],
  random: Random,
): PlannedWorkload {
  const fixed = systemWorkloads[namespace]?.[neighbours.length];
  if (fixed !== undefined)
    return { ...fixed, namespace, labels: { ...fixed.labels, ...templateHash(fixed.kind, random) } };
  const taken = new Set(neighbours.map(({ name }) => name));
  const app = random.pick(apps);
  const name = taken.has(app.name) ? `${app.name}-${neighbours.length}` : app.name;
  const { role } = app;
  const labels: Labels = {
    app: app.name,
    "app.kubernetes.io/managed-by": "Helm",
    component: role.component,
    ...(env === undefined ? {} : { env }),
    ...templateHash(role.kind, random),
    team: team!,
    tier: role.tier,
    version: `v${random.between(1, 5)}`,
  };
  return { kind: role.kind, namespace, name, labels, ports: role.ports, hostNetwork: false };
}

/** What Deployments add to the labels of their pods. */
function templateHash(kind: PlannedWorkload["kind"], random: Random): Labels {
  return kind === "Deployment" ? { "pod-template-hash": letters(random.bits() * 2 ** 10, 9) } : {};
}

function nodeAt(index: number): PlannedNode {
  const name = `worker-${index}`;
  const zone = "abc"[index % 3]!;
  const pool = index % 10 === 0 ? "edge" : "general";
  const labels = {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "node.kubernetes.io/pool": pool,
    "topology.kubernetes.io/zone": `region-1${zone}`,
  };
  return { name, labels, address: dotted(nodeAddress(index)) };
}
