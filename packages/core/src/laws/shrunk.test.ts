import { describe, expect, it } from "vitest";
import { parseEndpoint } from "../analysis/endpoints/endpoint-ref.js";
import { explain } from "../analysis/explain/explain.js";
import type { State } from "../state/state.js";
import { parseCidr } from "../net/cidr.js";
import { address } from "../../testing/arbitrary/arbitrary-cluster.js";
import { world } from "../../testing/world.js";

/* What the laws have found, shrunk and named: the smallest cluster that shows it. */

const cluster = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: client, namespace: a}, spec: {nodeName: n1}, status: {podIP: 10.0.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: young, namespace: a}}
---
{apiVersion: v1, kind: Pod, metadata: {name: host, namespace: a}, spec: {hostNetwork: true}}
---
`;

const adminEgress = (...rules: string[]) =>
  `${cluster}{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: p},` +
  ` spec: {tier: admin, priority: 1, subject: {namespaces: {}}, egress: [${rules.join()}]}}`;

const cilium = (spec: string) =>
  `${cluster}{apiVersion: cilium.io/v2, kind: CiliumClusterwideNetworkPolicy, metadata: {name: p},` +
  ` spec: {endpointSelector: {}, ${spec}}}`;

function explained(state: State, from: string, to: string, port?: number) {
  const [source, destination] = [parseEndpoint(from), parseEndpoint(to)];
  if (!source.ok || !destination.ok) throw new Error("not an endpoint");
  const asked =
    port === undefined ? ({ kind: "all" } as const) : ({ kind: "number", port, protocol: "TCP" } as const);
  const result = explain(state, { from: source.value, to: destination.value, port: asked });
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value.answers[0]!;
}

describe("found by the oracle", () => {
  it("S1.14: `::/0` matches a pod without an address even if the other endpoint has IPv4, with a note", () => {
    const denied = world(adminEgress(`{action: Deny, to: [{networks: ["::/0"]}]}`));
    expect(denied.ask("a/client -> a/young:80/TCP")).toMatchObject({
      verdict: "Deny",
      notes: [
        "a/young has no address yet; it is assumed to be in ::/0, although the connection is IPv4 (set it with --pod-cidr)",
      ],
    });
  });
});

describe("found by translating", () => {
  it("S1.10: the namespace of a future pod has its name as a label, even if none was given", () => {
    const asked = world(
      adminEgress(
        "{action: Deny, to: [{namespaces: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: Exists}]}}]}",
      ),
    );
    expect(asked.verdict("a/client -> new:team=red/app=web:80/TCP")).toBe("Deny");
  });
});

describe("found by the sets of ports", () => {
  it("S7.7: ports with another condition are another set, even if one item allows them all", () => {
    const ports = 'toPorts: [{ports: [{port: "53"}], serverNames: [example.com]}, {ports: [{port: "8080"}]}]';
    const { state } = world(cilium(`egress: [{toEndpoints: [{}], ${ports}}]`));
    const sets = explained(state, "a/client", "a/young").ports!.filter(
      ({ protocol, verdict }) => protocol === "TCP" && verdict === "Allow",
    );
    expect(
      sets.map(({ ranges, connection }) => [ranges, connection.egress.decisions[0]!.conditions]),
    ).toEqual([
      [[[53, 53]], ["conditional on SNI"]],
      [[[8080, 8080]], []],
    ]);
  });
});

describe("found by traces", () => {
  const guard =
    "\n---\n{apiVersion: netpol.networking.k8s.io/v1alpha1, kind: ClusterNetworkPolicy, metadata: {name: open}," +
    " spec: {appliedTo: {namespaceSelector: {}}, ingress: [{action: Allow}]}}";
  const rulesShown = (yaml: string) => {
    const { ingress } = explained(world(yaml).state, "node:n1", "a/client", 80).explained!;
    return ingress.tiers.flatMap(({ tier, rules }) => rules.map(({ result }) => `${tier} ${result}`));
  };

  it("S7.8: a node that its own pod denies is shown the rule that denies it, not an Allow that is never reached", () => {
    expect(rulesShown(cilium("ingressDeny: [{fromEntities: [host]}]") + guard)).toContain(
      "network-policy matches",
    );
    expect(rulesShown(cilium("ingressDeny: [{fromEntities: [host]}]") + guard)).not.toContain(
      "guardrail-allow matches",
    );
  });

  it("S7.8, S9.1: a rule that may deny the pod's own node is in the trace", () => {
    expect(rulesShown(cilium("ingressDeny: [{fromEntities: [kube-apiserver]}]"))).toContain(
      "network-policy may-match",
    );
  });
});

describe("S9.1: found by completing what is missing", () => {
  it("S3.4: two selectors that together match every node leave nothing undecided about an unknown one", () => {
    const asked = world(
      adminEgress(
        "{action: Deny, to: [{nodes: {matchLabels: {team: red}}}]}",
        "{action: Deny, to: [{nodes: {matchExpressions: [{key: team, operator: NotIn, values: [red]}]}}]}",
      ),
    );
    expect(asked.verdict("a/client -> a/host:80/TCP")).toBe("Deny");
  });

  it("S7.5: a host-network pod without a node may run where the API server is", () => {
    const asked = world(cilium("egress: [{toEntities: [kube-apiserver]}]"), {
      facts: { apiServer: [address("192.168.0.1")] },
    });
    expect(asked.verdict("a/client -> a/host:80/TCP")).toBe("Undecided");
  });

  it("S8.3: a pod without an address may get one that a domain name resolves to, and never matches", () => {
    const policy = adminEgress(
      "{action: Allow, to: [{domainNames: [example.com]}]}",
      "{action: Deny, to: [{namespaces: {}}]}",
    );
    const facts = {
      podCidrs: [parseCidr("10.0.0.0/29")!],
      dns: [{ name: "example.com", addresses: [address("10.0.0.2")] }],
    };
    expect(world(policy, { facts }).ask("a/client -> a/young:80/TCP")).toMatchObject({
      verdict: "Deny",
      notes: [],
    });
  });
});
