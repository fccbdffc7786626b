import { describe, expect, it } from "vitest";
import { linted } from "../../../../testing/linted.js";
import { clusterPolicy, networkPolicy } from "../../../../testing/manifests.js";
import { supersededApi } from "./superseded.js";

const object = (apiVersion: string, kind: string, spec: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: default}\nspec: ${spec}\n`;
const v1alpha1 = "policy.networking.k8s.io/v1alpha1";
const draft = "netpol.networking.k8s.io/v1alpha1";

describe("a policy of a superseded API", () => {
  it.each([
    [
      "AdminNetworkPolicy as released",
      object(v1alpha1, "AdminNetworkPolicy", "{priority: 1, subject: {namespaces: {}}}"),
    ],
    [
      "BaselineAdminNetworkPolicy",
      object(v1alpha1, "BaselineAdminNetworkPolicy", "{subject: {namespaces: {}}}"),
    ],
    [
      "AdminNetworkPolicy of KEP-2091",
      object(v1alpha1, "AdminNetworkPolicy", "{priority: 1, subject: {namespaceSelector: {}}}"),
    ],
    [
      "the first draft's ClusterNetworkPolicy",
      object(draft, "ClusterNetworkPolicy", "{appliedTo: {namespaceSelector: {}}}"),
    ],
    [
      "the first draft's ClusterDefaultNetworkPolicy",
      object(draft, "ClusterDefaultNetworkPolicy", "{appliedTo: {namespaceSelector: {}}}"),
    ],
  ])("%s", (_what, yaml) =>
    expect(linted(supersededApi, yaml)).toEqual([
      expect.stringMatching(
        /^\[apiVersion: \S+\] \S+ default (?:is superseded by|uses the .* KEP-2091, .*;) ClusterNetworkPolicy/,
      ),
    ]),
  );

  it.each([
    ["ClusterNetworkPolicy", clusterPolicy("guard", {})],
    ["NetworkPolicy", networkPolicy("shop/np", {})],
  ])("does not report %s", (_what, yaml) => expect(linted(supersededApi, yaml)).toEqual([]));
});
