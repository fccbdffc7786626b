import { describe, expect, it } from "vitest";
import { world } from "../../../testing/world.js";

/** Two namespaces, two nodes, a pod in the host's network, a dual-stack pod. */
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: a}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: b}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {addresses: [{type: InternalIP, address: 192.168.0.2}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: web, labels: {app: web}}, spec: {nodeName: n1, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: db, labels: {app: db}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: web, labels: {app: web}}, spec: {nodeName: n2}, status: {podIP: 10.2.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: db, labels: {app: db}}, spec: {nodeName: n2}, status: {podIP: 10.2.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: agent, labels: {app: web}}, spec: {nodeName: n2, hostNetwork: true}, status: {podIP: 192.168.0.2}}
`;

const policy = (spec: string, name = "np", namespace = "a") =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: ${namespace}, name: ${name}}, spec: {${spec}}}`;
const given = (...policies: readonly string[]) => world([cluster, ...policies].join("\n---\n"));

/** Which of these get through. */
const allowed = (w: ReturnType<typeof given>, froms: readonly string[], to: string) =>
  froms.filter((from) => w.verdict(`${from} -> ${to}`) === "Allow");

describe("S2.1: directions", () => {
  const out = "a/web -> b/web:80/TCP";
  const into = "b/web -> a/web:80/TCP";
  const either = (spec: string) => {
    const w = given(policy(`podSelector: {}, ${spec}`));
    return [w.verdict(into), w.verdict(out)];
  };

  it.each([
    ["no policyTypes: ingress only", "ingress: []", ["Deny", "Allow"]],
    ["no policyTypes, egress rules: both", "egress: [{}]", ["Deny", "Allow"]],
    ["no policyTypes, egress rules that do not fit", "egress: [{ports: [{port: 81}]}]", ["Deny", "Deny"]],
    ["no policyTypes, an empty egress section: ingress only", "egress: []", ["Deny", "Allow"]],
    ["Egress alone", "policyTypes: [Egress]", ["Allow", "Deny"]],
    ["Egress alone: ingress rules are ignored", "policyTypes: [Egress], ingress: [{}]", ["Allow", "Deny"]],
    [
      "Ingress alone: egress rules are ignored",
      "policyTypes: [Ingress], egress: [{ports: [{port: 81}]}]",
      ["Deny", "Allow"],
    ],
    ["both", "policyTypes: [Ingress, Egress]", ["Deny", "Deny"]],
    [
      "both, and rules that allow",
      "policyTypes: [Ingress, Egress], ingress: [{}], egress: [{}]",
      ["Allow", "Allow"],
    ],
  ])("S2.1: %s", (_, spec, verdicts) => {
    expect(either(spec)).toEqual(verdicts);
  });

  it("S2.1: a policy is for the pods it selects, in its own namespace", () => {
    const w = given(policy("podSelector: {matchLabels: {app: web}}"));
    expect(w.verdict("b/db -> a/web:80/TCP")).toBe("Deny");
    expect(w.verdict("b/db -> a/db:80/TCP")).toBe("Allow");
    expect(w.verdict("a/db -> b/web:80/TCP")).toBe("Allow");
  });

  it("S2.1: policies add up, whatever their order", () => {
    const closed = policy("podSelector: {}", "closed");
    const http = policy("podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: 80}]}]", "http");
    const https = policy("podSelector: {}, ingress: [{ports: [{port: 443}]}]", "https");
    for (const policies of [
      [closed, http, https],
      [https, http, closed],
    ]) {
      const w = given(...policies);
      expect(w.ask("b/db -> a/web:80/TCP")).toMatchObject({
        verdict: "Allow",
        decidedBy: "NetworkPolicy a/http",
      });
      expect(w.ask("b/db -> a/web:443/TCP")).toMatchObject({
        verdict: "Allow",
        decidedBy: "NetworkPolicy a/https",
      });
      expect(w.verdict("b/db -> a/db:80/TCP")).toBe("Deny");
      expect(w.ask("b/db -> a/web:81/TCP").decidedBy).toBe(
        "isolation by NetworkPolicy a/closed, NetworkPolicy a/http, NetworkPolicy a/https",
      );
    }
  });
});

