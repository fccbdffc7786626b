import { describe, expect, it } from "vitest";
import { parseEndpoint, parsePort, type PortRef } from "../../analysis/endpoints/endpoint-ref.js";
import { explain } from "../../analysis/explain/explain.js";
import { ok, type Result } from "../../diagnostics/result.js";
import { readState, type StateOptions } from "../../state/state.js";
import { type JsonValue, explanationJson, portRanges } from "./explanation-json.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: x}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, status: {podIP: 10.0.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: server-5d4f-1, labels: {pod-template-hash: 5d4f}, ownerReferences: [{kind: ReplicaSet, name: server-5d4f, controller: true}]}, spec: {nodeName: worker}, status: {podIP: 10.0.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: host}, spec: {hostNetwork: true, nodeName: worker}, status: {podIP: 192.168.1.1}}
---
{apiVersion: v1, kind: Node, metadata: {name: worker}, status: {addresses: [{address: 192.168.1.1}]}}
`;
const guard = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  ingress:
  - name: not-this
    action: Deny
    from: [{namespaces: {}}]
    protocols: [{tcp: {destinationPort: {number: 81}}}]
  - action: Accept
    from: [{namespaces: {}}]
    protocols: [{tcp: {destinationPort: {number: 80}}}]
`;
const isolate = (name: string) =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ${name}, namespace: x}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n`;

function json(
  policies: readonly string[],
  from: string,
  to: string,
  port?: string,
  options: StateOptions = {},
): JsonValue {
  const files = policies.map((text, i) => ({ file: `policy-${i + 1}.yaml`, text }));
  const state = readState([{ file: "cluster.yaml", text: cluster }, ...files], options);
  const [source, target] = [parseEndpoint(from), parseEndpoint(to)];
  const parsed: Result<PortRef> = port === undefined ? ok({ kind: "all" }) : parsePort(port);
  if (!state.usable || !source.ok || !target.ok || !parsed.ok) throw new Error("not understood");
  const explained = explain(state, { from: source.value, to: target.value, port: parsed.value });
  if (!explained.ok) throw new Error(explained.diagnostic.message);
  // As it is printed: fields that are undefined are not there.
  return JSON.parse(JSON.stringify(explanationJson(explained.value))) as JsonValue;
}

const toServer = ["a/client", "x/Deployment/server"] as const;

describe("the shape that scripts rely on", () => {
  it("version, kind, flow, verdict, and both directions with who decided and the trace", () => {
    const answer = json([guard], ...toServer, "80");
    expect(answer).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Explanation",
      verdict: "Allow",
      flow: {
        from: { kind: "pod", namespace: "a", name: "client", addresses: ["10.0.0.1"] },
        to: {
          kind: "pod",
          namespace: "x",
          name: "server-5d4f-1",
          workload: "Deployment/server",
          addresses: ["10.0.0.2"],
        },
        protocol: "TCP",
        port: 80,
        family: "IPv4",
      },
    });
    expect(Object.keys(answer as object).toString()).toContain("egress,ingress");
  });

  it("decidedBy a rule: API group, version, kind, name, direction, rule, tier, file and line", () => {
    expect(json([guard], ...toServer, "80")).toMatchObject({
      ingress: {
        verdict: "Allow",
        decidedBy: {
          type: "rule",
          group: "policy.networking.k8s.io",
          version: "v1alpha2",
          kind: "ClusterNetworkPolicy",
          name: "guard",
          direction: "ingress",
          ruleIndex: 1,
          rulePath: "spec.ingress[1]",
          action: "Allow",
          tier: "admin",
          file: "policy-1.yaml",
          line: 13,
        },
      },
    });
    expect(json([guard], ...toServer, "81")).toMatchObject({
      ingress: {
        verdict: "Deny",
        decidedBy: { ruleIndex: 0, ruleName: "not-this", action: "Deny", line: 9 },
      },
    });
  });

  it("a namespaced policy has its namespace, a cluster-wide one has none", () => {
    const allow = isolate("np").replace("policyTypes: [Ingress]", "ingress: [{}]");
    expect(json([allow], ...toServer, "80")).toMatchObject({
      ingress: {
        decidedBy: {
          group: "networking.k8s.io",
          kind: "NetworkPolicy",
          namespace: "x",
          name: "np",
          tier: "network-policy",
        },
      },
    });
    const { ingress } = json([guard], ...toServer, "80") as { ingress: { decidedBy: object } };
    expect(ingress.decidedBy).not.toHaveProperty("namespace");
    expect(ingress.decidedBy).not.toHaveProperty("ruleName");
  });

  it("decidedBy isolation: every policy that isolates, each with its place", () => {
    expect(json([isolate("one"), isolate("two")], ...toServer, "80")).toMatchObject({
      verdict: "Deny",
      ingress: {
        verdict: "Deny",
        decidedBy: {
          type: "isolation",
          tier: "network-policy",
          direction: "ingress",
          isolation: [
            {
              group: "networking.k8s.io",
              version: "v1",
              kind: "NetworkPolicy",
              namespace: "x",
              name: "one",
              file: "policy-1.yaml",
              line: 1,
            },
            { kind: "NetworkPolicy", name: "two", file: "policy-2.yaml", line: 1 },
          ],
        },
      },
    });
  });

  it("decidedBy isolation by an option (S7.12)", () => {
    const answer = json([], ...toServer, "80", { ciliumEnforcement: "always" });
    expect(answer).toMatchObject({
      egress: { decidedBy: { type: "isolation", isolation: [{ option: "--cilium-enforcement always" }] } },
    });
  });

  it("decidedBy default, with a reason where it is a special one", () => {
    expect(json([], ...toServer, "80")).toMatchObject({
      egress: { verdict: "Allow", decidedBy: { type: "default", direction: "egress" }, trace: [] },
      ingress: { verdict: "Allow", decidedBy: { type: "default", direction: "ingress" } },
    });
    const reason = (answer: JsonValue, direction: "egress" | "ingress") =>
      (answer as Record<string, { decidedBy: { type: string; reason?: string } }>)[direction]?.decidedBy;
    expect(reason(json([], ...toServer, "80"), "ingress")).not.toHaveProperty("reason");
    expect(reason(json([], "203.0.113.7", "x/server", "80"), "egress")).toMatchObject({
      type: "default",
      reason: expect.stringContaining("no policies") as string,
    });
    expect(reason(json([isolate("np")], "x/server", "x/server", "80"), "ingress")).toMatchObject({
      reason: expect.stringContaining("itself") as string,
    });
    expect(reason(json([isolate("np")], "node:worker", "x/server", "80"), "ingress")).toMatchObject({
      reason: expect.stringContaining("own pods") as string,
    });
  });

  it("the trace: tiers, policies and rules, with the reason why a rule did not match", () => {
    const { ingress } = json([guard, isolate("np")], ...toServer, "80") as { ingress: { trace: JsonValue } };
    expect(ingress.trace).toMatchObject([
      {
        tier: "admin",
        outcome: "allow",
        policies: [
          {
            kind: "ClusterNetworkPolicy",
            name: "guard",
            rules: [
              {
                order: 0,
                ruleIndex: 0,
                ruleName: "not-this",
                action: "Deny",
                result: "no-match",
                fails: ["port"],
                why: expect.any(String) as string,
                file: "policy-1.yaml",
                line: 9,
              },
              { order: 1, ruleIndex: 1, action: "Allow", result: "matches", line: 13 },
            ],
          },
        ],
        isolatedBy: [],
      },
      { tier: "network-policy", outcome: "not-reached", isolatedBy: [{ kind: "NetworkPolicy", name: "np" }] },
    ]);
  });

  it("for a denial the nearest allow, and what of it failed", () => {
    expect(json([guard, isolate("np")], ...toServer, "82")).toMatchObject({
      ingress: {
        verdict: "Deny",
        nearestAllow: {
          kind: "ClusterNetworkPolicy",
          name: "guard",
          ruleIndex: 1,
          tier: "admin",
          line: 13,
          fails: ["port"],
        },
      },
    });
  });

  it("S9.1: Undecided has no decider, but what is missing and what is possible", () => {
    const names =
      "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: names}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [{action: Accept, to: [{domainNames: [example.com]}]}, {action: Deny, to: [{networks: [0.0.0.0/0]}]}]}}";
    expect(json([names], "a/client", "203.0.113.7", "443")).toMatchObject({
      verdict: "Undecided",
      flow: { to: { kind: "external", address: "203.0.113.7" } },
      egress: {
        verdict: "Undecided",
        decidedBy: null,
        missing: [expect.stringContaining("example.com")],
        possible: [
          { verdict: "Deny", decidedBy: { name: "names", ruleIndex: 1 } },
          { verdict: "Allow", decidedBy: { name: "names", ruleIndex: 0 } },
        ],
      },
      ingress: { verdict: "Allow", decidedBy: { type: "default" } },
    });
  });

  it("nodes and host-network pods as endpoints", () => {
    expect(json([], "node:worker", "x/host", "80")).toMatchObject({
      flow: {
        from: { kind: "node", name: "worker", addresses: ["192.168.1.1"] },
        to: { kind: "pod", name: "host", hostNetwork: true },
      },
    });
  });

  it("ICMP has no port", () => {
    const { flow } = json([], ...toServer, "ICMP") as { flow: object };
    expect(flow).toMatchObject({ protocol: "ICMP" });
    expect(flow).not.toHaveProperty("port");
  });
});

describe("several answers", () => {
  it("without a port: sets of ports, each with its verdict and deciders", () => {
    const answer = json([guard, isolate("np")], ...toServer);
    expect(answer).toMatchObject({
      verdict: "Mixed",
      flow: { from: { name: "client" }, to: { name: "server-5d4f-1" } },
      ports: [
        {
          protocol: "TCP",
          ports: "1-79,82-65535",
          verdict: "Deny",
          ingress: { decidedBy: { type: "isolation" } },
        },
        {
          protocol: "TCP",
          ports: "80",
          verdict: "Allow",
          ingress: { decidedBy: { name: "guard", ruleIndex: 1 } },
        },
        {
          protocol: "TCP",
          ports: "81",
          verdict: "Deny",
          ingress: { decidedBy: { name: "guard", ruleIndex: 0 } },
        },
        { protocol: "UDP", ports: "all", verdict: "Deny" },
        { protocol: "SCTP", ports: "all", verdict: "Deny" },
        { protocol: "ICMP", verdict: "Deny" },
      ],
    });
  });

  it("without a port, where all agree: the one verdict", () => {
    expect(json([], ...toServer)).toMatchObject({ verdict: "Allow", ports: [{ ports: "all" }, {}, {}, {}] });
  });

  it("connections that differ: Mixed, and all of them", () => {
    const dual = `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: dual}, status: {podIPs: [{ip: 10.0.0.8}, {ip: "fd00::8"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: dual}, status: {podIPs: [{ip: 10.0.0.9}, {ip: "fd00::9"}]}}`;
    const only4 = isolate("np").replace(
      "policyTypes: [Ingress]",
      "ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]",
    );
    expect(json([dual, only4], "a/dual", "x/dual", "80")).toMatchObject({
      verdict: "Mixed",
      answers: [
        { flow: { family: "IPv4" }, verdict: "Allow" },
        { flow: { family: "IPv6" }, verdict: "Deny" },
      ],
    });
  });
});

it.each([
  [[[1, 65535]], "all"],
  [[[1, 65534]], "1-65534"],
  [[[80, 80]], "80"],
  [
    [
      [1, 79],
      [81, 81],
      [90, 65535],
    ],
    "1-79,81,90-65535",
  ],
  [[], ""],
] satisfies [[number, number][], string][])("ranges %j: %s", (ranges, text) =>
  expect(portRanges(ranges)).toBe(text),
);
