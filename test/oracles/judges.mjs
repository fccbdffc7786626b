/*
 * The implementations that judge our verdicts, and what each of them can be asked. Where one of them is known to answer
 * differently, `enforcer` makes our own answer follow it (docs/explanation/enforcers.md); what differs after that is a finding.
 */

/** @typedef {import("../../packages/core/src/evaluate/flow.js").Flow} Flow */

export const judges = [
  {
    name: "cilium",
    title: "Cilium 1.20.2, its policy repository",
    enforcer: "cilium",
    /** As test/oracles/cilium sets it up. */
    options: { ciliumFamilies: "both" },
    kinds: ["NetworkPolicy", "released ClusterNetworkPolicy", "Cilium"],
    /** One letter per direction. */
    perDirection: true,
    /** With node labels in identities, a selector that only excludes labels also matches nodes there. */
    accepts: ({ source, destination }, policies) => {
      const text = JSON.stringify(policies);
      const usesNodeLabels = /"(nodes|fromNodes|toNodes)":/.test(text);
      const excludes = /"(NotIn|DoesNotExist)"/.test(text);
      return (
        !(isNode(source) || isNode(destination)) ||
        !excludes ||
        !(usesNodeLabels || selectsNamespaces(policies))
      );
    },
    adapt: ({ cluster, policies, ...rest }) => ({
      ...rest,
      cluster: { ...cluster, pods: cluster.pods.map(withUniquePortNames).map(withDroppedLabel) },
      policies: policies
        .map(withoutPortlessProtocols)
        .map(withoutSameKeys)
        .map(withOwnPriority)
        .map(selectingDroppedLabel),
    }),
  },
  {
    name: "np-guard",
    title: "np-guard netpol-analyzer 1.4.4",
    kinds: ["NetworkPolicy", "AdminNetworkPolicy", "BaselineAdminNetworkPolicy"],
    perDirection: false,
    /** It knows IPv4 and no nodes, and matches networks with external addresses only. */
    accepts: ({ source, destination, family, protocol }, policies) =>
      family === 4 &&
      protocol !== "ICMP" &&
      [source, destination].every((end) => end.kind !== "node") &&
      !(/"(networks|ipBlock)"/.test(JSON.stringify(policies)) && source.kind === destination.kind),
    adapt: ({ cluster, policies, ...rest }) => ({
      ...rest,
      // It leaves out host-network pods, and pods without an address of their node.
      cluster: {
        ...cluster,
        pods: cluster.pods.filter(({ hostNetwork }) => !hostNetwork).map(withUniquePortNames),
      },
      policies: policies.map(withOwnPriority).map(withDefaultProtocols).map(withoutDomainNames),
    }),
  },
];

/** A label that is not part of a Cilium identity (S7.15). */
const withDroppedLabel = (pod) => ({ ...pod, labels: { ...pod.labels, "pod-template-hash": "1" } });

/** Some NetworkPolicies and ClusterNetworkPolicies select by it. */
const selectingDroppedLabel = (policy, i) =>
  policy.apiVersion.startsWith("cilium.io/") || i % 3 !== 0
    ? policy
    : JSON.parse(JSON.stringify(policy).replaceAll('"team":"red"', '"pod-template-hash":"1"'));

/** A host-network pod is its node. */
const isNode = (end) => end.kind === "node" || (end.kind === "pod" && end.pod.hostNetwork);

/** Such namespaces match the node of a pod as well, whose traffic we do not walk (S1.6). */
const selectsNamespaces = (policies) =>
  policies.some(({ kind, spec }) => {
    const rules = kind === "ClusterNetworkPolicy" ? (spec.ingress ?? []) : [];
    return rules.some(({ from }) => from.some((peer) => "namespaces" in peer));
  });

/** Cilium keeps one port for each name of a pod (S1.8). */
function withUniquePortNames(pod) {
  const isFirst = ({ name }, i) =>
    name === undefined || pod.ports.findIndex((port) => port.name === name) === i;
  return { ...pod, ports: pod.ports.filter(isFirst) };
}

/** `{protocol: VRRP}` needs a port in Cilium, which has none. */
const withoutPortlessProtocols = (policy) =>
  JSON.parse(JSON.stringify(policy).replaceAll('{"protocol":"VRRP"}', '{"port":"7"}'));

/** S1.13: implementations differ where two policies share a priority. */
function withOwnPriority(policy, i) {
  return policy.spec?.priority === undefined ? policy : { ...policy, spec: { ...policy.spec, priority: i } };
}

/** The API server sets the protocol of a port that has none. */
function withDefaultProtocols(policy) {
  if (policy.kind !== "NetworkPolicy") return policy;
  const ports = (rule) => ({
    ...rule,
    ...(rule.ports === undefined
      ? {}
      : { ports: rule.ports.map((port) => ({ protocol: "TCP", ...everyPort(port) })) }),
  });
  const { ingress, egress, ...rest } = policy.spec;
  return {
    ...policy,
    spec: {
      ...rest,
      ...(ingress === undefined ? {} : { ingress: ingress.map(ports) }),
      ...(egress === undefined ? {} : { egress: egress.map(ports) }),
    },
  };
}

/** It reads a protocol without a port as every port of every protocol. */
const everyPort = (port) => (port.port === undefined ? { ...port, port: 1, endPort: 65535 } : port);

/** It does not know them, nor IPv6. */
function withoutDomainNames(policy) {
  let count = 0;
  const other = () => `"192.0.2.${count++}/32"`;
  const text = JSON.stringify(policy)
    .replaceAll(/\{"domainNames":\[[^\]]*\]\}/g, () => `{"networks":[${other()}]}`)
    .replaceAll(/"[0-9a-f:]*::[0-9a-f]*\/\d+"/g, other)
    .replaceAll(/"except":\["192.0.2[^\]]*\]/g, '"except":[]');
  return JSON.parse(text);
}

/** `team` and `any:team` are one key to Cilium, and which of them counts is random there. */
const withoutSameKeys = (policy) =>
  JSON.parse(JSON.stringify(policy).replaceAll(/"team":"(red|blue)","any:team"/g, '"any:team"'));
