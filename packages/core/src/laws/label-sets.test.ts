import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate } from "../evaluate/evaluate.js";
import type { Flow, PodEndpoint } from "../evaluate/flow.js";
import type { DraftPeer, DraftSpec } from "../../testing/arbitrary/arbitrary-first-draft.js";
import type { KepPeer, KepSpec, LabelSet } from "../../testing/arbitrary/arbitrary-kep.js";
import { type Manifest, anyOf } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, flowsOf, type Scenario, stateIn } from "../../testing/arbitrary/scenario.js";

const rule = { action: "Deny", l4Selector: { allPorts: true } } as const;

/** A policy of the KEP that denies every pod connections from and to this peer. */
function denying(peer: KepPeer): Manifest<KepSpec> {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    metadata: { name: "deny" },
    spec: {
      priority: 1,
      subject: { namespaceSelector: {} },
      ingress: [{ ...rule, from: [peer] }],
      egress: [{ ...rule, to: [peer] }],
    },
  };
}

/** The same in the first draft. */
function denyingInDraft(peer: DraftPeer): Manifest<DraftSpec> {
  return {
    apiVersion: "netpol.networking.k8s.io/v1alpha1",
    kind: "ClusterNetworkPolicy",
    metadata: { name: "deny" },
    spec: {
      appliedTo: { namespaceSelector: {} },
      ingress: [{ action: "Deny", from: [peer] }],
      egress: [{ action: "Deny", to: [peer] }],
    },
  };
}

interface Met {
  readonly subject: PodEndpoint;
  readonly other: PodEndpoint;
  readonly denied: boolean;
}

/** For each connection between two pods, and for each of its directions: whether the policy denies it. */
function meetings(scenario: Scenario, policy: Manifest): readonly Met[] {
  const state = stateIn(scenario, [policy]);
  const between = (flow: Flow) =>
    !flow.toItself &&
    [flow.source, flow.destination].every((end) => end.kind === "pod" && !end.pod.hostNetwork);
  return scenario.questions.flatMap((question) =>
    flowsOf(state, question)
      .filter(between)
      .flatMap((flow): Met[] => {
        const { egress, ingress } = evaluate(state.cluster, state.tiers, flow);
        const [source, destination] = [flow.source, flow.destination] as [PodEndpoint, PodEndpoint];
        return [
          { subject: source, other: destination, denied: egress.verdict === "Deny" },
          { subject: destination, other: source, denied: ingress.verdict === "Deny" },
        ];
      }),
  );
}

const namespaceKeys = ["team", "env", "kubernetes.io/metadata.name"];
const sets = [
  [
    "namespaces",
    namespaceKeys,
    (set: LabelSet): KepPeer => ({ namespaces: set }),
    (end: PodEndpoint) => end.namespace.labels,
  ],
  [
    "pods",
    ["team", "app"],
    (set: LabelSet): KepPeer => ({ namespacedPods: { namespaces: { namespaceSelector: {} }, pods: set } }),
    (end: PodEndpoint) => end.pod.labels,
  ],
] as const;

describe.each(sets)("label sets of %s", (_what, keys, peer, labelsOf) => {
  const scenarios = anyScenario({ maxLength: 0 });

  it("S5.4: with one key that the subject has, notSameLabels selects exactly what sameLabels does not", () => {
    fc.assert(
      fc.property(scenarios, anyOf(...keys), (scenario, key) => {
        const same = meetings(scenario, denying(peer({ sameLabels: [key] })));
        const notSame = meetings(scenario, denying(peer({ notSameLabels: [key] })));
        for (const [i, { subject, other, denied }] of same.entries()) {
          const has = key in labelsOf(subject);
          expect(denied).toBe(has && labelsOf(subject)[key] === labelsOf(other)[key]);
          expect(notSame[i]!.denied).toBe(has ? !denied : true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("S5.4: with several keys, sameLabels selects what every single key does, and so does notSameLabels", () => {
    fc.assert(
      fc.property(scenarios, fc.subarray([...keys]), (scenario, chosen) => {
        for (const name of ["sameLabels", "notSameLabels"] as const) {
          const select = (list: readonly string[]) =>
            meetings(scenario, denying(peer({ [name]: list } as LabelSet))).map(({ denied }) => denied);
          const together = select(chosen);
          const each = chosen.map((key) => select([key]));
          // An empty list selects nothing.
          expect(together).toEqual(together.map((_, i) => chosen.length > 0 && each.every((one) => one[i])));
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("the first draft's sets", () => {
  const scenarios = anyScenario({ maxLength: 0 });
  const denials = (scenario: Scenario, policy: Manifest) =>
    meetings(scenario, policy).map(({ denied }) => denied);

  it("S6.4: SameLabels selects what the KEP's sameLabels does, and Self what its self does", () => {
    fc.assert(
      fc.property(scenarios, fc.subarray(namespaceKeys), (scenario, labels) => {
        expect(denials(scenario, denyingInDraft({ namespaces: { scope: "SameLabels", labels } }))).toEqual(
          denials(scenario, denying({ namespaces: { sameLabels: labels } })),
        );
        expect(denials(scenario, denyingInDraft({ namespaces: { scope: "Self" } }))).toEqual(
          denials(scenario, denying({ namespaces: { self: true } })),
        );
      }),
      { numRuns: 30 },
    );
  });

  it("S5.4: self and notSelf are the label sets of the namespace's own name", () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const name = [namespaceKeys[2]!];
        const [self, same] = [{ self: true } as const, { sameLabels: name }];
        const [notSelf, notSame] = [{ notSelf: true } as const, { notSameLabels: name }];
        expect(denials(scenario, denying({ namespaces: self }))).toEqual(
          denials(scenario, denying({ namespaces: same })),
        );
        expect(denials(scenario, denying({ namespaces: notSelf }))).toEqual(
          denials(scenario, denying({ namespaces: notSame })),
        );
      }),
      { numRuns: 20 },
    );
  });
});
