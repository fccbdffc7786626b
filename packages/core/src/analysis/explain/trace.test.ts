import { describe, expect, it } from "vitest";
import { world } from "../../../testing/world.js";
import { parseEndpoint, parseTarget } from "../endpoints/endpoint-ref.js";
import { type ExplainedFlow, explain } from "./explain.js";
import type { RuleTrace, WalkTrace } from "./trace.js";

const together = (...documents: readonly string[]) => documents.join("\n---\n");
const namespace = (name: string, labels = "") =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, labels: {${labels}}}}`;
const pod = (path: string, more = "") => {
  const [inNamespace, name] = path.split("/");
  return `{apiVersion: v1, kind: Pod, metadata: {namespace: ${inNamespace}, name: ${name}, labels: {app: ${name}}}${more}}`;
};
const cluster = together(
  namespace("shop", "team: a"),
  namespace("payments", "team: b"),
  pod("shop/cart"),
  pod("payments/api"),
);
const everywhere = "subject: {namespaces: {}}";
const policy = (tier: string, name: string, priority: number, ...ingress: readonly string[]) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: ${name}}, spec: {tier: ${tier}, priority: ${priority}, ${everywhere}, ingress: [${ingress.join()}]}}`;
const rule = (name: string, action: string, peer = "namespaces: {}", port?: number) =>
  `{name: ${name}, action: ${action}, from: [{${peer}}]${port === undefined ? "" : `, ports: [{portNumber: {port: ${port}, protocol: TCP}}]`}}`;
