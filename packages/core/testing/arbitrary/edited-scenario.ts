import fc from "fast-check";
import type { State } from "../../src/state/state.js";
import type { EndInBoth, Pair } from "../../src/engine/index.js";
import { evaluate } from "../../src/evaluate/evaluate.js";
import type { Flow } from "../../src/evaluate/flow.js";
import type { Family } from "../../src/net/address.js";
import { commonFamilies, familiesOf, insideEnds, outsideEnds, probedPorts } from "../all-ends.js";
import { type ClusterModel, manifestsOf, type PodModel } from "./arbitrary-cluster.js";
import { anyPolicies } from "./arbitrary-policies.js";
import type { Manifest } from "./arbitrary-vocabulary.js";
import { about, anyScenario, type Scenario, stateIn, stateOf } from "./scenario.js";

type PodEdit = (pod: PodModel) => readonly PodModel[];

const podEdits: readonly PodEdit[] = [
  (pod) => [pod],
  () => [],
  (pod) => [{ ...pod, labels: { ...pod.labels, app: "db" } }],
  ({ node, ...pod }) => [{ ...pod, node: node === "node-1" ? "node-2" : "node-1" }],
  ({ node: _node, ...pod }) => [pod],
  (pod) => [{ ...pod, hostNetwork: !pod.hostNetwork }],
  (pod) => [{ ...pod, ips: [] }],
  (pod) => [{ ...pod, ports: [] }],
  (pod) => [pod, { ...pod, name: `${pod.name}-new`, ips: [] }],
];

export interface Edited {
  readonly scenario: Scenario;
  readonly cluster: ClusterModel;
  readonly policies: readonly Manifest[];
}

/** A scenario, and an edited one: mostly with a policy added or removed, sometimes with other pods. */
export const anyEdit: fc.Arbitrary<Edited> = anyScenario({ maxLength: 6 }).chain((scenario) =>
  fc
    .record({
      kept: fc.subarray([...scenario.policies]),
      added: anyPolicies({ maxLength: 2 }),
      edits: fc.array(fc.nat(podEdits.length * 2), { minLength: 5, maxLength: 5 }),
    })
    .map(({ kept, added, edits }) => {
      const pods = scenario.cluster.pods.flatMap((pod, i) => (podEdits[edits[i]!] ?? podEdits[0]!)(pod));
      // Two policies of one name would be an error.
      const names = new Set(kept.map(nameOf));
      const policies = [...kept, ...added.filter((policy) => !names.has(nameOf(policy)))];
      return { scenario, cluster: { ...scenario.cluster, pods }, policies };
    }),
);

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;

function* pairsInBoth(before: State, after: State): Iterable<Pair> {
  const [was, is] = [insideEnds(before), insideEnds(after)];
  const inside = [...is].flatMap(([name, end]) =>
    was.has(name) ? { before: was.get(name)!, after: end } : [],
  );
  const outside: readonly EndInBoth[] = outsideEnds.map((end) => ({ before: end, after: end }));
  for (const source of [...inside, ...outside])
    for (const destination of [...inside, ...outside])
      if (source !== destination && !(outside.includes(source) && outside.includes(destination)))
        yield { source, destination };
}

/** The families in which connections can be compared. */
const familiesInBoth = (before: State, after: State, { source, destination }: Pair) =>
  commonFamilies(
    [source, destination].flatMap((end) => [familiesOf(before, end.before), familiesOf(after, end.after)]),
  );

export function flowOf(
  pair: Pair,
  when: "before" | "after",
  family: Family | undefined,
  port: Pick<Flow, "protocol" | "port">,
) {
  const flow = { source: pair.source[when], destination: pair.destination[when], ...port };
  return family === undefined ? flow : { ...flow, family };
}

/** `a/b -> c/d TCP 80, IPv4: Allow -> Deny`, of the literal evaluator. */
export function changesByEvaluation(before: State, after: State): readonly string[] {
  const found: string[] = [];
  for (const pair of pairsInBoth(before, after))
    for (const family of familiesInBoth(before, after, pair))
      for (const port of probedPorts) {
        const was = evaluate(before.cluster, before.tiers, flowOf(pair, "before", family, port)).verdict;
        const is = evaluate(after.cluster, after.tiers, flowOf(pair, "after", family, port)).verdict;
        if (was !== is) found.push(`${about(flowOf(pair, "after", family, port))}: ${was} -> ${is}`);
      }
  return found.toSorted();
}

export const statesOf = ({ scenario, cluster, policies }: Edited): readonly [State, State] => [
  stateIn(scenario),
  stateOf([...manifestsOf(cluster), ...policies], { facts: scenario.facts }),
];
