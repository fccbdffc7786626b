import { describe, expect, it } from "vitest";
import { type Counterexample, counterexampleState } from "./counterexample-state.js";
import { type GivenState, HeldState } from "./held-state.js";
import { answerExplain } from "./questions/explain.js";

const policies = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pci: "true"}}
---
# The guardrail.
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {matchLabels: {pci: "true"}}}
  ingress:
  - {action: Pass, from: [{namespaces: {}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress]}
`;
const pod = (namespace: string, name: string, podIP: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace }, status: { podIP } });
const namespace =
  '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"pci": "true"}}}';
const manifests = [namespace, pod("shop", "client", "10.0.0.1"), pod("shop", "server", "10.0.0.2")].join(
  "\n---\n",
);
const given: GivenState = {
  title: "shop",
  revision: "7",
  provenance: "cluster",
  sources: [{ file: "policies.yaml", text: policies }],
  options: { podCidrs: ["192.168.0.0/16"], enforcer: "cilium" },
};
const counterexample: Counterexample = {
  guarantee: "closed",
  manifests,
  drops: { networkPolicies: true, ciliumNetworkPolicies: true },
};
const stateOf = (change: Partial<Counterexample> = {}, from = given) =>
  counterexampleState(from, { ...counterexample, ...change });
const policiesOf = (state: GivenState) => new HeldState(state).state.policies.map(({ name }) => name);

describe("the cluster of a counterexample", () => {
  it("has the policies of the input and two endpoints, and nothing else of the input", () => {
    const { state, errors } = new HeldState(stateOf());
    expect(errors).toEqual([]);
    expect([...state.cluster.pods.keys()]).toEqual(["shop/client", "shop/server"]);
    expect(state.policies.map(({ name }) => name)).toEqual(["guard"]);
    const explained = answerExplain(new HeldState(stateOf()), {
      from: "shop/client",
      to: "shop/server",
      port: "80",
    });
    expect(explained).toMatchObject({ kind: "explained", explanation: { verdict: "Allow" } });
  });

  it("has the NetworkPolicies of the input where owners cannot delete them", () => {
    const drops = { networkPolicies: false, ciliumNetworkPolicies: false };
    expect(policiesOf(stateOf({ drops }))).toEqual(["guard", "closed"]);
  });

  it("keeps the lines of policies", () => {
    const [source] = stateOf().sources;
    expect(source!.file).toBe("policies.yaml");
    expect(source!.text.split("\n")[6]).toBe("kind: ClusterNetworkPolicy");
    expect(source!.text).not.toContain("Namespace\n");
  });

  it("prints the policies of JSON as an extract under another name", () => {
    const items = [JSON.parse(namespace), { ...guard("from-json") }] as const;
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const state = stateOf({}, { ...given, sources: [{ file: "dump.json", text }] });
    expect(state.sources[0]!.file).toBe("dump.json (policies)");
    expect(policiesOf(state)).toEqual(["from-json"]);
  });

  it("has the policies as an edit leaves them", () => {
    const text = JSON.stringify(guard("guard", 7));
    const edited = new HeldState(stateOf({ edit: { text } })).state.policies;
    expect(edited.map(({ name, priority }) => [name, priority])).toEqual([["guard", 7]]);
    const deleted = "ClusterNetworkPolicy.policy.networking.k8s.io/guard";
    expect(policiesOf(stateOf({ edit: { text: "", deleted } }))).toEqual([]);
  });

  it("does not use what options say about addresses: S11.1", () => {
    expect(stateOf().options).toEqual({ enforcer: "cilium" });
  });

  it("has contents of its own, and the revision of the input", () => {
    const { title, revision, dropped } = stateOf();
    expect({ title, revision }).toEqual({ title: "Counterexample to closed", revision: "7" });
    expect(dropped).not.toBe(given.dropped);
  });
});

function guard(name: string, priority = 1) {
  return {
    apiVersion: "policy.networking.k8s.io/v1alpha2",
    kind: "ClusterNetworkPolicy",
    metadata: { name },
    spec: { tier: "Admin", priority, subject: { namespaces: {} } },
  };
}
