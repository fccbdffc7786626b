import { describe, expect, it, vi } from "vitest";
import type { State } from "../state/state.js";
import { type Pod, podKey } from "../cluster/model.js";
import { evaluate } from "../evaluate/evaluate.js";
import type { Flow } from "../evaluate/flow.js";
import type { Unnamed } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { labelOf, largeCluster, podNamed } from "../../testing/large-cluster.js";
import { about } from "../../testing/arbitrary/scenario.js";
import type { EndGroup } from "./pairs/end-groups.js";
import { compile, type Engine } from "./engine.js";

// Clusters beyond what there are take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/* Numbers past which a word, a mask or an index of the engine's would overflow. */

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const tcp = (state: State, from: number, to: number, port: number): Flow => ({
  source: podNamed(state, from),
  destination: podNamed(state, to),
  family: 4,
  protocol: "TCP",
  port,
});

function expectSame(state: State, engine: Engine, flows: readonly Flow[]): void {
  const verdicts = flows.map((flow) => evaluate(state.cluster, state.tiers, flow).verdict);
  expect(new Set(verdicts)).toEqual(new Set(["Allow", "Deny"]));
  expect(flows.map((flow) => `${about(flow)}: ${engine.verdict(flow)}`)).toEqual(
    flows.map((flow, i) => `${about(flow)}: ${verdicts[i]}`),
  );
}

/** The same of the blocks of all pairs: each of the connections is in one of them. */
function expectSameInPairs(state: State, engine: Engine, flows: readonly Flow[]): void {
  const said = new Map<Flow, string>();
  let pairs = 0;
  for (const { from, to, count, allowed } of engine.pairs()) {
    pairs += count;
    const sources = membersOf([from]);
    const asked = flows.filter(({ source }) => source.kind === "pod" && sources.has(source.pod));
    if (asked.length === 0) continue;
    const destinations = membersOf(to);
    for (const flow of asked)
      if (flow.destination.kind === "pod" && destinations.has(flow.destination.pod))
        said.set(flow, engine.ports.contains(allowed, flow.protocol, flow.port) ? "Allow" : "Deny");
  }
  const { size } = state.cluster.pods;
  expect(pairs).toBe(size * (size - 1));
  expect(flows.map((flow) => `${about(flow)}: ${said.get(flow)}`)).toEqual(
    flows.map((flow) => `${about(flow)}: ${evaluate(state.cluster, state.tiers, flow).verdict}`),
  );
}

const membersOf = (groups: readonly EndGroup[]): ReadonlySet<Pod> =>
  new Set(groups.flatMap(({ classes }) => classes.flatMap(({ pods }) => pods)));

describe("more than 65,536 distinct sets of ports", () => {
  it("S1.4: where each two pods have other ports in common", () => {
    const count = 280;
    const policies = numbers(count).map(
      (i): Unnamed<unknown> => ({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        namespace: "all",
        spec: {
          podSelector: { matchLabels: labelOf(i) },
          policyTypes: ["Ingress", "Egress"],
          ingress: [{ ports: [{ port: 1, endPort: 1000 + i }] }],
          egress: [{ ports: [{ port: i + 1, endPort: 65535 }] }],
        },
      }),
    );
    const state = largeCluster(count, policies);
    const engine = compile(state.cluster, state.tiers);
    const flows = numbers(20).flatMap((i) => {
      const [from, to] = [i * 13, (i * 13 + 7 * i + 1) % count];
      return [from, from + 1, 1000 + to, 1001 + to].map((port) => tcp(state, from, to, Math.max(port, 1)));
    });
    expectSame(state, engine, flows);
    expectSameInPairs(state, engine, flows);
    expect(engine.ports.size).toBeGreaterThan(65_536);
  });
});

describe("tiers with thousands of rules", () => {
  /** Rule `i` of a policy matches one pod and one port. */
  const policy = (priority: number, subject: object, rules: readonly object[]): Unnamed<unknown> => ({
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    spec: { priority, subject: { pods: { namespaceSelector: {}, podSelector: subject } }, ingress: rules },
  });
  const rule = (action: string, peer: number, port: number) => ({
    action,
    from: [{ pods: { namespaceSelector: {}, podSelector: { matchLabels: labelOf(peer) } } }],
    ports: [{ portNumber: { port } }],
  });

  it("more than 32 x 32 columns, more than 32 rules a row, and more ports than a mask of 16 words holds", () => {
    const pods = 1100;
    // All pods are subject to the first twenty, and each of the first ten to one more.
    const shared = numbers(20).map((p) =>
      policy(
        p,
        {},
        numbers(60).map((r) => rule(r % 2 === 0 ? "Deny" : "Allow", (p * 60 + r) % pods, 1000 + p * 60 + r)),
      ),
    );
    const own = numbers(10).map((p) =>
      policy(
        50 + p,
        { matchLabels: labelOf(p) },
        numbers(100).map((r) => rule("Deny", 1000 + r, 5000 + p * 100 + r)),
      ),
    );
    const state = largeCluster(pods, [...shared, ...own]);
    const engine = compile(state.cluster, state.tiers);
    const flows = [
      ...[0, 1, 2, 31, 32, 33, 62, 63, 64, 1022, 1023, 1024, 1025, 1099].flatMap((i) => [
        tcp(state, i, 500, 1000 + i),
        tcp(state, i, 501, 1001 + i),
      ]),
      ...[0, 24, 25, 99].flatMap((r) => numbers(11).map((p) => tcp(state, 1000 + r, p, 5000 + 100 * p + r))),
    ];
    expectSame(state, engine, flows);
    expectSameInPairs(state, engine, flows);
  });
});

describe("more classes that come later than are kept without compiling again", () => {
  it("pods that get one label after the other, each time one that no other pod has, or that a policy names", () => {
    const pods = 100;
    const policies = numbers(40).map(
      (i): Unnamed<unknown> => ({
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        namespace: "all",
        spec: {
          podSelector: { matchLabels: labelOf(i) },
          ingress: [{ from: [{ podSelector: { matchLabels: labelOf(i + 1) } }] }],
        },
      }),
    );
    const state = largeCluster(pods, policies);
    const engine = compile(state.cluster, state.tiers);
    for (const i of numbers(4 * pods)) {
      const before = engine.cluster.pods.get(`all/p${i % pods}`)!;
      const after = { ...before, labels: labelOf(i % 7 === 0 ? i % 40 : 1000 + i) };
      const { pairs } = engine.update({ pods: new Map([[podKey(after), after]]) });
      const isMentioned = ({ labels }: Pod) =>
        numbers(41).some((named) => labelOf(named)["app"] === labels["app"]);
      if (!isMentioned(before) && !isMentioned(after)) expect(pairs).toEqual([]);
    }
    const now = { ...state, cluster: engine.cluster };
    const flows = numbers(pods - 2).flatMap((to) => [
      tcp(now, 98, to, 80),
      tcp(now, (to * 3 + 1) % pods, to, 80),
    ]);
    expectSame(now, engine, flows);
    expectSameInPairs(now, engine, flows);
  });
});
