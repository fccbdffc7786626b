import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AskedPort, AskedPair } from "../analysis/explain/ask.js";
import type { MatrixCell } from "../analysis/matrix/cells.js";
import { type Matrix, type MatrixEnd, matrixOf } from "../analysis/matrix/matrix.js";
import type { MatrixQuestion } from "../analysis/matrix/question.js";
import type { PortGroup } from "../analysis/matrix/port-groups.js";
import { Reasons } from "../analysis/matrix/reasons.js";
import { type Grain, partyKey, partyOf } from "../analysis/endpoints/party.js";
import type { State } from "../state/state.js";
import { compile } from "../engine/engine.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Endpoint } from "../evaluate/flow.js";
import { type LabelMatch, selects } from "../labels/requirement.js";
import { formatAddress, parseAddress } from "../net/address.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import {
  labelWords,
  type Manifest,
  namespaceNames,
  anyOf,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { everything } from "../../testing/matrix-world.js";
import { anyScenario, type Scenario, stateOf } from "../../testing/arbitrary/scenario.js";
import { clusters } from "../../testing/search.js";

/** Workloads of which nothing but the template is known: they represent replicas that connect to each other (S1.6). */
const templates: readonly Manifest[] = [
  { namespace: "alpha", labels: { app: "web" }, hostNetwork: false },
  { namespace: "beta", labels: { app: "db", team: "red" }, hostNetwork: false },
  { namespace: "beta", labels: {}, hostNetwork: true },
].map(({ namespace, labels, hostNetwork }, i) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: `template-${i}`, namespace },
  spec: { template: { metadata: { labels }, spec: { hostNetwork, containers: [] } } },
}));

const stateWithTemplates = ({ cluster, policies, facts }: Scenario) =>
  stateOf([...manifestsOf(cluster), ...policies, ...templates], { facts });

type Asked = Pick<MatrixQuestion, "by" | "undecided"> & {
  readonly from: string | undefined;
  readonly namespace: string | undefined;
  readonly label: readonly [key: string, value: string] | undefined;
};

const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const anyQuestion: fc.Arbitrary<Asked> = fc.record({
  by: anyOf("pod", "workload", "namespace"),
  undecided: anyOf("show", "show", "allow", "deny"),
  from: sometimes(anyOf("node:node-1", ...namespaceNames)),
  namespace: sometimes(anyOf(...namespaceNames)),
  label: sometimes(
    anyOf(...Object.entries(labelWords.pod).flatMap(([key, values]) => values.map((v) => [key, v] as const))),
  ),
});

const matchOf = (label: Asked["label"]): LabelMatch =>
  label === undefined ? [] : [{ key: label[0], operator: "In", values: [label[1]] }];

/** Every pair of endpoints of the question, one by one. */
function pairsAbout(state: State, { from, namespace, label }: Asked): readonly AskedPair[] {
  const isAmong = (end: Endpoint) =>
    from === undefined ||
    (end.kind === "pod" && end.pod.namespace === from) ||
    (end.kind === "node" && `node:${end.node.name}` === from);
  const isInFocus = (end: Endpoint) =>
    end.kind === "pod" &&
    (namespace === undefined || end.pod.namespace === namespace) &&
    selects(matchOf(label), end.pod.labels);
  const others = otherPairs(state).filter(({ source, destination, toItself }) => {
    const isReplicas = source === destination && source.kind === "pod" && source.pod.fromTemplate === true;
    return source.kind === "external" || destination.kind === "external" || (isReplicas && !toItself);
  });
  return [...memberPairs(state.cluster), ...others].filter(
    ({ source, destination }) =>
      isAmong(source) &&
      ((namespace === undefined && label === undefined) || isInFocus(source) || isInFocus(destination)),
  );
}

/** The expected content of each port of each cell, from the evaluator's verdicts about its pairs. */
function wantedCells(state: State, asked: Asked, ports: readonly AskedPort[]): ReadonlyMap<string, string> {
  const verdicts = new Map<string, Verdict[][]>();
  const nameOf = (end: Endpoint) =>
    end.kind === "external" ? formatAddress(end.address) : partyKey(partyOf(end, asked.by));
  for (const pair of pairsAbout(state, asked)) {
    const key = `${nameOf(pair.source)} -> ${nameOf(pair.destination)}`;
    const known = verdicts.get(key) ?? ports.map(() => []);
    for (const [i, port] of ports.entries()) {
      const { verdict } = evaluate(state.cluster, state.tiers, { ...pair, ...port });
      const folded = { show: verdict, allow: "Allow", deny: "Deny" } as const;
      known[i]!.push(verdict === "Undecided" ? folded[asked.undecided] : verdict);
    }
    verdicts.set(key, known);
  }
  const summed = (all: readonly Verdict[]) => {
    if (all.every((verdict) => verdict === "Allow")) return "allowed";
    if (all.includes("Allow")) return "partly";
    return all.includes("Undecided") ? "undecided" : "-";
  };
  return new Map([...verdicts].map(([key, all]) => [key, all.map(summed).join(" ")]));
}

