import { describe, expect, it } from "vitest";
import { findingsOf, messagesOf } from "../../../../testing/linted.js";
import { clusterPolicy, networkPolicy } from "../../../../testing/manifests.js";
import { guardrailOnPodLabels } from "./guardrail-on-pod-labels.js";

const messages = (yaml: string) => messagesOf(guardrailOnPodLabels, yaml);
const inNamespace = "namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}";
const agents = (namespaces = "") =>
  `{pods: {${namespaces === "" ? "" : `${namespaces}, `}podSelector: {matchLabels: {app: agent}}}}`;
const denyAll = "{action: Deny, from: [{namespaces: {}}]}";

describe("a guardrail on labels of pods", () => {
  it.each([
    [
      "a denial for pods with a label, which they leave out",
      clusterPolicy("guard", {
        subject: "{pods: {podSelector: {matchLabels: {pci: x}}}}",
        ingress: `[${denyAll}, ${denyAll}]`,
      }),
      "anyone who can edit the labels of a pod can evade this Deny rule by removing the label: it selects pods with pci=x",
    ],
    [
      "a denial for pods without a label, which they set",
      clusterPolicy("guard", {
        subject: "{pods: {podSelector: {matchExpressions: [{key: trusted, operator: DoesNotExist}]}}}",
        ingress: `[${denyAll}]`,
      }),
      "anyone who can edit the labels of a pod can evade this Deny rule by setting the label: it selects pods with !trusted",
    ],
    [
      "a denial of what comes from pods with a label",
      clusterPolicy("guard", { ingress: `[{action: Deny, from: [${agents()}]}]` }),
      "anyone who can edit the labels of a pod can evade this Deny rule by removing the label: it selects clients with app=agent",
    ],
    [
      "an exemption that any pod can claim",
      clusterPolicy("guard", { ingress: `[{action: Accept, from: [${agents()}]}, ${denyAll}]` }),
      "anyone who can create pods, in any namespace, can set app=agent to evade ClusterNetworkPolicy guard: this rule allows such pods before that policy denies the others",
    ],
    [
      "a policy for pods with a label that passes them before another policy denies",
      clusterPolicy("exempt", {
        subject: "{pods: {podSelector: {matchLabels: {app: gw}}}}",
        egress: "[{action: Pass, to: [{networks: [0.0.0.0/0]}]}]",
      }) +
        clusterPolicy("guard", { priority: "11", egress: "[{action: Deny, to: [{networks: [0.0.0.0/0]}]}]" }),
      "anyone who can create pods, in any namespace, can set app=gw to evade ClusterNetworkPolicy guard: this rule passes such pods before that policy denies the others",
    ],
    [
      "a denial of a clusterwide Cilium policy",
      `apiVersion: cilium.io/v2
kind: CiliumClusterwideNetworkPolicy
metadata: {name: ccnp}
spec: {endpointSelector: {matchLabels: {pci: x}}, enableDefaultDeny: {ingress: false}, ingressDeny: [{fromEntities: [world]}]}
`,
      "anyone who can edit the labels of a pod can evade this Deny rule by removing the label: it selects pods with pci=x",
    ],
  ])("%s", (_what, yaml, expected) => expect(messages(yaml)).toEqual([expected]));

  it("an exemption names the denial that it is from", () => {
    const [found] = findingsOf(
      guardrailOnPodLabels,
      clusterPolicy("guard", { ingress: `[{action: Pass, from: [${agents()}]}, ${denyAll}]` }),
    );
    expect(found?.related).toMatchObject([
      { text: "ClusterNetworkPolicy guard denies the others", place: { line: 9 } },
    ]);
  });

  it.each([
    ["whole namespaces", clusterPolicy("guard", { ingress: `[${denyAll}]` })],
    [
      "an exemption in a namespace that is named",
      clusterPolicy("guard", { ingress: `[{action: Accept, from: [${agents(inNamespace)}]}, ${denyAll}]` }),
    ],
    [
      "an allow from which nothing is denied",
      clusterPolicy("guard", { ingress: `[{action: Accept, from: [${agents()}]}]` }),
    ],
    [
      "an allow of other connections than those that are denied",
      clusterPolicy("guard", {
        ingress: `[{action: Accept, from: [${agents()}], protocols: [{tcp: {destinationPort: {number: 80}}}]}, {action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 22}}}]}]`,
      }),
    ],
    [
      "an allow behind the denial",
      clusterPolicy("guard", { ingress: `[${denyAll}, {action: Accept, from: [${agents()}]}]` }),
    ],
    [
      "the baseline, which NetworkPolicies override",
      clusterPolicy("base", {
        tier: "Baseline",
        subject: "{pods: {podSelector: {matchLabels: {pci: x}}}}",
        ingress: `[${denyAll}]`,
      }),
    ],
    [
      "NetworkPolicies, which owners write",
      networkPolicy("shop/np", { podSelector: "{matchLabels: {app: web}}" }),
    ],
    [
      "a denial of what leads to pods with a label: they would lose their own protection",
      clusterPolicy("guard", { egress: `[{action: Deny, to: [${agents()}]}]` }),
    ],
  ])("does not report %s", (_what, yaml) => expect(messages(yaml)).toEqual([]));
});