describe("S2.2: peers", () => {
  const everyone = ["a/db", "b/web", "b/db", "b/agent", "node:n2", "203.0.113.7", "2001:db8::7"];
  const from = (text: string) =>
    allowed(
      world(
        [
          cluster.replace("{podIP: 10.1.0.1}", '{podIPs: [{ip: 10.1.0.1}, {ip: "fd00::1"}]}'),
          policy(`podSelector: {}, ingress: [{${text}}]`),
        ].join("\n---\n"),
      ),
      everyone,
      "a/web:80/TCP",
    );

  it.each([
    ["a missing `from`: everyone, external addresses included", "", everyone],
    ["an empty one too", "from: []", everyone],
    ["a lone podSelector: the policy's own namespace", "from: [{podSelector: {}}]", ["a/db"]],
    [
      "a namespaceSelector: every pod there",
      "from: [{namespaceSelector: {matchLabels: {team: b}}}]",
      ["b/web", "b/db"],
    ],
    [
      "every namespace: every pod, and nothing else",
      "from: [{namespaceSelector: {}}]",
      ["a/db", "b/web", "b/db"],
    ],
    [
      "both in one peer: both must hold",
      "from: [{namespaceSelector: {matchLabels: {team: b}}, podSelector: {matchLabels: {app: db}}}]",
      ["b/db"],
    ],
    [
      "in two peers: either",
      "from: [{namespaceSelector: {matchLabels: {team: b}}}, {podSelector: {matchLabels: {app: db}}}]",
      ["a/db", "b/web", "b/db"],
    ],
  ])("S2.2: %s", (_, text, expected) => {
    expect(from(text)).toEqual(expected);
  });

  it.each([
    [
      "every IPv4 address, pods' and nodes' included",
      "0.0.0.0/0",
      ["a/db", "b/web", "b/db", "b/agent", "node:n2", "203.0.113.7"],
    ],
    ["an external one", "203.0.113.0/24", ["203.0.113.7"]],
    ["pods by their addresses", "10.2.0.0/16", ["b/web", "b/db"]],
    ["nodes, and the pods in their network", "192.168.0.0/16", ["b/agent", "node:n2"]],
    ["IPv6", "2001:db8::/32", ["2001:db8::7"]],
    ["every IPv6 address", "::/0", ["2001:db8::7"]],
  ])("S2.3: an ipBlock matches %s", (_, cidr, expected) => {
    expect(from(`from: [{ipBlock: {cidr: "${cidr}"}}]`)).toEqual(expected);
  });

  it("S2.3: `except` takes away from its own block, not from other peers", () => {
    const block = "{ipBlock: {cidr: 10.0.0.0/8, except: [10.2.0.0/24, 10.3.0.0/24]}}";
    expect(from(`from: [${block}]`)).toEqual(["a/db"]);
    expect(from(`from: [${block}, {namespaceSelector: {}, podSelector: {matchLabels: {app: db}}}]`)).toEqual([
      "a/db",
      "b/db",
    ]);
  });

  it("S2.3: selectors never match host-network pods, whatever their labels", () => {
    const w = given(
      policy(
        "podSelector: {}, policyTypes: [Egress], egress: [{to: [{namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}]}]",
      ),
    );
    expect(w.verdict("a/db -> b/web:80/TCP")).toBe("Allow");
    expect(w.verdict("a/db -> b/agent:80/TCP")).toBe("Deny");
  });

  it("S2.3: nor is a host-network pod anyone's subject", () => {
    const w = given(policy("podSelector: {}, policyTypes: [Ingress, Egress]", "np", "b"));
    expect(w.verdict("a/web -> b/agent:80/TCP")).toBe("Allow");
    expect(w.verdict("b/agent -> a/web:80/TCP")).toBe("Allow");
    expect(w.verdict("a/web -> b/web:80/TCP")).toBe("Deny");
  });

  it("S2.2: in egress, a missing `to` is every destination", () => {
    const w = given(policy("podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: 443}]}]"));
    for (const to of ["b/web", "b/agent", "node:n2", "203.0.113.7"]) {
      expect(w.verdict(`a/web -> ${to}:443/TCP`)).toBe("Allow");
      expect(w.verdict(`a/web -> ${to}:80/TCP`)).toBe("Deny");
    }
  });
});

describe("S2.4: ports", () => {
  const asked = ["79/TCP", "80/TCP", "85/TCP", "90/TCP", "91/TCP", "8080/TCP", "80/UDP", "80/SCTP", "ICMP"];
  const open = (ports: string) => {
    const w = given(policy(`podSelector: {}, ingress: [{${ports}}]`));
    return asked.filter((port) => w.verdict(`b/web -> a/web:${port}`) === "Allow");
  };

  it.each([
    ["S2.2: missing: every port of every protocol", "", asked],
    ["S2.2: empty: the same", "ports: []", asked],
    ["S2.4: a number", "ports: [{port: 80}]", ["80/TCP"]],
    ["S2.4: a number of another protocol", "ports: [{port: 80, protocol: SCTP}]", ["80/SCTP"]],
    ["S2.4: a name", "ports: [{port: http}]", ["8080/TCP"]],
    ["S2.4: a name of another protocol", "ports: [{port: http, protocol: UDP}]", []],
    ["S2.4: a range with both its ends", "ports: [{port: 80, endPort: 90}]", ["80/TCP", "85/TCP", "90/TCP"]],
    ["S2.4: a range of one", "ports: [{port: 80, endPort: 80}]", ["80/TCP"]],
    ["S2.4: no port: every port of its protocol", "ports: [{protocol: UDP}]", ["80/UDP"]],
    [
      "S2.4: nothing in it: every port of TCP",
      "ports: [{}]",
      ["79/TCP", "80/TCP", "85/TCP", "90/TCP", "91/TCP", "8080/TCP"],
    ],
    ["S2.4: several: any of them", "ports: [{port: 79}, {port: 80, protocol: UDP}]", ["79/TCP", "80/UDP"]],
  ])("%s", (_, ports, expected) => {
    expect(open(ports)).toEqual(expected);
  });

  it("S2.2: peers and ports of one rule belong together", () => {
    const w = given(
      policy(
        "podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}, {from: [{namespaceSelector: {}}], ports: [{port: 90}]}]",
      ),
    );
    expect(w.verdict("a/db -> a/web:80/TCP")).toBe("Allow");
    expect(w.verdict("b/db -> a/web:80/TCP")).toBe("Deny");
    expect(w.verdict("b/db -> a/web:90/TCP")).toBe("Allow");
  });
});
