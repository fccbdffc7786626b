/*
 * Short manifests for tests: `namespace("shop") + pod("shop/cart", {labels: "{app: cart}"})`. Each is a separate document,
 * and its parameters are YAML.
 */

const document = (lines: readonly string[]): string => `---\n${lines.join("\n")}\n`;

export const namespace = (name: string, labels = "{}"): string =>
  document(["apiVersion: v1", "kind: Namespace", `metadata: {name: ${name}, labels: ${labels}}`]);

interface PodParts {
  readonly labels?: string;
  readonly ips?: readonly string[];
  /** `{name: web, containerPort: 80}` */
  readonly ports?: string;
  readonly node?: string;
  readonly hostNetwork?: boolean;
  /** The StatefulSet that made it. */
  readonly of?: string;
}

/** `shop/cart`; without labels, unless some are given. */
export function pod(name: string, parts: PodParts = {}): string {
  const { labels = "{}", ips = [], ports = "", node: nodeName, hostNetwork = false, of } = parts;
  const owner =
    of === undefined ? "" : `, ownerReferences: [{kind: StatefulSet, name: ${of}, controller: true}]`;
  const runsOn = nodeName === undefined ? "" : `nodeName: ${nodeName}, `;
  return document([
    "apiVersion: v1",
    "kind: Pod",
    `metadata: {${named(name)}, labels: ${labels}${owner}}`,
    `spec: {${runsOn}hostNetwork: ${hostNetwork}, containers: [{name: main, ports: [${ports}]}]}`,
    `status: {podIPs: [${ips.map((ip) => `{ip: "${ip}"}`).join(", ")}]}`,
  ]);
}

/** A pod with its own name as `app`. */
export const appPod = (name: string, parts: Omit<PodParts, "labels"> = {}): string =>
  pod(name, { ...parts, labels: `{app: ${name.split("/")[1]}}` });

export const node = (name: string, address: string, labels = "{}"): string =>
  document([
    "apiVersion: v1",
    "kind: Node",
    `metadata: {name: ${name}, labels: ${labels}}`,
    `status: {addresses: [{type: InternalIP, address: "${address}"}]}`,
  ]);

type Spec = Readonly<Record<string, string | number>>;

/** In tier Admin, for every pod, unless its spec says otherwise. */
export const clusterPolicy = (name: string, spec: Spec): string =>
  document([
    "apiVersion: policy.networking.k8s.io/v1alpha2",
    "kind: ClusterNetworkPolicy",
    `metadata: {name: ${name}}`,
    "spec:",
    ...fields({ tier: "Admin", priority: "10", subject: "{namespaces: {}}", ...spec }),
  ]);

/** `shop/closed`; for every pod of the namespace, unless its spec says otherwise. */
export const networkPolicy = (name: string, spec: Spec): string =>
  document([
    "apiVersion: networking.k8s.io/v1",
    "kind: NetworkPolicy",
    `metadata: {${named(name)}}`,
    "spec:",
    ...fields({ podSelector: "{}", ...spec }),
  ]);

function named(path: string): string {
  const [where, name] = path.split("/");
  return `name: ${name}, namespace: ${where}`;
}

const fields = (spec: Spec): readonly string[] =>
  Object.entries(spec).map(([key, value]) => `  ${key}: ${value}`);
