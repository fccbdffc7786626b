import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readState } from "../state/state.js";
import { evaluate } from "../evaluate/evaluate.js";
import { ruleMatches } from "../evaluate/walk.js";
import { explore } from "../evaluate/facts.js";
import { tierNames } from "../policy/model.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { andForeign, anyPolicies, evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import { anyScenario, flowsOf, stateIn } from "../../testing/arbitrary/scenario.js";

/* What the other laws rely on: generated input is valid, and its rules really match connections. */

describe("generated manifests", () => {
  it.each(evaluatedKinds)("S10.3: a valid %s has no errors", (kind) => {
    fc.assert(
      fc.property(anyPolicies({ kinds: [kind], minLength: 1 }), (policies) => {
        const text = policies.map((policy) => JSON.stringify(policy)).join("\n");
        const { diagnostics, policies: read, skipped } = readState([{ file: "p.json", text }]);
        expect(diagnostics.filter(({ code }) => code.startsWith("TW1"))).toEqual([]);
        expect(read).toHaveLength(policies.length);
        expect(skipped.size).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  it("S10.3: a whole generated state has no errors, and every policy and pod of it is read", () => {
    fc.assert(
      fc.property(anyScenario(), ({ cluster, policies, facts }) => {
        const text = [...manifestsOf(cluster), ...policies]
          .map((object) => JSON.stringify(object))
          .join("\n");
        const state = readState([{ file: "all.json", text }], { facts });
        expect(state.diagnostics.filter(({ code }) => code.startsWith("TW1"))).toEqual([]);
        expect(state.policies).toHaveLength(policies.length);
        expect(state.cluster.pods.size).toBe(cluster.pods.length);
        expect([...state.cluster.nodes.keys()]).toEqual(
          expect.arrayContaining(cluster.nodes.map(({ name }) => name)),
        );
      }),
      { numRuns: 80 },
    );
  });
});

describe("generated connections", () => {
  // A law over rules that never match shows nothing, so this one fails when a generator stops making them meet.
  const met = new Set<string>();
  const scenarios = [
    ...fc.sample(anyScenario({ minLength: 2 }), { numRuns: 400, seed: 20210 }),
    ...fc.sample(anyScenario({ minLength: 2, kinds: andForeign }), { numRuns: 40, seed: 20210 }),
  ];
  for (const scenario of scenarios) {
    const state = stateIn(scenario);
    for (const flow of scenario.questions.flatMap((question) => flowsOf(state, question))) {
      const connection = evaluate(state.cluster, state.tiers, flow);
      met.add(`verdict ${connection.verdict}`);
      for (const direction of ["egress", "ingress"] as const) {
        for (const { by } of connection[direction].decisions) {
          met.add(`decided by ${by.kind}`);
          if (by.kind === "rule") met.add(`tier ${by.tier}`).add(`api ${by.rule.origin.policy.dialect}`);
        }
        const [end, other] =
          direction === "egress" ? [flow.source, flow.destination] : [flow.destination, flow.source];
        if (end.kind !== "pod" || end.pod.hostNetwork) continue;
        for (const rule of state.tiers[direction].flatMap((tier) => tier.rules)) {
          const matches = (peers: typeof rule.peers, ports: typeof rule.ports) =>
            explore((unknowns) =>
              ruleMatches({ ...rule, peers, ports }, end, other, {
                flow,
                cluster: state.cluster,
                unknowns,
              }),
            ).some((run) => run.value);
          for (const peer of rule.peers)
            if (matches([peer], "every"))
              met
                .add(`peer ${peer.kind === "entity" ? peer.entity : peer.kind}`)
                .add(peer.kind === "pods" ? `set ${peer.namespaces.kind}` : "");
          if (rule.ports !== "every")
            for (const port of rule.ports)
              if (matches([{ kind: "everything" }], [port])) met.add(`port ${port.kind}`);
        }
      }
    }
  }

  it.each([
    ...["Allow", "Deny", "Undecided"].map((verdict) => `verdict ${verdict}`),
    ...["rule", "isolation", "default", "no-walk", "own-address", "own-node"].map((by) => `decided by ${by}`),
    ...tierNames.map((tier) => `tier ${tier}`),
    ...[
      "network-policy",
      "cluster-network-policy",
      "admin-network-policy",
      "kep-2091",
      "first-draft",
      "cilium",
    ].map((dialect) => `api ${dialect}`),
    ...[
      "everything",
      "pods",
      "networks",
      "nodes",
      "domains",
      "endpoints",
      "cidr-group",
      "unknown-set",
      "world",
      "cluster",
      "host",
      "remote-node",
      "kube-apiserver",
    ].map((peer) => `peer ${peer}`),
    ...["selector", "self", "not-self", "same-labels", "not-same-labels"].map((set) => `set ${set}`),
    ...["range", "named", "icmp"].map((port) => `port ${port}`),
  ])("meet: %s", (what) => {
    expect([...met]).toContain(what);
  });
});
