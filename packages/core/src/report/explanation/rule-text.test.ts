import { describe, expect, it } from "vitest";
import type { Requirement } from "../../labels/requirement.js";
import { namespaceNamed, namespaceNameLabel } from "../../labels/requirement.js";
import { parseCidr } from "../../net/cidr.js";
import type { Peer, PodSelection, PolicyRef, PortMatch, Rule } from "../../policy/model.js";
import { ruleContentJson } from "../rule-json.js";
import { ruleText } from "./rule-text.js";

const policy: PolicyRef = {
  dialect: "cluster-network-policy",
  group: "policy.networking.k8s.io",
  version: "v1alpha2",
  kind: "ClusterNetworkPolicy",
  name: "guard",
  annotations: {},
  place: () => undefined,
};
const cidr = (text: string) => parseCidr(text)!;
const is = (key: string, ...values: string[]): Requirement => ({ key, operator: "In", values });
const everyPod: PodSelection = { namespaces: [], pods: [] };

function rule(given: Partial<Rule>): Rule {
  return {
    subject: everyPod,
    peers: [{ kind: "everything" }],
    ports: "every",
    action: "Deny",
    origin: { policy, direction: "ingress", index: 0, path: "spec.ingress[0]", place: () => undefined },
    ...given,
  };
}

describe("a rule is one sentence", () => {
  it.each([
    [{}, "deny all pods from everything on every port"],
    [
      { subject: { namespaces: namespaceNamed("shop"), pods: [is("app", "web"), is("tier", "a", "b")] } },
      "deny pods with app=web, tier in (a, b) in namespace shop from everything on every port",
    ],
    [
      { subject: { namespaces: [is("team", "a")], pods: [], account: [is("serviceaccount", "ci")] } },
      "deny all pods in namespaces with team=a with serviceaccount=ci from everything on every port",
    ],
    [
      {
        action: "Allow",
        origin: { policy, direction: "egress", index: 0, path: "spec.egress[0]", place: () => undefined },
      },
      "allow all pods to everything on every port",
    ],
    [
      { action: "Allow", condition: { kind: "l7", what: "HTTP" } },
      "allow all pods from everything on every port, conditional on L7 (HTTP)",
    ],
    [
      { action: "Allow", condition: { kind: "always", what: "server names" } },
      "allow all pods from everything on every port, conditional on server names",
    ],
    [
      { action: "Allow", condition: { kind: "authentication" } },
      "allow all pods from everything on every port, conditional on mutual authentication",
    ],
    [
      { failedClosed: "its `from` was not understood, so this rule denies everything" },
      "deny all pods from everything on every port (its `from` was not understood, so this rule denies everything)",
    ],
  ] satisfies [Partial<Rule>, string][])("%#: %j", (given, text) => expect(ruleText(rule(given))).toBe(text));
});

const selector = (...match: Requirement[]) => ({ kind: "selector", match }) as const;

const peers: [Peer | undefined, string][] = [
  [undefined, "no peers"],
  [{ kind: "everything" }, "everything"],
  [{ kind: "pods", namespaces: selector(), pods: selector() }, "all pods"],
  [{ kind: "pods", namespaces: selector(), pods: selector(is("app", "web")) }, "pods with app=web"],
  [
    { kind: "pods", namespaces: selector(...namespaceNamed("shop")), pods: selector() },
    "all pods in namespace shop",
  ],
  [
    { kind: "pods", namespaces: selector(is(namespaceNameLabel, "a", "b")), pods: selector() },
    "all pods in namespaces a, b",
  ],
  [
    {
      kind: "pods",
      namespaces: selector(...namespaceNamed("shop"), is("team", "a")),
      pods: selector({ key: "old", operator: "DoesNotExist", values: [] }),
    },
    "pods with !old in namespaces with kubernetes.io/metadata.name=shop, team=a",
  ],
  [{ kind: "pods", namespaces: { kind: "self" }, pods: selector() }, "all pods in the same namespace"],
  [{ kind: "pods", namespaces: { kind: "not-self" }, pods: selector() }, "all pods in other namespaces"],
  [
    {
      kind: "pods",
      namespaces: { kind: "same-labels", keys: ["tenant", "zone"] },
      pods: { kind: "not-same-labels", keys: ["stage"] },
    },
    "pods with another stage in namespaces with the same tenant, zone",
  ],
  [
    {
      kind: "networks",
      cidrs: [cidr("10.0.0.0/8"), cidr("2001:db8::/32")],
      except: [cidr("10.1.0.0/16")],
      reach: "every-address",
    },
    "10.0.0.0/8, 2001:db8::/32 except 10.1.0.0/16",
  ],
  [
    { kind: "networks", cidrs: [cidr("0.0.0.0/0")], except: [], reach: "external" },
    "0.0.0.0/0 outside the cluster",
  ],
  [{ kind: "nodes", nodes: [] }, "every node"],
  [{ kind: "nodes", nodes: [is("pool", "gpu")] }, "nodes with pool=gpu"],
  [
    {
      kind: "domains",
      patterns: [
        { kind: "exact", text: "example.com" },
        { kind: "subdomains", text: "example.org" },
      ],
      reach: "external",
    },
    "example.com, *.example.org",
  ],
  [{ kind: "entity", entity: "kube-apiserver" }, "entity kube-apiserver"],
  [{ kind: "endpoints", services: { namespace: "shop", name: "cart" } }, "endpoints of Service shop/cart"],
  [{ kind: "endpoints", services: { labels: [is("app", "cart")] } }, "endpoints of Service */with app=cart"],
  [
    { kind: "cidr-group", name: "offices", except: [cidr("10.1.0.0/16")] },
    "CIDR group offices except 10.1.0.0/16",
  ],
  [{ kind: "cidr-group", labels: [is("site", "x")], except: [] }, "CIDR group site=x"],
  [{ kind: "unknown-set", what: "AWS instances", reach: "external" }, "AWS instances"],
];

