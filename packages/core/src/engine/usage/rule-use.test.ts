import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { State } from "../../state/state.js";
import { explore } from "../../evaluate/facts.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Direction, Protocol, Rule } from "../../policy/model.js";
import { commonFamilies, familiesOf, insideEnds, outsideEnds } from "../../../testing/all-ends.js";
import { type Decides, decidersOf } from "../../../testing/flow-deciders.js";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { world } from "../../../testing/world.js";
import { compile } from "../engine.js";
import type { Use } from "./rule-use.js";

/** One port of each interval that rules distinguish. */
function distinguishedPorts({ tiers, cluster }: State): readonly Pick<Flow, "protocol" | "port">[] {
  const found = new Set<string>(["TCP 1", "UDP 1", "SCTP 1", "ICMP 0"]);
  const add = (protocol: Protocol, first: number, last: number) => {
    for (const port of [first, last, last + 1])
      if (port >= 1 && port <= 65535) found.add(`${protocol} ${port}`);
  };
  for (const { rules } of [...tiers.egress, ...tiers.ingress])
    for (const { ports } of rules)
      if (ports !== "every")
        for (const port of ports) if (port.kind === "range") add(port.protocol, port.first, port.last);
  for (const { ports } of cluster.pods.values())
    for (const { protocol, port } of ports) add(protocol, port, port);
  return [...found].map((text) => {
    const [protocol, port] = text.split(" ");
    return { protocol: protocol as Protocol, port: Number(port) };
  });
}

interface Expected {
  pairs: number;
  possible: number;
}

/** In how many pairs each decides surely, and in how many it may. */
function expectedIn(
  state: State,
  direction: Direction,
  pairs: Iterable<readonly [Endpoint, Endpoint]>,
): ReadonlyMap<Decides, Expected> {
  const found = new Map<Decides, Expected>();
  const ports = distinguishedPorts(state);
  for (const [source, destination] of pairs)
    for (const family of commonFamilies([familiesOf(state, source), familiesOf(state, destination)])) {
      const surely = new Set<Decides>();
      const possibly = new Set<Decides>();
      for (const port of ports) {
        const flow: Flow = { source, destination, ...port, ...(family === undefined ? {} : { family }) };
        const runs = explore((unknowns) =>
          decidersOf(direction, state, { flow, cluster: state.cluster, unknowns }),
        );
        for (const decider of runs.flatMap(({ value }) => value)) {
          possibly.add(decider);
          if (runs.every(({ value }) => value.includes(decider))) surely.add(decider);
        }
      }
      for (const decider of possibly) {
        const known = found.get(decider) ?? { pairs: 0, possible: 0 };
        found.set(decider, {
          pairs: known.pairs + (surely.has(decider) ? 1 : 0),
          possible: known.possible + 1,
        });
      }
    }
  return found;
}

function* insidePairs(state: State): Iterable<readonly [Endpoint, Endpoint]> {
  const ends = [...insideEnds(state).values()];
  for (const source of ends)
    for (const destination of ends) if (source !== destination) yield [source, destination];
}

function* outsidePairs(state: State, direction: Direction): Iterable<readonly [Endpoint, Endpoint]> {
  for (const end of insideEnds(state).values())
    for (const external of outsideEnds) yield direction === "egress" ? [end, external] : [external, end];
}

const deciderOf = ({ by }: Use): Decides =>
  by.kind === "rule" ? by.rule : by.kind === "isolation" ? by.isolation : by.kind;

const authenticates = ({ condition }: Rule) => condition?.kind === "authentication";

const nothing: Expected = { pairs: 0, possible: 0 };

