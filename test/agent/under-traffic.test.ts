import { afterEach, describe, expect, it } from "vitest";
import { fewerRuns, onlyInFull } from "../slice.mjs";
import { pods } from "./manifests.js";
import { NodeLab, noLabBecause } from "./node-lab.js";
import { RunningAgent } from "./running-agent.js";
import { noStormBecause, Storm } from "./storm.js";

/*
 * Policies change while packets come in by the hundred thousand. All of them allow one port of pod b and deny another,
 * each in its own way: whatever the kernel holds, and whatever it is being given, none of the denied may pass and none of
 * the allowed may be lost.
 */

const reason = noLabBecause() ?? noStormBecause();
const title = reason === undefined ? "" : ` (skipped: ${reason})`;
const ports = { allowed: 9001, denied: 9000 };
const changes = Number(process.env.TIERWALL_STORM_CHANGES ?? fewerRuns(40));

/** All of them share the wire of pod a: there are more sources than one address has ports. */
const hundred = (first: string) => Array.from({ length: 100 }, (_, i) => `${first}${20 + i}`);

const relatives = hundred("10.9.0.");
/** In the range of the node's pods, and no pod has these addresses: without any policy they are denied, too. */
const strangers = Array.from({ length: 100 }, (_, i) => `10.9.0.${120 + i}`);
const outsiders = { allowed: hundred("10.9.1."), denied: hundred("10.9.2.") };

let lab: NodeLab | undefined;
let storm: Storm | undefined;
afterEach(async () => {
  storm?.kill();
  await lab?.destroy();
});

async function labOfMany(): Promise<NodeLab> {
  lab = await NodeLab.create({ a: "10.9.0.11", b: "10.9.0.12" });
  for (const range of ["10.9.0.0/24", "10.9.1.0/24", "10.9.2.0/24"])
    lab.run("node", "ip", "route", "add", range, "dev", "v-a");
  const others = relatives.map((address, i) => [`r${i}`, address] as const);
  lab.write("manifests/pods.yaml", pods(["a", "10.9.0.11"], ["b", "10.9.0.12"], ...others));
  return lab;
}

/** A NetworkPolicy for pod b, with one rule. */
const ofB = (rule: string): string => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: b, namespace: shop}
spec:
  podSelector: {matchLabels: {app: b}}
  policyTypes: [Ingress]
  ingress: [{${rule}}]
`;

/** One after the other, repeatedly: what is allowed, what is denied, and how many other rules there are. */
const ways: readonly ((turn: number) => string)[] = [
  (turn) =>
    ofB(
      `from: [{podSelector: {}}], ports: [{port: ${ports.allowed}, protocol: UDP}, {port: ${1000 + turn}}]`,
    ),
  (turn) => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard-${turn}}
spec:
  tier: Admin
  priority: ${turn % 1000}
  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}
  ingress:
  - action: Deny
    from: [{namespaces: {}}]
    protocols: [{udp: {destinationPort: {number: ${ports.denied}}}}]
`,
  (turn) => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: base}
spec:
  tier: Baseline
  priority: 1
  subject: {namespaces: {}}
  egress:
  - action: Accept
    to: [{pods: {podSelector: {matchLabels: {app: b}}}}]
    protocols: [{udp: {destinationPort: {number: ${ports.allowed}}}}, {tcp: {destinationPort: {number: ${1 + turn}}}}]
  - action: Deny
    to: [{networks: [0.0.0.0/0]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: nothing-from-${turn}, namespace: shop}
spec:
  podSelector: {matchLabels: {app: none-${turn}}}
`,
];

describe.skipIf(reason)(`while the policies change under traffic${title}`, () => {
  it(`no denied packet passes and no allowed packet is lost, in ${changes} changes`, {
    timeout: 1_200_000,
  }, async () => {
    const node = await labOfMany();
    const sources = { allowed: relatives, denied: relatives };
    await changeUnderStorm(node, sources, (turn) => ways[turn % ways.length]!(turn));
  });

  it(`so it is when the first rules come and the last ones go, in ${changes} changes`, {
    ...onlyInFull,
    timeout: 1_200_000,
  }, async () => {
    const node = await labOfMany();
    const sources = { allowed: relatives, denied: strangers };
    const way = (turn: number) => (turn % 2 === 0 ? "" : ways[(turn >> 1) % ways.length]!(turn));
    await changeUnderStorm(node, sources, way);
  });

  it(`also when rules with ranges are added and removed, in ${changes} changes`, {
    ...onlyInFull,
    timeout: 1_200_000,
  }, async () => {
    await changeUnderStorm(await labOfMany(), outsiders, ranges);
  });
});

/** By source and by destination. */
const ranges = (turn: number): string =>
  ofB(
    turn % 2 === 0
      ? `ports: [{port: ${ports.allowed}, protocol: UDP}]`
      : "from: [{ipBlock: {cidr: 10.9.1.0/24}}]",
  );

async function changeUnderStorm(
  node: NodeLab,
  sources: Readonly<Record<keyof typeof ports, readonly string[]>>,
  way: (turn: number) => string,
): Promise<void> {
  node.write("manifests/policy.yaml", way(0));
  const agent = await RunningAgent.ready(node);
  storm = Storm.start(node, "a", "b", sources, ports);
  const start = performance.now();
  for (let turn = 1; turn <= changes; turn++) {
    if (way(turn) === "") node.remove("manifests/policy.yaml");
    else node.write("manifests/policy.yaml", way(turn));
    await agent.says("rules are in the kernel");
    // Every other time long enough for rules to come to rest: a change is made from there, and right after another one.
    if (turn % 2 === 0) await new Promise((settled) => setTimeout(settled, 400));
  }
  const seconds = (performance.now() - start) / 1000;
  const { allowed, denied } = await storm.stop();
  const rate = (allowed.came + denied.came) / seconds;
  expect(denied.passed).toBe(0);
  expect(allowed.passed).toBe(allowed.came);
  // A storm that did not blow shows nothing.
  expect(Math.min(allowed.came, denied.came)).toBeGreaterThan(10_000);
  console.log(
    `${changes} changes in ${seconds.toFixed(1)} s under ${Math.round(rate / 1000)},000 packets a second`,
  );
}