const teamB = "namespaces: {matchLabels: {team: b}}";
const networkPolicy = (name: string, spec: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: payments, name: ${name}}, spec: {podSelector: {}, policyTypes: [Ingress], ${spec}}}`;

function explained(yaml: string, question = "shop/cart -> payments/api:8443/TCP"): ExplainedFlow {
  const [from = "", to = ""] = question.split(" -> ");
  const [source, target] = [parseEndpoint(from), parseTarget(to)];
  if (!source.ok || !target.ok) throw new Error("the question is not understood");
  const result = explain(world(yaml).state, {
    from: source.value,
    to: target.value.endpoint,
    port: target.value.port,
  });
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value.answers.at(0)!.explained!;
}
const ingressOf = (...policies: readonly string[]) => explained(together(cluster, ...policies)).ingress;
/** `open matches`, `narrow no-match port` */
const showRule = ({ rule: { origin }, result, fails }: RuleTrace) =>
  [origin.name ?? `${origin.policy.name}[${origin.index}]`, result, ...fails].join(" ");
const showTiers = ({ tiers }: WalkTrace) =>
  tiers.map(({ tier, outcome, rules, isolation }) => ({
    [tier]: outcome,
    ...(rules.length === 0 ? {} : { rules: rules.map(showRule) }),
    ...(isolation.length === 0
      ? {}
      : {
          isolation: isolation.map(({ origin }) =>
            origin.kind === "policy" ? origin.policy.name : origin.option,
          ),
        }),
  }));

describe("the tiers that are walked", () => {
  it("none without policies, and none that does not concern the subject", () => {
    expect(ingressOf().tiers).toEqual([]);
    const elsewhere =
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: shop, name: np}, spec: {podSelector: {}, policyTypes: [Ingress]}}";
    expect(ingressOf(elsewhere).tiers).toEqual([]);
  });

  it("S1.1: the first rule that matches decides; those before it say what failed, those behind would have matched", () => {
    const trace = ingressOf(
      policy(
        "admin",
        "p",
        5,
        rule("other-port", "Allow", undefined, 80),
        rule("other-peer", "Deny", teamB),
        rule("neither", "Allow", teamB, 80),
        rule("decides", "Deny"),
        rule("late", "Allow"),
        rule("late-and-wrong", "Allow", teamB),
      ),
    );
    expect(showTiers(trace)).toEqual([
      {
        admin: "deny",
        rules: [
          "other-port no-match port",
          "other-peer no-match peer",
          "neither no-match peer port",
          "decides matches",
          "late would-match",
          "late-and-wrong no-match peer",
        ],
      },
    ]);
  });

  it("rules are in the order in which they are asked: by priority, not by file", () => {
    const trace = ingressOf(
      policy("admin", "second", 20, rule("b", "Allow", teamB)),
      policy("admin", "first", 10, rule("a", "Deny", teamB)),
    );
    expect(showTiers(trace)).toEqual([{ admin: "next", rules: ["a no-match peer", "b no-match peer"] }]);
  });

  it("S3.3: Pass leaves the tier, and what it skips is seen", () => {
    const trace = ingressOf(
      policy("admin", "p", 5, rule("pass", "Pass"), rule("skipped", "Deny")),
      networkPolicy("np", "ingress: []"),
      policy("baseline", "q", 5, rule("too-late", "Allow")),
    );
    expect(showTiers(trace)).toEqual([
      { admin: "pass", rules: ["pass matches", "skipped would-match"] },
      { "network-policy": "deny", isolation: ["np"] },
      { baseline: "not-reached", rules: ["too-late would-match"] },
    ]);
  });

  it("S1.2: isolation names every policy that isolates, and only those", () => {
    const trace = ingressOf(
      networkPolicy("np1", "ingress: [{ports: [{port: 80}]}]"),
      networkPolicy("np2", "ingress: []"),
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: payments, name: other}, spec: {podSelector: {matchLabels: {app: other}}}}",
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: payments, name: out}, spec: {podSelector: {}, policyTypes: [Egress]}}",
    );
    expect(showTiers(trace)).toEqual([
      { "network-policy": "deny", rules: ["np1[0] no-match port"], isolation: ["np1", "np2"] },
    ]);
  });

  it("S1.3: a tier in which nothing matches leads to the next", () => {
    const trace = ingressOf(
      policy("admin", "p", 5, rule("a", "Deny", teamB)),
      policy("baseline", "q", 5, rule("b", "Deny")),
    );
    expect(showTiers(trace)).toEqual([
      { admin: "next", rules: ["a no-match peer"] },
      { baseline: "deny", rules: ["b matches"] },
    ]);
  });

  it("S1.4: each direction has its own, and an endpoint that is not a pod has none", () => {
    const yaml = together(
      cluster,
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: shop, name: out}, spec: {podSelector: {}, egress: [{}], policyTypes: [Egress]}}",
      policy("admin", "p", 5, rule("in", "Deny")),
    );
    const { egress, ingress } = explained(yaml);
    expect([egress.direction, ingress.direction]).toEqual(["egress", "ingress"]);
    expect(showTiers(egress)).toEqual([
      { "network-policy": "allow", rules: ["out[0] matches"], isolation: ["out"] },
    ]);
    expect(showTiers(ingress)).toEqual([{ admin: "deny", rules: ["in matches"] }]);
    expect(explained(yaml, "203.0.113.7 -> payments/api:80/TCP").egress.tiers).toEqual([]);
    expect(explained(yaml, "payments/api -> 203.0.113.7:80/TCP").ingress.tiers).toEqual([]);
  });

  it("S1.6: nothing is walked from a pod to itself, or from its own node", () => {
    const yaml = together(
      cluster,
      "{apiVersion: v1, kind: Node, metadata: {name: worker}}",
      pod("payments/placed", ", spec: {nodeName: worker}"),
      networkPolicy("np", "ingress: []"),
    );
    expect(explained(yaml, "payments/api -> payments/api:80/TCP").ingress.tiers).toEqual([]);
    expect(explained(yaml, "node:worker -> payments/placed:80/TCP").ingress.tiers).toEqual([]);
  });

  it("S9.1: a rule that may match leaves its tier undecided, whatever comes after it", () => {
    const domains =
      "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: p}, spec: {tier: Admin, priority: 5, subject: {namespaces: {}}, egress: [{name: names, action: Accept, to: [{domainNames: [example.com]}]}, {name: rest, action: Deny, to: [{networks: [0.0.0.0/0]}]}]}}";
    const { egress, connection } = explained(together(cluster, domains), "shop/cart -> 203.0.113.7:443/TCP");
    expect(connection.verdict).toBe("Undecided");
    expect(showTiers(egress)).toEqual([{ admin: "undecided", rules: ["names may-match", "rest matches"] }]);
  });
});

describe("why a rule does not match", () => {
  const why = (peer: string, port?: number) => {
    const [tier] = ingressOf(policy("admin", "p", 5, rule("r", "Allow", peer, port))).tiers;
    return tier?.rules[0]?.why;
  };

  it.each([
    ["a label of the namespace", teamB, undefined, /shop.*team=a.*team=b/],
    [
      "a label of the pod",
      "pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: web}}}",
      undefined,
      /shop\/cart.*app=cart.*app=web/,
    ],
    ["a label that is not there", "namespaces: {matchLabels: {zone: x}}", undefined, /no label zone/],
    [
      "the name of the namespace",
      "namespaces: {matchLabels: {kubernetes.io/metadata.name: web}}",
      undefined,
      /shop is not web/,
    ],
    ["the port", "namespaces: {}", 80, /80\/TCP.*8443\/TCP/],
    ["both", teamB, 80, /team=b.*80\/TCP/],
  ])("%s is named", (_what, peer, port, expected) => expect(why(peer, port)).toMatch(expected));

  it("a rule that matches needs no reason", () => {
    expect(why("namespaces: {}")).toBeUndefined();
  });
});

describe("the nearest rule that would have allowed", () => {
  const nearest = (...policies: readonly string[]) => {
    const { nearestAllow } = ingressOf(...policies);
    return nearestAllow === undefined
      ? undefined
      : [nearestAllow.rule.origin.name ?? nearestAllow.rule.origin.policy.name, ...nearestAllow.fails].join(
          " ",
        );
  };
  const deny = rule("deny", "Deny");

  it("none for what is allowed, and none where nothing allows", () => {
    expect(nearest(policy("admin", "p", 5, rule("a", "Allow", teamB)))).toBeUndefined();
    expect(nearest(policy("admin", "p", 5, deny))).toBeUndefined();
  });

  it("one that fails by its port is nearer than one that fails by its peer, and that than one that fails by both", () => {
    const byPort = rule("by-port", "Allow", undefined, 80);
    const byPeer = rule("by-peer", "Allow", teamB);
    const byBoth = rule("by-both", "Allow", teamB, 80);
    expect(nearest(policy("admin", "p", 5, byBoth, byPeer, byPort, deny))).toBe("by-port port");
    expect(nearest(policy("admin", "p", 5, byPort, byPeer, byBoth, deny))).toBe("by-port port");
    expect(nearest(policy("admin", "p", 5, byPeer, byBoth, deny))).toBe("by-peer peer");
    expect(nearest(policy("admin", "p", 5, byBoth, deny))).toBe("by-both peer port");
  });

  it("one that would have been in time is nearer than one that is evaluated too late", () => {
    const late = rule("late", "Allow");
    expect(nearest(policy("admin", "p", 5, rule("in-time", "Allow", teamB, 80), deny, late))).toBe(
      "in-time peer port",
    );
    expect(nearest(policy("admin", "p", 5, deny, late))).toBe("late");
  });

  it("it may be in a NetworkPolicy that isolates", () => {
    expect(nearest(networkPolicy("np", "ingress: [{ports: [{port: 80}]}]"))).toBe("np port");
  });

  it("says why, and points to its place", () => {
    const { nearestAllow } = ingressOf(policy("admin", "p", 5, rule("a", "Allow", undefined, 80), deny));
    expect(nearestAllow).toMatchObject({ tier: "admin", why: expect.stringContaining("80/TCP") as string });
    expect(nearestAllow!.rule.origin.place()).toMatchObject({ file: "test.yaml" });
  });
});
