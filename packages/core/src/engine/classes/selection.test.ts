import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LabelMatch, type Requirement, selects } from "../../labels/requirement.js";
import { anyScenario, stateIn } from "../../../testing/arbitrary/scenario.js";
import { Ends } from "./ends.js";
import { choiceKey, type NamespaceChoice, type PodChoice, Selections } from "./selection.js";
import { vocabularyOf } from "./vocabulary.js";

const requirement = (...keys: readonly string[]): fc.Arbitrary<Requirement> =>
  fc.record({
    key: fc.constantFrom(...keys),
    operator: fc.constantFrom<Requirement["operator"]>("In", "NotIn", "Exists", "DoesNotExist"),
    // One of the values is one that no pod has.
    values: fc.subarray(["red", "blue", "web", "unused"]),
  });
const match = (...keys: readonly string[]): fc.Arbitrary<LabelMatch> =>
  fc.array(requirement(...keys), { maxLength: 2 });
const name = fc.constantFrom("alpha", "beta", "unheard-of");
const namespaces: fc.Arbitrary<NamespaceChoice> = fc.oneof(
  match("team", "env").map((match) => ({ kind: "labels", match }) as const),
  fc.record({ kind: fc.constantFrom("named" as const, "not-named" as const), name }),
);
const choice: fc.Arbitrary<PodChoice> = fc.record({
  namespaces,
  pods: match("team", "app"),
  account: fc.oneof(
    fc.constant([]),
    fc.constant([{ key: "serviceaccount", operator: "In", values: ["robot"] } as const]),
  ),
});

/** A rule that asks for every label of pods there is, and for their accounts. */
const asksForAll = {
  apiVersion: "cilium.io/v2",
  kind: "CiliumClusterwideNetworkPolicy",
  metadata: { name: "asks-for-all" },
  spec: {
    endpointSelector: {
      matchLabels: { team: "red", app: "web", "io.cilium.k8s.policy.serviceaccount": "robot" },
    },
    ingress: [{}],
  },
};

describe("a selection of pods", () => {
  it("S1.10, S3.4: is of those whose labels fit, and never of host-network pods", () => {
    fc.assert(
      fc.property(anyScenario({ maxReplicas: 2 }), choice, (scenario, choice) => {
        const { cluster, tiers } = stateIn(scenario, [asksForAll]);
        const ends = new Ends(cluster, vocabularyOf(cluster, tiers));
        const selections = new Selections(ends);
        const selected = new Set(selections.classesOf(choice));
        const { namespaces } = choice;
        for (const pod of cluster.pods.values()) {
          const namespace = cluster.namespaces.get(pod.namespace)!;
          const isThere =
            namespaces.kind === "labels"
              ? selects(namespaces.match, namespace.labels)
              : (namespaces.name === namespace.name) === (namespaces.kind === "named");
          const wanted =
            !pod.hostNetwork &&
            isThere &&
            selects(choice.pods, pod.labels) &&
            selects(choice.account, { serviceaccount: pod.serviceAccount });
          const { index } = ends.classOfMember(pod)!;
          expect([pod.name, selected.has(index), selections.includes(choice, index)]).toEqual([
            pod.name,
            wanted,
            wanted,
          ]);
        }
      }),
    );
  });

  it("has a key that other selections do not have", () => {
    const all = { namespaces: { kind: "labels", match: [] }, pods: [], account: [] } as const;
    const has = (key: string, ...values: readonly string[]): LabelMatch => [{ key, operator: "In", values }];
    const different: readonly PodChoice[] = [
      all,
      { ...all, pods: has("a", "b") },
      { ...all, account: has("a", "b") },
      { ...all, namespaces: { kind: "labels", match: has("a", "b") } },
      { ...all, namespaces: { kind: "named", name: "a" } },
      { ...all, namespaces: { kind: "not-named", name: "a" } },
      { ...all, pods: has("a", "b", "c") },
      { ...all, pods: has("a", "b,c") },
      { ...all, pods: [...has("a", "b"), ...has("c", "d")] },
      { ...all, pods: has("a", "b", "c", "d") },
    ];
    expect(new Set(different.map(choiceKey)).size).toBe(different.length);
  });
});
