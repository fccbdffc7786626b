import { describe, expect, it } from "vitest";
import { formatPolicy } from "../../policy/model.js";
import { clusterPolicy, namespace, networkPolicy } from "../../testing/manifests.js";
import { proven, refuted, resultOf } from "../../testing/proven.js";

/** Deny from other tenants, except on port 443 and for the monitoring namespace's scrapes. */
const pci = clusterPolicy("pci-guardrail", {
  subject: "{namespaces: {matchLabels: {pci: 'true'}}}",
  ingress: `
    - {name: same, action: Pass, from: [{namespaces: {matchLabels: {pci: 'true'}}}]}
    - {name: https, action: Pass, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 443}}}]}
    - {name: scrape, action: Accept, from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}], protocols: [{destinationNamedPort: metrics}]}
    - {name: no-other-tenants, action: Deny, from: [{namespaces: {}}]}`,
});
const outsiders = `from: {namespaces: {matchExpressions: [{key: pci, operator: NotIn, values: ["true"]}]}}
to: {namespaces: {matchLabels: {pci: "true"}}}`;

describe("a guarantee", () => {
  it("S11.3: is refuted with the smallest cluster that breaks it, which the evaluator confirms", () => {
    const { counterexample, essential, incidental } = refuted(pci, `${outsiders}\nexceptPorts: [443/TCP]\nverdict: Deny`);
    const { source, destination, protocol, portNames, owners } = counterexample.witness;
    expect(source).toMatchObject({ kind: "pod", namespace: "monitoring", namespaceLabels: {}, labels: {} });
    expect(destination).toMatchObject({ kind: "pod", namespace: "other", namespaceLabels: { pci: "true" }, labels: {} });
    expect([protocol, portNames, owners]).toEqual(["TCP", ["metrics"], { ingress: undefined, egress: undefined }]);
    expect(counterexample.decisions.ingress.by).toMatchObject({ kind: "rule", rule: { origin: { name: "scrape" } } });
    expect(essential).toEqual(
      expect.arrayContaining(["the port name metrics", "the name monitoring of the client's namespace"]),
    );
    expect(incidental.join()).toContain("the port number");
  });

  it("S11.3: is proven, with the rules that the proof rests on", () => {
    const except = `assuming:\n  - {every: namespace, with: {matchLabels: {kubernetes.io/metadata.name: monitoring}}, has: {matchLabels: {pci: "true"}}}`;
    const { proof, unneeded } = proven(pci, `${outsiders}\nexceptPorts: [443/TCP]\nverdict: Deny\n${except}`);
    if (proof?.result !== "Proven") throw new Error(proof?.result);
    const names = proof.restsOn.map((part) => "action" in part ? `${formatPolicy(part.origin.policy)} ${part.origin.name}` : "isolation");
    expect(names).toEqual(["ClusterNetworkPolicy pci-guardrail no-other-tenants"]);
    expect(proof.neededAssumptions).toHaveLength(1);
    expect(unneeded).toEqual([]);
  });
});
