import { describe, expect, it } from "vitest";
import { podKey } from "../../cluster/model.js";
import { evaluate } from "../../evaluate/evaluate.js";
import { world } from "../../../testing/world.js";
import { compile } from "../engine.js";

describe("a pod that gets other labels", () => {
  const pod = (name: string, number: number, port: number) => `
{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}, spec: {nodeName: n1, containers: [{name: main, ports: [{name: http, containerPort: ${port}}]}]}, status: {podIP: 10.0.0.${number}}}
---`;
  const policies = `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: out, namespace: shop}, spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: http}]}]}}
`;

  it("S1.8: brings its own named ports to the rules that select it now", () => {
    const { state } = world(
      [pod("client", 1, 1), pod("web", 2, 80), pod("old", 3, 8080), policies].join("\n"),
    );
    const engine = compile(state.cluster, state.tiers);
    expect([...engine.pairs()].length).toBeGreaterThan(0);
    const before = state.cluster.pods.get("shop/old")!;
    const after = { ...before, labels: { app: "web" } };
    const { pairs } = engine.update({ pods: new Map([[podKey(after), after]]) });

    const namespace = engine.cluster.namespaces.get("shop")!;
    const client = engine.cluster.pods.get("shop/client")!;
    const flow = (port: number) => ({
      source: { kind: "pod", pod: client, namespace } as const,
      destination: { kind: "pod", pod: after, namespace } as const,
      protocol: "TCP" as const,
      port,
      family: 4 as const,
    });
    expect(pairs.map(({ before, after }) => before.allowed === after.allowed)).toEqual([false]);
    for (const [port, verdict] of [
      [8080, "Allow"],
      [80, "Deny"],
    ] as const) {
      expect(engine.verdict(flow(port))).toBe(verdict);
      expect(evaluate(engine.cluster, engine.tiers, flow(port)).verdict).toBe(verdict);
    }
  });
});
