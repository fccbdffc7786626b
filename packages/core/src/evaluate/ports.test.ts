import { describe, expect, it } from "vitest";
import { world } from "../../testing/world.js";

/** `web` is a TCP port of both pods, at different numbers; `dns` is one name for two protocols. */
const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client},
 spec: {containers: [{name: c, ports: [{name: web, containerPort: 9000}]}]}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server},
 spec: {containers: [{name: c, ports: [{name: web, containerPort: 8080}, {name: dns, containerPort: 53}]},
                     {name: d, ports: [{name: dns, containerPort: 5353, protocol: UDP}]}],
        initContainers: [{name: mesh, restartPolicy: Always, ports: [{name: admin, containerPort: 15000}]},
                         {name: setup, ports: [{name: setup, containerPort: 7000}]}]}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: agent},
 spec: {nodeName: n1, hostNetwork: true, containers: [{name: c, ports: [{name: web, containerPort: 8080}]}]}}
`;

const given = (...policies: readonly string[]) => world([cluster, ...policies].join("\n---\n"));

/** A policy of either direction whose only rule allows these ports; all else is denied by isolation. */
const only = (direction: "ingress" | "egress", ports: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: only},
    spec: {podSelector: {}, policyTypes: [${direction === "ingress" ? "Ingress" : "Egress"}], ${direction}: [{${ports}}]}}`;

describe("S1.7: ports", () => {
  it.each(["ingress", "egress"] as const)("S1.7: of an %s rule are those of the destination", (direction) => {
    const w = given(only(direction, "ports: [{port: 80}]"));
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> a/server:81/TCP")).toBe("Deny");
  });

  it.each(["80/TCP", "80/UDP", "80/SCTP", "ICMP"])(
    "S1.7: a rule without ports matches every protocol: %s",
    (port) => {
      expect(
        given(only("ingress", "from: [{podSelector: {}}]")).verdict(`a/client -> a/server:${port}`),
      ).toBe("Allow");
    },
  );

  it.each([
    ["TCP", ["80/TCP"]],
    ["UDP", ["80/UDP"]],
    ["SCTP", ["80/SCTP"]],
  ])("S1.7: a rule for port 80 of %s matches that protocol alone, ICMP not included", (protocol, allowed) => {
    const w = given(only("ingress", `ports: [{protocol: ${protocol}, port: 80}]`));
    const found = ["80/TCP", "80/UDP", "80/SCTP", "ICMP"].filter(
      (port) => w.verdict(`a/client -> a/server:${port}`) === "Allow",
    );
    expect(found).toEqual(allowed);
  });
});

describe("S1.8: named ports", () => {
  it.each([
    ["the destination's number", "web", "TCP", "a/client -> a/server:8080/TCP", "Allow"],
    ["not the source's", "web", "TCP", "a/client -> a/server:9000/TCP", "Deny"],
    ["each destination's own", "web", "TCP", "a/server -> a/client:9000/TCP", "Allow"],
    ["the protocol must fit", "web", "UDP", "a/client -> a/server:8080/UDP", "Deny"],
    ["a name of another protocol", "web", "UDP", "a/client -> a/server:8080/TCP", "Deny"],
    ["one name, two protocols: TCP", "dns", "TCP", "a/client -> a/server:53/TCP", "Allow"],
    [
      "one name, two protocols: not the other's number",
      "dns",
      "TCP",
      "a/client -> a/server:5353/TCP",
      "Deny",
    ],
    ["one name, two protocols: UDP", "dns", "UDP", "a/client -> a/server:5353/UDP", "Allow"],
    ["a sidecar's port", "admin", "TCP", "a/client -> a/server:15000/TCP", "Allow"],
    ["not a port of an init container that ends", "setup", "TCP", "a/client -> a/server:7000/TCP", "Deny"],
    ["a name that no pod declares", "nowhere", "TCP", "a/client -> a/server:8080/TCP", "Deny"],
  ])("S1.8: %s", (_, name, protocol, question, verdict) => {
    for (const direction of ["ingress", "egress"] as const)
      expect(
        given(only(direction, `ports: [{port: ${name}, protocol: ${protocol}}]`)).verdict(question),
      ).toBe(verdict);
  });

  const anyProtocol = (name: string) =>
    `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: named},
      spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}], protocols: [{destinationNamedPort: ${name}}]}]}}`;

  it.each([
    ["dns", "53/TCP", "Deny"],
    ["dns", "5353/UDP", "Deny"],
    ["dns", "53/UDP", "Allow"],
    ["dns", "5353/TCP", "Allow"],
    ["dns", "ICMP", "Allow"],
  ])("S1.8: `%s` without a protocol, asked about %s: %s", (name, port, verdict) => {
    expect(given(anyProtocol(name)).verdict(`a/client -> a/server:${port}`)).toBe(verdict);
  });

  it.each([
    ["a node", "node:n1"],
    ["an external address", "203.0.113.7"],
    ["a host-network pod, which is its node,", "a/agent"],
  ])("S1.8: %s has no named ports", (_, to) => {
    expect(given(only("egress", "ports: [{port: web}]")).verdict(`a/client -> ${to}:8080/TCP`)).toBe("Deny");
    expect(given(only("egress", "ports: [{port: 8080}]")).verdict(`a/client -> ${to}:8080/TCP`)).toBe(
      "Allow",
    );
  });

  it("S1.8: a number matches whether or not the pod declares it", () => {
    const w = given(only("ingress", "ports: [{port: 8080}, {port: 4711}]"));
    expect(w.verdict("a/client -> a/server:8080/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> a/server:4711/TCP")).toBe("Allow");
  });

  it("S1.8: a question may name the port; each protocol that has the name is asked about", () => {
    const w = given(only("ingress", "ports: [{port: 53}]"));
    expect(w.verdict("a/client -> a/server:web")).toBe("Deny");
    expect(w.verdict("a/client -> a/server:dns/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> a/server:dns")).toBe("Mixed");
    expect(() => w.ask("a/client -> a/server:http")).toThrow("TW1504");
  });
});
