import { prove } from "@tierwall/core/analysis";
import { compile } from "@tierwall/core/engine";
import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { findingsFrom } from "./findings.js";

const pod = (namespace: string, app: string, address: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${app}, namespace: ${namespace}, labels: {app: ${app}}}, spec: {nodeName: n1, containers: [{ports: [{containerPort: 8443}]}]}, status: {podIP: ${address}}}`;
const clusterPolicy = (name: string, priority: number, spec: string, tier = "Admin") =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}}, spec: {tier: ${tier}, priority: ${priority}, subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: payments}}}, ${spec}}}`;
const networkPolicy = (spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: vault, namespace: payments}, spec: {podSelector: {}, ${spec}}}`;
const all = "[{namespaces: {}}]";

const cluster = [
  "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{address: 192.168.0.1}]}}",
  ...["payments", "secret-tenant"].map(
    (name) => `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`,
  ),
  pod("payments", "card-vault", "10.0.0.1"),
  pod("secret-tenant", "acquisition-db", "10.0.0.2"),
];

function findings(...policies: readonly string[]) {
  const state = readState([{ file: "state.yaml", text: [...cluster, ...policies].join("\n---\n") }]);
  return findingsFrom(prove(compile(state.cluster, state.tiers)));
}

describe("what is written where others read it", () => {
  it.each([
    ["ingress", "from", "a pod of another namespace → payments/card-vault :8443/TCP"],
    ["egress", "to", "payments/card-vault → a pod of another namespace"],
  ])("an event about a policy of a namespace names no pod of another: %s", (direction, peers, example) => {
    const { overridden } = findings(
      networkPolicy(
        `policyTypes: [${direction === "ingress" ? "Ingress" : "Egress"}], ${direction}: [{${peers}: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: secret-tenant}}}], ports: [{port: 8443}]}]`,
      ),
      clusterPolicy("lockdown", 1, `${direction}: [{name: none, action: Deny, ${peers}: ${all}}]`),
    );
    const notes = overridden.map(({ note }) => note());
    expect(notes).toEqual([
      `ClusterNetworkPolicy lockdown rule 1 "none" denies ${direction} that this policy allows: 1 pair of endpoints; for example ${example}`,
    ]);
  });

  it("S1.13: a condition about a conflict names the port, and no pod", () => {
    const { Conflicted: conflicted } = findings(
      clusterPolicy("a", 5, `ingress: [{action: Deny, from: ${all}}]`),
      clusterPolicy(
        "b",
        5,
        `ingress: [{action: Accept, from: ${all}, protocols: [{tcp: {destinationPort: {number: 8443}}}]}]`,
      ),
    );
    for (const { message } of conflicted.values()) {
      expect(message).toMatch(
        /; for example ingress of :8443\/TCP is denied, and would be allowed with ClusterNetworkPolicy b first$/,
      );
      expect(message).not.toMatch(/payments|secret-tenant/);
    }
    expect(conflicted.size).toBe(2);
  });

  it("a condition about rules that never decide counts policies of namespaces", () => {
    const { Shadowed: shadowed } = findings(
      networkPolicy("policyTypes: [Ingress], ingress: [{}]"),
      clusterPolicy("late", 1, `ingress: [{action: Deny, from: ${all}}]`, "Baseline"),
    );
    expect([...shadowed.values()].map(({ message }) => message)).toEqual([
      "spec.ingress[0] never decides anything in this cluster: policies of a namespace decide all that it matches before it",
    ]);
  });
});
