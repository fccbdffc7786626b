import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { modesOf } from "../observe/decider.js";
import { nodeWorld, nodeYaml, plainOptions, podYaml } from "../../testing/node-world.js";
import { NodeCompiler } from "./node-compiler.js";

const nodes = nodeYaml("here", "192.168.0.1") + nodeYaml("there", "192.168.0.2");
/** A pod of the namespace shop with the label `app`, so that replicas have the same labels. */
const pod = (name: string, app: string, ip: string, node = "here") =>
  podYaml(`shop/${name}`, ip, { node, app });
const client = pod("client", "client", "10.0.0.9,fd00::9");
/** Allows pods with the label to send (Egress) or receive (Ingress) on these ports only. */
const only = (app: string, direction: "Ingress" | "Egress", ...ports: readonly number[]) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { namespace: shop, name: ${app}-${direction.toLowerCase()} }
spec:
  podSelector: { matchLabels: { app: ${app} } }
  policyTypes: [${direction}]
  ${direction.toLowerCase()}: [{ ports: [${ports.map((port) => `{ port: ${port} }`).join()}] }]
`;

const ports = [80, 81, 82];
const reached = (yaml: string, from: string, to: string): readonly number[] => {
  const { send } = nodeWorld(nodes + client + yaml);
  return ports.filter((port) => send(`${from} -> ${to}:${port}/TCP`).verdict === "accept");
};

describe("S1.17: two replicas of one workload report one address", () => {
  const replicas = pod("web-1", "web", "10.0.0.1,fd00::1") + pod("web-2", "web", "10.0.0.1,fd00::1");
  const policies = only("web", "Ingress", 80) + only("web", "Egress", 81);

  it("and are judged like one of them", () => {
    expect(reached(replicas + policies, "10.0.0.9", "10.0.0.1")).toEqual([80]);
    expect(reached(replicas + policies, "fd00::9", "fd00::1")).toEqual([80]);
    expect(reached(replicas + policies, "10.0.0.1", "10.0.0.9")).toEqual([81]);
  });

  it("and a pod of another workload does, too", () => {
    const third = pod("old", "old", "10.0.0.1,fd00::1") + only("old", "Ingress", 80, 81);
    expect(reached(replicas + third + policies, "10.0.0.9", "10.0.0.1")).toEqual([80]);
  });
});

describe("S1.17: as the other end, a rule is compared with each of the pods, by all of its peers", () => {
  const shared = pod("a", "a", "10.0.0.1", "there") + pod("b", "b", "10.0.0.1", "there");
  const from = (...apps: readonly string[]) => `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { namespace: shop, name: from }
spec:
  podSelector: { matchLabels: { app: client } }
  ingress: [{ from: [${apps.map((app) => `{ podSelector: { matchLabels: { app: ${app} } } }`).join()}] }]
`;

  it.each([
    [["a"], []],
    [["b"], []],
    [["a", "b"], ports],
    [["b", "other", "a"], ports],
  ])("allowed from %j: reached on %j", (apps, expected) => {
    expect(reached(shared + from(...apps), "10.0.0.1", "10.0.0.9")).toEqual(expected);
  });

  it("also where the second pod comes later", () => {
    const read = (yaml: string) => readState([{ file: "test.yaml", text: nodes + client + yaml }]);
    const before = read(pod("a", "a", "10.0.0.1", "there") + from("a", "b"));
    const { cluster, tiers } = read(shared + from("a", "b"));
    const compiler = new NodeCompiler(plainOptions, modesOf);
    compiler.compile(before.cluster, before.tiers);
    const pods = new Map([...before.cluster.pods, ["shop/b", cluster.pods.get("shop/b")!]]);
    const { ruleset } = compiler.compile({ ...before.cluster, pods }, before.tiers);
    const expected = new NodeCompiler(plainOptions, modesOf).compile(cluster, tiers).ruleset;
    expect(ruleset.sets.get("ident4")).toEqual(expected.sets.get("ident4"));
  });
});

describe("S1.17: a pod of another node reports the address of a pod of this one", () => {
  const web = pod("web", "web", "10.0.0.1");
  const rival = pod("old", "old", "10.0.0.1,10.0.0.2", "there");

  it.each([
    ["only the pod of the other node is bound", only("old", "Ingress", 81), [81]],
    ["only the pod of this node is", only("web", "Ingress", 80, 81), [80, 81]],
    ["both are", only("web", "Ingress", 80, 81) + only("old", "Ingress", 81, 82), [81]],
    ["none is", "", ports],
  ])("the policies of both apply where %s", (_, policies, expected) => {
    expect(reached(web + rival + policies, "10.0.0.9", "10.0.0.1")).toEqual(expected);
  });

  it("the policies of both apply to what it sends", () => {
    const policies = only("web", "Egress", 80, 81) + only("old", "Egress", 81, 82);
    expect(reached(web + rival + policies, "10.0.0.1", "10.0.0.9")).toEqual([81]);
  });

  it("the other address of the pod elsewhere is judged there", () => {
    const policies = only("old", "Ingress", 81) + only("old", "Egress", 81);
    expect(reached(web + rival + policies, "10.0.0.9", "10.0.0.2")).toEqual(ports);
  });

  it("entities are those that a pod of this node has", () => {
    const host = `---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: { namespace: shop, name: remote }
spec: { endpointSelector: {}, ingress: [{ fromEntities: [remote-node] }] }
`;
    expect(reached(rival + web + host, "192.168.0.2", "10.0.0.1")).toEqual(ports);
    expect(reached(rival + web + host, "192.168.0.2", "10.0.0.9")).toEqual(ports);
  });

  it("a pod comes and goes", () => {
    const read = (yaml: string) => readState([{ file: "test.yaml", text: nodes + client + yaml }]);
    const policies = only("old", "Ingress", 81);
    const compiler = new NodeCompiler(plainOptions, modesOf);
    const texts = [web, web + rival, web, rival, web + rival].map((pods) => read(pods + policies));
    for (const { cluster, tiers } of texts)
      expect(compiler.compile(cluster, tiers).ruleset).toEqual(
        new NodeCompiler(plainOptions, modesOf).compile(cluster, tiers).ruleset,
      );
  });
});
