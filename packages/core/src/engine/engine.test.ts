import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { State } from "../state/state.js";
import { evaluate } from "../evaluate/evaluate.js";
import { evaluatorExam, faultOfEngine } from "../../testing/agreement.js";
import { about, anyScenario, flowsOf, stateIn } from "../../testing/arbitrary/scenario.js";
import { world } from "../../testing/world.js";
import { compile } from "./engine.js";

// Every flow of many clusters takes a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

const compiled = ({ cluster, tiers }: State) => compile(cluster, tiers);

describe("the engine and the literal evaluator", () => {
  it("give the same verdict for whatever is asked: Services and pods still to come among it", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 8 }), (scenario) => {
        const state = stateIn(scenario);
        const engine = compiled(state);
        for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question)))
          expect([about(flow), engine.verdict(flow)]).toEqual([
            about(flow),
            evaluate(state.cluster, state.tiers, flow).verdict,
          ]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("clusters that have hardly anything", () => {
  const pod = (name: string, rest = "") =>
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: a, labels: {app: ${name}}}${rest}}\n---\n`;
  const running = (name: string, number: number) => pod(name, `, status: {podIP: 10.0.0.${number}}`);
  const placed = (name: string, number: number) =>
    pod(name, `, spec: {nodeName: n1}, status: {podIP: 10.0.0.${number}}`);
  const node = (number: number) =>
    `{apiVersion: v1, kind: Node, metadata: {name: n${number}}, status: {addresses: [{type: InternalIP, address: 192.168.0.${number}}]}}\n---\n`;
  const isolate =
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np, namespace: a}, spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]}}\n---\n";
  const byName =
    "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: p}, spec: {tier: Admin, priority: 1, subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: a}}}, ingress: [{action: Deny, from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: a}}}]}]}}\n---\n";

  it.each([
    ["nothing at all", "", 0],
    ["nothing but policies", isolate, 0],
    ["one pod", running("one", 1), 0],
    ["one pod, which is isolated", running("one", 1) + isolate, 0],
    ["one pod and its node", placed("one", 1) + node(1) + isolate, 2],
    ["only nodes", node(1) + node(2), 2],
    ["no policies", placed("one", 1) + placed("two", 2) + node(1), 6],
    ["pods that have nothing yet", pod("one") + pod("two") + isolate, 2],
    ["a namespace that is not listed, by its name", running("one", 1) + running("two", 2) + byName, 2],
  ])("%s", (_, yaml, pairs) => {
    const { state } = world(yaml);
    const engine = compiled(state);
    expect([...engine.pairs()].reduce((sum, { count }) => sum + count, 0)).toBe(pairs);
    expect(faultOfEngine(compiled, evaluatorExam(state, 1))).toBeUndefined();
  });
});
