import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatEndpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import { outsideEnds, probedPorts } from "../../../testing/all-ends.js";
import { anyEdit, changesByEvaluation, statesOf } from "../../../testing/arbitrary/edited-scenario.js";
import { world } from "../../../testing/world.js";
import type { PortGroup } from "../matrix/port-groups.js";
import { formatParty } from "../endpoints/party.js";
import type { ChangedEndpoints, ChangeRow } from "./changes.js";
import { compareStates } from "./compare.js";

const holds = (groups: readonly PortGroup[], { protocol, port }: (typeof probedPorts)[number]) =>
  groups.some(
    (group) =>
      group.protocol === "any" ||
      (group.protocol === protocol &&
        (!("ranges" in group) || group.ranges.some(([first, last]) => port >= first && port <= last))),
  );

/** The ends of a side as `about` writes them; of ranges, the addresses that are asked about. */
function namesOf(ends: ChangedEndpoints, only?: Family): readonly string[] {
  if (ends.kind === "parties") return ends.parties.map(formatParty);
  return outsideEnds
    .filter(({ address: { family } }) => only === undefined || family === only)
    .filter(({ address: { family, value } }) =>
      ends.ranges.some((range) => range.family === family && value >= range.first && value <= range.last),
    )
    .map(formatEndpoint);
}

/** `a/b -> c/d TCP 80, IPv4: Allow -> Deny`, for everything that a row reports about pods. */
function changesIn(row: ChangeRow): readonly string[] {
  const found: string[] = [];
  for (const family of row.families)
    for (const from of namesOf(row.from, family))
      for (const to of namesOf(row.to, family))
        for (const port of probedPorts)
          if (from !== to && holds(row.ports, port))
            found.push(
              `${from} -> ${to} ${port.protocol} ${port.port}, IPv${family ?? "?"}: ${row.before} -> ${row.after}`,
            );
  return found;
}

describe("the changes between two states", () => {
  it("are, for each pod, the differences that the literal evaluator finds, each reported once", () => {
    fc.assert(
      fc.property(anyEdit, (edited) => {
        const [before, after] = statesOf(edited);
        const { rows } = compareStates(before, after, "pod");
        expect(rows.flatMap(changesIn).toSorted()).toEqual(changesByEvaluation(before, after));
      }),
      { numRuns: Number(process.env.RUNS ?? 60) },
    );
  });

  const cluster = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {metadata: {labels: {app: web}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, namespace: shop}
spec: {template: {metadata: {labels: {app: cart}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: job, namespace: batch}
`;
  const policy = (name: string, spec: string) => `
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;
  const compared = (before: string, after: string) =>
    compareStates(world(cluster + before).state, world(cluster + after).state);
  const shown = ({ from, to, connections, before, after }: ChangeRow) =>
    `${listed(from)} -> ${listed(to)} x${connections}: ${before} -> ${after}`;
  const listed = (ends: ChangedEndpoints) =>
    ends.kind === "external" ? "outside" : namesOf(ends).join(", ");

  it("put together who changes alike, and by the same rule", () => {
    const { rows, totals } = compared("", policy("closed", "{podSelector: {}, policyTypes: [Ingress]}"));
    expect(rows.map(shown)).toEqual([
      "batch/job, shop/cart, shop/web -> shop/cart, shop/web x6: Allow -> Deny",
      "outside -> shop/cart, shop/web x4: Allow -> Deny",
    ]);
    expect(rows[0]!.decided.map(({ direction, after }) => [direction, after.deciders[0]?.kind])).toEqual([
      ["ingress", "isolation"],
    ]);
    expect(totals.Deny.connections).toBe(10);
    expect([...totals.Deny.bySource]).toEqual([
      ["outside", 4],
      ["shop", 4],
      ["batch", 2],
    ]);
  });

  it("count replicas that are known by their template as talking to each other", () => {
    const { rows } = compared(
      "",
      policy(
        "web",
        "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {matchLabels: {app: cart}}}]}]}",
      ),
    );
    expect(rows.map(shown)).toEqual([
      "batch/job, shop/web -> shop/web x2: Allow -> Deny",
      "outside -> shop/web x2: Allow -> Deny",
    ]);
  });

  it("are nothing but pods where only pods come and go", () => {
    const changes = compareStates(
      world(cluster).state,
      world(`${cluster}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: shop}}`).state,
    );
    expect([changes.rows, changes.disappeared]).toEqual([[], []]);
    expect(changes.appeared.map(formatEndpoint)).toEqual(["shop/new"]);
  });
});
