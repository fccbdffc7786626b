import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { evaluate } from "../../evaluate/evaluate.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import { outsideEnds, probedPorts } from "../../../testing/all-ends.js";
import {
  anyEdit,
  changesByEvaluation,
  flowOf,
  statesOf,
} from "../../../testing/arbitrary/edited-scenario.js";
import { about } from "../../../testing/arbitrary/scenario.js";
import { world } from "../../../testing/world.js";
import type { Pair } from "./changed-block.js";
import { type ChangedPart, ChangedParts, type PartSide } from "./changed-parts.js";
import { compileBoth } from "./compile-both.js";
import { compile } from "../engine.js";
import type { EndInBoth, EndsInBoth } from "./ends-in-both.js";

// Every port of many clusters takes a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/** Its pairs, with the addresses that are asked about instead of ranges. */
function pairsOf({ from, to, meant }: ChangedPart, ends: EndsInBoth): readonly Pair[] {
  const endsOf = (side: PartSide): readonly EndInBoth[] =>
    side.kind === "class"
      ? [...ends.membersOf(side.joint)]
      : outsideEnds
          .filter(({ address: { family, value } }) => {
            const { range } = side;
            return family === range.family && value >= range.first && value <= range.last;
          })
          .map((end) => ({ before: end, after: end }));
  return endsOf(from).flatMap((source) =>
    endsOf(to)
      .map((destination) => ({ source, destination }))
      .filter((pair) => (meant === "all" ? isDifferent(pair) : meant(pair))),
  );
}

const isDifferent = ({ source, destination }: Pair) =>
  formatEndpoint(source.after) !== formatEndpoint(destination.after);

describe("the parts of a difference", () => {
  it.each([
    ["compiled together", compileBoth],
    [
      "compiled apart",
      (...[a, b]: Parameters<typeof compileBoth>) =>
        [compile(a.cluster, a.tiers), compile(b.cluster, b.tiers)] as const,
    ],
  ])("are what changed, with who decides about each pair and port, in engines %s", (_, both) => {
    fc.assert(
      fc.property(anyEdit, (edited) => {
        const [before, after] = statesOf(edited);
        const parts = new ChangedParts(...both(before, after));
        const found: string[] = [];
        for (const part of parts)
          for (const pair of pairsOf(part, parts.difference.ends))
            for (const change of part.changes)
              for (const port of probedPorts) {
                if (!parts.ports.contains(change.ports, port.protocol, port.port)) continue;
                const flows = {
                  before: flowOf(pair, "before", part.family, port),
                  after: flowOf(pair, "after", part.family, port),
                };
                found.push(`${about(flows.after)}: ${change.before} -> ${change.after}`);
                const literal = {
                  before: evaluate(before.cluster, before.tiers, flows.before),
                  after: evaluate(after.cluster, after.tiers, flows.after),
                };
                for (const direction of ["egress", "ingress"] as const) {
                  const said = change.decided.find((one) => one.direction === direction);
                  // What is left out is nothing that changed.
                  if (said === undefined)
                    expect(literal.before[direction].verdict).toBe(literal.after[direction].verdict);
                  else
                    for (const when of ["before", "after"] as const)
                      expect(said[when]).toEqual({
                        verdict: literal[when][direction].verdict,
                        deciders: literal[when][direction].decisions.map(({ by }) => by),
                      });
                }
              }
        expect(found.toSorted()).toEqual(changesByEvaluation(before, after));
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  it("name one decider for ports of several of its peers", () => {
    const objects = (action: string) =>
      world(`
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: a, labels: {app: web}}
spec: {containers: [{name: c, ports: [{name: http, containerPort: 80}, {name: metrics, containerPort: 9090}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client, namespace: a}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress:
  - action: ${action}
    to: [{pods: {podSelector: {matchLabels: {app: web}}}}, {namespaces: {}}]
    protocols: [{destinationNamedPort: http}, {destinationNamedPort: metrics}]
`).state;
    const changes = [...new ChangedParts(...compileBoth(objects("Accept"), objects("Deny")))].flatMap(
      (part) => part.changes,
    );
    expect(changes).toHaveLength(1);
  });
});
