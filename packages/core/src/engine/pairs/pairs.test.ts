import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import { world } from "../../../testing/world.js";
import type { Block } from "./blocks.js";
import type { EndGroup } from "./end-groups.js";
import { compile, type Engine } from "../engine.js";
import { endpointsOf } from "../classes/members.js";

/* That all pairs are those of the evaluator is a law (../laws/engine-and-evaluator.test.ts); here is what they look like. */

const pod = (name: string, app: string, address: string, rest = "") =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: a, labels: {app: ${app}}}, spec: {nodeName: n1${rest}}, status: {podIPs: [${address
    .split(" ")
    .map((ip) => `{ip: "${ip}"}`)
    .join()}]}}\n---\n`;
const node = (name: string, address: string) =>
  `{apiVersion: v1, kind: Node, metadata: {name: ${name}}, status: {addresses: [{type: InternalIP, address: ${address}}]}}\n---\n`;
const onlyWebToDatabase = `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: db, namespace: a}, spec: {podSelector: {matchLabels: {app: db}},
  ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 5432}]}]}}
---
`;

/** `a/w1 a/w2 -> a/db IPv4: TCP 5432 (2)`: the ends, the ports that are allowed, and how many pairs that is. */
function shown(engine: Engine): readonly string[] {
  const names = (groups: readonly EndGroup[]) =>
    groups
      .flatMap(({ classes }) => classes.flatMap((end) => [...endpointsOf(engine.cluster, end)]))
      .map(formatEndpoint)
      .toSorted()
      .join(" ");
  const line = ({ from, to, family, allowed, nearness, count }: Block) => {
    const tcp = engine.ports.ranges(allowed, "TCP").map(([first, last]) => `${first}-${last}`);
    const where = nearness === undefined ? "" : ` on the ${nearness}`;
    return `${names([from])} -> ${names(to)} IPv${family ?? "?"}${where}: ${tcp.join(" ") || "nothing"} (${count})`;
  };
  return [...engine.pairs()].map(line).toSorted();
}

function blocksIn(yaml: string): readonly string[] {
  const { cluster, tiers } = world(yaml).state;
  return shown(compile(cluster, tiers)).filter((line) => !line.includes("node "));
}

describe("all pairs", () => {
  it("are blocks of ends that behave alike", () => {
    const web = [pod("w1", "web", "10.0.0.1"), pod("w2", "web", "10.0.0.2"), pod("db", "db", "10.0.0.3")];
    expect(blocksIn(web.join("") + onlyWebToDatabase)).toEqual([
      "a/db -> a/w1 a/w2 IPv4: 1-65535 (2)",
      "a/w1 a/w2 -> a/db IPv4: 5432-5432 (2)",
      "a/w1 a/w2 -> a/w1 a/w2 IPv4: 1-65535 (2)",
    ]);
  });

  it("S1.15: are there once for each family in common", () => {
    const pods = [
      pod("both", "x", "10.0.0.1 fd00::1"),
      pod("four", "x", "10.0.0.2"),
      pod("six", "x", "fd00::3"),
    ];
    expect(blocksIn(pods.join(""))).toEqual([
      "a/both -> a/four IPv4: 1-65535 (1)",
      "a/both -> a/six IPv6: 1-65535 (1)",
      "a/four -> a/both IPv4: 1-65535 (1)",
      "a/six -> a/both IPv6: 1-65535 (1)",
    ]);
  });

  it("S1.6: distinguish a pod's own node from others", () => {
    const yaml = [node("n1", "192.168.0.1"), node("n2", "192.168.0.2"), pod("db", "db", "10.0.0.3")].join("");
    const { cluster, tiers } = world(yaml + onlyWebToDatabase).state;
    const lines = shown(compile(cluster, tiers)).filter((line) => line.includes("-> a/db"));
    expect(lines).toEqual([
      "node n1 node n2 -> a/db IPv4 on the other-node: nothing (1)",
      "node n1 node n2 -> a/db IPv4 on the own-node: 1-65535 (1)",
    ]);
  });

  it("S1.6: of a pod and its own node are what all tiers say, also those that say nothing to others", () => {
    const denyPods = `
{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: none}, spec: {tier: Baseline, priority: 1,
  subject: {namespaces: {}}, ingress: [{name: none, action: Deny, from: [{namespaces: {}}]}]}}
---
`;
    const yaml = [node("n1", "192.168.0.1"), node("n2", "192.168.0.2"), pod("db", "db", "10.0.0.3")].join("");
    const { cluster, tiers } = world(yaml + onlyWebToDatabase + denyPods).state;
    const lines = shown(compile(cluster, tiers)).filter((line) => line.includes("-> a/db"));
    expect(lines).toEqual([
      "node n1 node n2 -> a/db IPv4 on the other-node: nothing (1)",
      "node n1 node n2 -> a/db IPv4 on the own-node: 1-65535 (1)",
    ]);
  });

  it("S1.4: of hosts are always allowed", () => {
    const host = pod("host", "db", "192.168.0.1", ", hostNetwork: true");
    const { cluster, tiers } = world(node("n1", "192.168.0.1") + host + onlyWebToDatabase).state;
    const lines = shown(compile(cluster, tiers));
    expect(lines.filter((line) => !line.includes(": 1-65535 ("))).toEqual([]);
    expect(lines.join()).toContain("a/host");
  });
});
