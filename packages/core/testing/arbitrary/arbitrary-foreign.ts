import fc from "fast-check";
import {
  fields,
  labelWords,
  anyNamespaceName,
  often,
  anyOf,
  podSelector,
  type Unnamed,
} from "./arbitrary-vocabulary.js";

/* Objects of APIs that are recognised and not evaluated (S9.3). */

const calicoWord = anyOf(
  ...Object.entries(labelWords.pod).flatMap(([key, [first, second]]) => [
    `${key} == '${first}'`,
    `${key} != '${second}'`,
    `has(${key})`,
    `!has(${key})`,
    `${key} in {'${first}', '${second}'}`,
  ]),
);

const calicoSelector = often<string>(
  [2, fc.constant("all()")],
  [3, calicoWord],
  [1, fc.tuple(calicoWord, calicoWord).map(([a, b]) => `${a} && !(${b})`)],
  [1, fc.tuple(calicoWord, calicoWord).map(([a, b]) => `${a} || ${b}`)],
);

const types = anyOf<readonly string[]>(["Ingress"], ["Egress"], ["Ingress", "Egress"]);

const globalNetworkPolicy = fields({ selector: calicoSelector, types }).map((spec) => ({
  apiVersion: "projectcalico.org/v3",
  kind: "GlobalNetworkPolicy",
  spec,
}));

const applicationNetworkPolicy = fc
  .tuple(podSelector, types, anyNamespaceName)
  .map(([selector, policyTypes, namespace]) => ({
    apiVersion: "networking.k8s.aws/v1alpha1",
    kind: "ApplicationNetworkPolicy",
    namespace,
    spec: { podSelector: selector, policyTypes },
  }));

const egressFirewall = anyNamespaceName.map((namespace) => ({
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressFirewall",
  namespace,
  spec: { egress: [] },
}));

export const anyForeign: fc.Arbitrary<Unnamed<unknown>> = fc.oneof(
  globalNetworkPolicy,
  applicationNetworkPolicy,
  egressFirewall,
);