const holds = (groups: readonly PortGroup[], { protocol, port }: AskedPort) =>
  groups.some((group) => {
    if (group.protocol === "any") return true;
    if (group.protocol !== protocol) return false;
    return group.protocol === "ICMP" || group.ranges.some(([first, last]) => first <= port && port <= last);
  });

/** The content of a cell for each port; there must be exactly one. */
function said({ allowed, wholly, partly, undecided }: MatrixCell, ports: readonly AskedPort[]): string {
  const ofPort = (port: AskedPort) => {
    const words = [
      ...(holds(wholly, port) ? ["allowed"] : []),
      ...(holds(partly, port) ? ["partly"] : []),
      ...(holds(undecided, port) ? ["undecided"] : []),
    ];
    expect(holds(allowed, port)).toBe(words[0] === "allowed" || words[0] === "partly");
    return words.length === 0 ? "-" : words.join("+");
  };
  return ports.map(ofPort).join(" ");
}

/** The same cells as the matrix has them; of a range, those of the addresses that are asked about. */
function cellsOf(matrix: Matrix, wanted: Iterable<string>, ports: readonly AskedPort[]) {
  const connections = [...matrix.connections({ denied: true })];
  const found = new Map<string, string>();
  const matches = (end: MatrixEnd, name: string) =>
    end.kind === "external" ? isIn(end, name) : partyKey(end) === name;
  for (const key of wanted) {
    const [from, to] = key.split(" -> ");
    const cells = connections.filter((one) => matches(one.from, from!) && matches(one.to, to!));
    found.set(key, cells.map(({ cell }) => said(cell, ports)).join(" and "));
  }
  const inside = connections.filter(({ from, to }) => from.kind !== "external" && to.kind !== "external");
  return { found, count: inside.length };
}

function isIn({ range }: Extract<MatrixEnd, { kind: "external" }>, name: string): boolean {
  const address = parseAddress(name);
  return address?.family === range.family && range.first <= address.value && address.value <= range.last;
}

describe("the matrix has for every cell and port the verdicts of the evaluator", () => {
  it.each([
    { of: "small", runs: 20 },
    { of: "crowded", runs: 4 },
    { of: "foreign", runs: 12 },
    { of: "cilium", runs: 12 },
  ] as const)("$of", ({ of, runs }) => {
    fc.assert(
      fc.property(anyScenario(clusters[of]), anyQuestion, (scenario, asked) => {
        const state = stateWithTemplates(scenario);
        const ports = portsAtBorders(state);
        const engine = compile(state.cluster, state.tiers);
        const made = matrixOf(engine, {
          by: asked.by,
          from: asked.from === undefined ? [] : [asked.from],
          to: [],
          namespaces: asked.namespace === undefined ? [] : [asked.namespace],
          labels: matchOf(asked.label),
          ports: [],
          undecided: asked.undecided,
        });
        // Filters that match nothing are rejected.
        if (!made.ok) return made.diagnostic.code === "TW1502";
        const wanted = wantedCells(state, asked, ports);
        const { found, count } = cellsOf(made.value, wanted.keys(), ports);
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
        const inside = [...wanted.keys()].filter((key) =>
          key.split(" -> ").every((name) => name.includes(" ")),
        );
        expect(count).toBe(inside.length);
        return true;
      }),
      { numRuns: runs },
    );
  });
});

describe("the reasons of a cell are those that the evaluator gives", () => {
  it.each(["small", "foreign", "cilium"] as const)("%s", (of) => {
    fc.assert(
      fc.property(anyScenario(clusters[of]), anyOf<Grain>("pod", "namespace"), (scenario, by) => {
        const state = stateWithTemplates(scenario);
        const ports = portsAtBorders(state).filter((_, i) => i % 3 === 0);
        const engine = compile(state.cluster, state.tiers);
        const made = matrixOf(engine, { ...everything, by });
        if (!made.ok) return false;
        const reasons = new Reasons(engine, made.value);
        for (const connection of made.value.connections({ denied: true })) {
          const found = reasons.of(connection);
          expect(found.length).toBeGreaterThan(0);
          for (const { source, destination, family, ...directions } of found)
            for (const port of ports) {
              const flow = { source, destination, ...port, ...(family === undefined ? {} : { family }) };
              const literal = evaluate(state.cluster, state.tiers, flow);
              for (const direction of ["egress", "ingress"] as const) {
                const parts = directions[direction].parts.filter((part) => holds(part.ports, port));
                expect(parts.map(({ said: { verdict, deciders } }) => [verdict, deciders])).toEqual([
                  [literal[direction].verdict, literal[direction].decisions.map(({ by: who }) => who)],
                ]);
              }
            }
        }
        return true;
      }),
      { numRuns: 8 },
    );
  });
});