describe("peers", () => {
  it.each(peers)("%#: %s", (peer, text) =>
    expect(ruleText(rule({ peers: peer === undefined ? [] : [peer] }))).toBe(
      `deny all pods from ${text} on every port`,
    ),
  );

  it("several are distinguished", () =>
    expect(ruleText(rule({ peers: [peers[3]![0]!, peers[12]![0]!] }))).toBe(
      "deny all pods from pods with app=web; every node on every port",
    ));
});

const ports: [readonly PortMatch[], string][] = [
  [[], "no port"],
  [[{ kind: "range", protocol: "TCP", first: 80, last: 80 }], "80/TCP"],
  [[{ kind: "range", protocol: "UDP", first: 8000, last: 9000 }], "8000-9000/UDP"],
  [[{ kind: "range", protocol: "SCTP", first: 1, last: 65535 }], "every SCTP port"],
  [[{ kind: "named", name: "web" }], "web"],
  [[{ kind: "named", name: "dns", protocol: "UDP" }], "dns/UDP"],
  [[{ kind: "icmp", family: 4, type: 0 }], "ICMP"],
  [[{ kind: "icmp", family: 6, type: 128 }], "ICMPv6 type 128"],
  [
    [
      { kind: "range", protocol: "TCP", first: 80, last: 80 },
      { kind: "named", name: "web" },
    ],
    "80/TCP, web",
  ],
];

describe("ports", () => {
  it.each(ports)("%#: %j", (given, text) =>
    expect(ruleText(rule({ ports: given }))).toBe(`deny all pods from everything on ${text}`),
  );
});

describe("as JSON", () => {
  it("each part has its words and its fields", () =>
    expect(
      JSON.parse(
        JSON.stringify(
          ruleContentJson(
            rule({
              subject: {
                namespaces: namespaceNamed("shop"),
                pods: [{ key: "tier", operator: "NotIn", values: ["a", "b"] }, is("app", "web")],
              },
              peers: [peers[9]![0]!, peers[10]![0]!],
              ports: [
                { kind: "range", protocol: "TCP", first: 80, last: 90 },
                { kind: "named", name: "web" },
                { kind: "icmp", family: 6, type: 128 },
              ],
            }),
          ),
        ),
      ),
    ).toEqual({
      subject: {
        text: "pods with tier not in (a, b), app=web in namespace shop",
        namespaces: "kubernetes.io/metadata.name=shop",
        pods: "tier notin (a,b),app=web",
      },
      peers: [
        {
          kind: "pods",
          text: "pods with another stage in namespaces with the same tenant, zone",
          namespaces: { relative: "same-labels", keys: ["tenant", "zone"] },
          pods: { relative: "not-same-labels", keys: ["stage"] },
        },
        {
          kind: "networks",
          text: "10.0.0.0/8, 2001:db8::/32 except 10.1.0.0/16",
          cidrs: ["10.0.0.0/8", "2001:db8::/32"],
          except: ["10.1.0.0/16"],
          reach: "every-address",
        },
      ],
      ports: [
        { text: "80-90/TCP", protocol: "TCP", first: 80, last: 90 },
        { text: "web", name: "web" },
        { text: "ICMPv6 type 128", protocol: "ICMP", family: "IPv6", type: 128 },
      ],
    }));

  it.each(peers.slice(1))("%#: a peer keeps its kind and its words", (peer, text) =>
    expect(ruleContentJson(rule({ peers: [peer!] }))).toMatchObject({
      peers: [{ kind: peer!.kind, text }],
      ports: "all",
    }),
  );
});
