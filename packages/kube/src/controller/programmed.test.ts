import { describe, expect, it } from "vitest";
import type { NodeReport } from "./node-reports.js";
import { programmedOn } from "./programmed.js";
import { agentLeaseOf, digestOf, nodeOfLease, programmedIn, programmedText } from "./programmed-report.js";

const report = (programmed: readonly string[], more: Partial<NodeReport> = {}): NodeReport => ({
  programmed: new Set(programmed),
  shadow: false,
  renewed: new Date().toISOString(),
  ...more,
});

describe("a policy on the nodes of a cluster", () => {
  const done = report(["this"]);
  it.each<[string, Readonly<Record<string, NodeReport>>, string]>([
    ["all enforce it", { n1: done, n2: done }, "True: enforced on 2 of 2 nodes"],
    [
      "one does not yet",
      { n1: done, n2: report(["other"]) },
      "False: enforced on 1 of 2 nodes; not yet on n2",
    ],
    ["one has no agent", { n2: done }, "False: enforced on 1 of 2 nodes; not yet on n1 (it has no agent)"],
    [
      "one only watches",
      { n1: report(["this"], { shadow: true }), n2: done },
      "False: enforced on 1 of 2 nodes; not yet on n1 (its agent is in shadow mode)",
    ],
    [
      "one is silent",
      { n1: done, n2: report([], { renewed: "2026-01-01T00:00:00.000000Z" }) },
      "False: enforced on 1 of 2 nodes; not yet on n2 (its agent is silent since 2026-01-01T00:00:00Z)",
    ],
    ["no agent reports", {}, "Unknown: no node agent reports what it enforces"],
    [
      "only one reports that is no longer a node",
      { n9: done },
      "Unknown: no node agent reports what it enforces",
    ],
  ])("%s", (_, reports, expected) => {
    const { status, message } = programmedOn("this", ["n1", "n2"], new Map(Object.entries(reports)));
    expect(`${status}: ${message}`).toBe(expected);
  });
});

describe("the report of an agent", () => {
  const policy = (dialect: "cluster-network-policy" | "network-policy", uid: string, generation = 1) => ({
    dialect,
    group: "",
    version: "",
    kind: "",
    name: uid,
    annotations: {},
    place: () => undefined,
    stored: { uid, generation },
  });

  it("is a digest for each version of each policy of the cluster, in whatever order they come", () => {
    const [a, b] = [policy("cluster-network-policy", "a"), policy("cluster-network-policy", "b")];
    const text = programmedText([a, policy("network-policy", "np"), b]);
    expect(programmedText([b, a])).toBe(text);
    const reported = programmedIn(text);
    expect([digestOf(a.stored), digestOf(b.stored)].every((digest) => reported.has(digest))).toBe(true);
    expect(reported.has(digestOf({ uid: "a", generation: 2 }))).toBe(false);
    expect(reported.size).toBe(2);
  });

  it("is in a Lease that is named after the node", () => {
    expect(nodeOfLease(agentLeaseOf("worker-1.example"))).toBe("worker-1.example");
    expect(nodeOfLease("tierwall-controller")).toBeUndefined();
  });
});