describe("how much rules decide", () => {
  it("is what the literal evaluator reports, where everything is known", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 5, complete: true, maxPods: 4 }), (scenario) => {
        const state = stateIn(scenario);
        const uses = compile(state.cluster, state.tiers).ruleUse();
        // It is never known which clients must authenticate, however much else is known.
        fc.pre(
          ![...state.tiers.egress, ...state.tiers.ingress].some(({ rules }) => rules.some(authenticates)),
        );
        for (const direction of ["egress", "ingress"] as const) {
          const expected = expectedIn(state, direction, insidePairs(state));
          fc.pre([...expected.values()].every(({ pairs, possible }) => pairs === possible));
          for (const use of uses.filter((one) => one.direction === direction))
            expect([use.by, use.pairs, use.possibly]).toEqual([
              use.by,
              (expected.get(deciderOf(use)) ?? nothing).pairs,
              0,
            ]);
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 30) },
    );
  });

  it("is never more than that for sure, and never less perhaps, where facts are missing", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 5, maxPods: 4 }), (scenario) => {
        const state = stateIn(scenario);
        const uses = compile(state.cluster, state.tiers).ruleUse();
        for (const direction of ["egress", "ingress"] as const) {
          const expected = expectedIn(state, direction, insidePairs(state));
          const outside = expectedIn(state, direction, outsidePairs(state, direction));
          for (const use of uses.filter((one) => one.direction === direction)) {
            const { pairs, possible } = expected.get(deciderOf(use)) ?? nothing;
            expect(use.pairs).toBeLessThanOrEqual(pairs);
            expect(use.pairs + use.possibly).toBeGreaterThanOrEqual(possible);
            const seen = outside.get(deciderOf(use)) ?? nothing;
            if (seen.pairs > 0) expect([use.by, use.external]).not.toEqual([use.by, "never"]);
            if (use.external === "never") expect([use.by, seen.possible]).toEqual([use.by, 0]);
          }
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 30) },
    );
  });
});

describe("rules about a node of which nothing is known", () => {
  const objects = [
    "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
    "{apiVersion: v1, kind: Node, metadata: {name: known}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}",
    "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, spec: {nodeName: known}, status: {podIP: 10.0.0.1}}",
    "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: agent}, spec: {nodeName: strange, hostNetwork: true}, status: {podIP: 192.168.0.2}}",
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: first},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [
        {name: pass-edge, action: Pass, to: [{nodes: {matchLabels: {role: edge}}}, {nodes: {matchLabels: {role: door}}}]},
        {name: deny-nodes, action: Deny, to: [{nodes: {}}]},
        {name: idle, action: Deny, to: [{nodes: {matchLabels: {role: edge}}}]}]}}`,
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: second},
      spec: {tier: Baseline, priority: 1, subject: {namespaces: {}}, egress: [
        {name: accept-nodes, action: Accept, to: [{nodes: {}}]}]}}`,
  ];
  const { cluster, tiers } = world(objects.join("\n---\n")).state;
  const uses = compile(cluster, tiers).ruleUse();
  // The nodes, and the agent on the strange one.
  const hosts = cluster.nodes.size + 1;

  it.each([
    ["pass-edge", 0, hosts - 1],
    ["deny-nodes", 1, hosts - 1],
    ["idle", 0, 0],
    ["accept-nodes", 0, hosts - 1],
  ])("%s: %i pairs, and possibly %i", (name, pairs, possibly) => {
    const of = uses.filter(({ by }) => by.kind === "rule" && by.rule.origin.name === name);
    expect(of).toEqual([
      expect.objectContaining({ direction: "egress", pairs, possibly, external: "never" }),
    ]);
  });
});

describe("a rule behind one for all ports of all protocols", () => {
  it("decides nothing, as port 0 is no port", () => {
    const { cluster, tiers } = world(
      [
        "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
        "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: one}}",
        "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: two}}",
        "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: in}, spec: {podSelector: {}, ingress: [{}, {}]}}",
      ].join("\n---\n"),
    ).state;
    const range = { kind: "range", first: 1, last: 65535 } as const;
    const all: Rule["ports"] = [
      { ...range, protocol: "TCP" },
      { ...range, protocol: "UDP" },
      { ...range, protocol: "SCTP" },
      { kind: "icmp", family: 4, type: 0 },
      { kind: "icmp", family: 6, type: 0 },
    ];
    const ingress = tiers.ingress.map((tier) => ({
      ...tier,
      rules: tier.rules.map((rule, i) => (i === 0 ? { ...rule, ports: all } : rule)),
    }));
    const uses = compile(cluster, { egress: [], ingress }).ruleUse();
    expect(uses.filter(({ by }) => by.kind === "rule").map(({ pairs }) => pairs)).toEqual([2, 0]);
  });
});
