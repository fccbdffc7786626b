import { describe, expect, it } from "vitest";
import { parseEndpoint, parsePort, type PortRef } from "../../analysis/endpoints/endpoint-ref.js";
import { explain } from "../../analysis/explain/explain.js";
import { ok, type Result } from "../../diagnostics/result.js";
import { readState } from "../../state/state.js";
import { explanationText } from "./explanation-text.js";
import { noStyle, type Style } from "../style.js";

/* The words are free to change; that the answer comes first, that every reason has its place, and that it fits, is not. */

const cluster = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: a}}
---
apiVersion: v1
kind: Namespace
metadata: {name: payments, labels: {team: b}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {nodeName: worker-1}
status: {podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: payments, labels: {app: api}}
spec: {nodeName: worker-1, containers: [{name: c, ports: [{name: https, containerPort: 8443}]}]}
status: {podIPs: [{ip: 10.0.0.2}, {ip: "fd00::2"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: the-pod-of-an-author-who-likes-names-of-many-words-a-lot, namespace: payments, labels: {app: api}}
---
apiVersion: v1
kind: Node
metadata: {name: worker-1}
status: {addresses: [{address: 192.168.1.1}]}
`;
const policies = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: pci-guardrail}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {matchLabels: {team: b}}}
  ingress:
  - name: checkout
    action: Accept
    from: [{namespaces: {matchLabels: {team: a}}}]
    protocols: [{tcp: {destinationPort: {number: 443}}}]
  - name: metrics
    action: Pass
    from: [{namespaces: {matchLabels: {team: a}}}]
    protocols: [{tcp: {destinationPort: {number: 9090}}}]
  - name: no-other-tenants
    action: Deny
    from: [{namespaces: {}}]
  egress:
  - name: the-world-by-name
    action: Accept
    to: [{domainNames: [example.com, "*.example.com"]}]
  - name: and-nothing-else
    action: Deny
    to: [{networks: ["203.0.113.0/24", "198.51.100.0/24", "192.0.2.0/24", "2001:db8:1234:5678::/64"]}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: only-metrics, namespace: payments}
spec:
  podSelector: {}
  policyTypes: [Ingress]
  ingress:
  - from: [{namespaceSelector: {matchLabels: {team: a}}}]
    ports: [{port: 9090}]
`;
const state = readState([
  { file: "cluster.yaml", text: cluster },
  { file: "policies/payments.yaml", text: policies },
]);

function text(
  from: string,
  to: string,
  port?: string,
  options: { style?: Style; verbose?: boolean } = {},
  given = state,
): string {
  const [source, target] = [parseEndpoint(from), parseEndpoint(to)];
  const parsed: Result<PortRef> = port === undefined ? ok({ kind: "all" }) : parsePort(port);
  if (!source.ok || !target.ok || !parsed.ok) throw new Error("the question is not understood");
  const explained = explain(given, { from: source.value, to: target.value, port: parsed.value });
  if (!explained.ok) throw new Error(explained.diagnostic.message);
  return explanationText(explained.value, { style: noStyle, ...options });
}

const questions = [
  ["denied by a rule", "shop/cart", "payments/api", "8443"],
  ["allowed by a rule", "shop/cart", "payments/api", "443"],
  ["passed on and allowed", "shop/cart", "payments/api", "9090"],
  ["by the name of a port", "shop/cart", "payments/api", "https"],
  ["allowed by default", "payments/api", "shop/cart", "80"],
  ["ICMP", "shop/cart", "payments/api", "ICMP"],
  ["not known", "payments/api", "203.0.113.7", "443"],
  ["every port", "shop/cart", "payments/api", undefined],
  ["every port, not known", "payments/api", "203.0.113.7", undefined],
  ["from outside", "203.0.113.7", "payments/api", "443"],
  ["from its own node", "node:worker-1", "payments/api", "443"],
  ["to a node", "payments/api", "node:worker-1", "22"],
  ["to itself", "payments/api", "payments/api", "80"],
  ["a new pod", "new:team=a/app=x", "payments/api", "443"],
  ["a long name", "shop/cart", "payments/the-pod-of-an-author-who-likes-names-of-many-words-a-lot", "8443"],
] as const;

/** Lines that do not fit in 80 columns although they could be broken. */
const tooLong = (shown: string) =>
  shown.split("\n").filter((line) => line.length > 80 && line.trim().includes(" "));

describe("fits in 80 columns, save for a single word that does not", () => {
  it.each(questions)("%s", (_what, from, to, port) => {
    expect(tooLong(text(from, to, port))).toEqual([]);
    expect(tooLong(text(from, to, port, { verbose: true }))).toEqual([]);
  });
});

describe("the answer first", () => {
  it.each([
    ["443", "✓ ALLOWED"],
    ["8443", "✗ DENIED"],
    ["ICMP", "✗ DENIED"],
  ])("port %s: %s, with both endpoints", (port, mark) => {
    const [first] = text("shop/cart", "payments/api", port).split("\n");
    expect(first?.slice(0, mark.length)).toBe(mark);
    expect(first).toContain("shop/cart → payments/api");
  });

  it("a verdict with unknown facts is neither", () => {
    const shown = text("payments/api", "203.0.113.7", "443");
    expect(shown.split("\n")[0]).toMatch(/^\? UNDECIDED/);
    expect(shown).toMatch(/unknown: whether 203\.0\.113\.7 is an address of example\.com/);
  });
});

describe("then the reason, with its place", () => {
  const line = (needle: string) => policies.split("\n").findIndex((text_) => text_.includes(needle)) + 1;

  it("both directions, each with its verdict", () => {
    const lines = text("shop/cart", "payments/api", "8443").split("\n");
    expect(lines.find((l) => l.includes("egress from shop/cart"))).toMatch(/allowed$/);
    expect(lines.find((l) => l.includes("ingress to payments/api"))).toMatch(/denied$/);
  });

  it("the rule that decided: its policy, its number as people count, its name, file and line", () => {
    const shown = text("shop/cart", "payments/api", "8443");
    expect(shown).toMatch(/ClusterNetworkPolicy pci-guardrail rule 3\s+"no-other-tenants"/);
    expect(shown).toContain(`policies/payments.yaml:${line("- name: no-other-tenants")}`);
  });

  it("what comes after it was not reached", () => {
    expect(text("shop/cart", "payments/api", "8443")).toMatch(/network-policy +not reached/);
  });

  it("Pass, and who allowed after it", () => {
    const shown = text("shop/cart", "payments/api", "9090");
    expect(shown).toMatch(/rule 2 "metrics"\s+passes/);
    expect(shown).toMatch(/NetworkPolicy payments\/only-metrics rule 1/);
  });

  it("then what would have allowed it", () => {
    const shown = text("shop/cart", "payments/api", "8443");
    const closing = shown.slice(shown.indexOf("Nearest allow:"));
    expect(closing).toMatch(/rule 1 "checkout"/);
    expect(closing.replace(/\s+/g, " ")).toContain(`policies/payments.yaml:${line("- name: checkout")}`);
    expect(closing).toContain("443/TCP");
  });

  it("no advice for what is allowed", () => {
    expect(text("shop/cart", "payments/api", "443")).not.toContain("Nearest allow");
  });
});

describe("every port", () => {
  it("each port is in the table, allowed ones before denied ones", () => {
    const shown = text("shop/cart", "payments/api");
    expect(shown.indexOf("✓ allowed")).toBeGreaterThan(0);
    expect(shown.indexOf("✗ denied")).toBeGreaterThan(shown.indexOf("✓ allowed"));
    expect(shown).toMatch(/✓ allowed +TCP 443/);
    expect(shown).toMatch(/1-442/);
  });

  it("unknown facts of both directions are listed once", () => {
    const foreign =
      "{apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: guard}, spec: {}}";
    const given = readState([{ file: "a.yaml", text: `${cluster}\n---\n${foreign}` }]);
    const shown = text("shop/cart", "payments/api", undefined, {}, given);
    expect(shown.match(/unknown: whether/g)).toHaveLength(1);
  });
});

describe("colour is never the only signal", () => {
  const marks: Style = {
    bold: (t) => `<b>${t}</b>`,
    dim: (t) => `<d>${t}</d>`,
    good: (t) => `<g>${t}</g>`,
    bad: (t) => `<r>${t}</r>`,
    unsure: (t) => `<y>${t}</y>`,
  };
  const strip = (shown: string) => shown.replace(/<\/?[bdgry]>/g, "").replace(/\s+/g, " ");

  it.each(questions)("%s: the same words with and without it", (_what, from, to, port) => {
    expect(strip(text(from, to, port, { style: marks }))).toBe(strip(text(from, to, port)));
  });
});
