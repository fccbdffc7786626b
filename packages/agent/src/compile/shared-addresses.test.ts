import { describe, expect, it } from "vitest";
import { nodeWorld, nodeYaml, podYaml } from "../testing/node-world.js";

const nodes = nodeYaml("here", "192.168.0.1") + nodeYaml("there", "192.168.0.2");
/** A pod of the namespace shop with the label `app`, so that replicas have the same labels. */
const pod = (name: string, app: string, ip: string, node = "here") =>
  podYaml(`shop/${name}`, ip, { node }).replace(`app: ${name} `, `app: ${app} `);
const client = pod("client", "client", "10.0.0.9,fd00::9");
/** Pods with the label may talk, or be talked to, on these ports alone. */
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
