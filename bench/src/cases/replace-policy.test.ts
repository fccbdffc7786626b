import { readState } from "@tierwall/core/state";
import { describe, expect, test } from "vitest";
import { clusterPoliciesOf, editedClusterPolicy } from "../generate/cluster-policies.js";
import type { Manifest } from "../generate/json.js";
import { editedNetworkPolicy, networkPoliciesOf } from "../generate/network-policies.js";
import { type Plan, planCluster } from "../generate/plan.js";
import { Random } from "../generate/random.js";
import type { Tiers } from "./narrowed.js";
import { replacePolicy } from "./replace-policy.js";

const plan: Plan = planCluster(
  {
    style: "realistic",
    namespaces: 3,
    workloads: 12,
    replicas: 1,
    policiesPerNamespace: 10,
    clusterPolicies: 8,
  },
  1,
);
const networkPolicies = [...networkPoliciesOf(plan)];
const clusterPolicies = [...clusterPoliciesOf(plan)];
const all = [...networkPolicies, ...clusterPolicies];

const stateOf = (items: readonly Manifest[]) =>
  readState([{ file: "policies.json", text: JSON.stringify({ apiVersion: "v1", kind: "List", items }) }]);

/** Without the places, which differ between files. */
const withoutPlaces = (tiers: Tiers): unknown =>
  JSON.parse(
    JSON.stringify(tiers, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value)),
  );

const isNamed = (a: Manifest, b: Manifest) =>
  a.kind === b.kind && a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace;

describe("is the same as reading everything again", () => {
  const before = stateOf(all).tiers;
  const random = new Random(1);

  test.each([
    ...Array.from({ length: 5 }, () => editedNetworkPolicy(plan, networkPolicies, random)),
    ...Array.from({ length: 5 }, () => editedClusterPolicy(random.pick(clusterPolicies), random)),
  ])("$kind $metadata.namespace $metadata.name", (edited) => {
    const again = stateOf(all.map((policy) => (isNamed(policy, edited) ? edited : policy))).tiers;
    const replaced = replacePolicy(before, stateOf([edited]));
    expect(withoutPlaces(replaced)).toEqual(withoutPlaces(again));
    expect(withoutPlaces(replaced)).not.toEqual(withoutPlaces(before));
  });
});

test("one at a time", () => {
  expect(() => replacePolicy(stateOf(all).tiers, stateOf(all))).toThrow("one policy is edited at a time");
});
