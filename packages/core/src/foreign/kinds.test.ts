import { describe, expect, it } from "vitest";
import { policyKinds } from "../dialects/registry.js";
import { foreignGroups, foreignKindOf, foreignKinds } from "./kinds.js";

describe("the table of foreign policy APIs", () => {
  it("names each group and kind once", () => {
    const names = foreignKinds.map(({ group, kind }) => `${group} ${kind}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has nothing that a dialect of Tierwall reads", () => {
    const ours = new Set(policyKinds.map(({ group, kind }) => `${group} ${kind}`));
    expect(foreignKinds.filter(({ group, kind }) => ours.has(`${group} ${kind}`))).toEqual([]);
  });

  it("has plurals and groups that a Kubernetes API server accepts", () => {
    for (const { group, plural } of foreignKinds) {
      expect(plural).toMatch(/^[a-z][a-z-]*s$/);
      expect(group).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
    }
    expect(foreignGroups).toEqual([...new Set(foreignGroups)]);
  });

  it.each([
    ["crd.projectcalico.org/v1", "GlobalNetworkPolicy", "l3-l4"],
    ["projectcalico.org/v3", "StagedGlobalNetworkPolicy", "inert"],
    ["projectcalico.org/v99", "NetworkPolicy", "l3-l4"],
    ["crd.antrea.io/v1beta1", "Tier", "structure"],
    ["networking.k8s.aws/v1alpha1", "ClusterNetworkPolicy", "l3-l4"],
    ["security.istio.io/v1", "AuthorizationPolicy", "l7"],
    ["crd.projectcalico.org/v1", "HostEndpoint", "host"],
    ["policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", undefined],
    ["networking.k8s.io/v1", "NetworkPolicy", undefined],
    ["v1", "Pod", undefined],
    ["", "GlobalNetworkPolicy", undefined],
  ])("%s %s is %s", (apiVersion, kind, effect) => {
    expect(foreignKindOf(apiVersion, kind)?.effect.kind).toBe(effect);
  });
});
