import { describe, expect, it } from "vitest";
import { consequencesOf } from "../analysis/consequences/consequences.js";
import { precedenceOf } from "../analysis/preview/precedence.js";
import { type Readable, Reader } from "../analysis/endpoints/reader.js";
import { readState } from "../state/state.js";
import { compile } from "../engine/engine.js";
import { consequenceWarnings, precedenceWarnings } from "./warnings.js";

const object = (apiVersion: string, kind: string, metadata: string, rest = "") =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}${rest}}`;
const pod = (namespace: string, app: string, address: string, port: number, replica = "") =>
  object(
    "v1",
    "Pod",
    `name: ${app}${replica}, namespace: ${namespace}, labels: {k8s-app: ${app}}, ownerReferences: [{kind: StatefulSet, apiVersion: apps/v1, name: ${app}, controller: true}]`,
    `, spec: {nodeName: n1, containers: [{ports: [{containerPort: ${port}}]}]}, status: {podIP: ${address}}`,
  );
const networkPolicy = (name: string, spec: string) =>
  object("networking.k8s.io/v1", "NetworkPolicy", `name: ${name}, namespace: shop`, `, spec: ${spec}`);
const admin = (name: string, spec: string, priority = 10) =>
  object(
    "policy.networking.k8s.io/v1alpha2",
    "ClusterNetworkPolicy",
    `name: ${name}`,
    `, spec: {tier: Admin, priority: ${priority}, subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}, ${spec}}`,
  );

const cluster = [
  object("v1", "Node", "name: n1", ", status: {addresses: [{address: 192.168.0.1}]}"),
  pod("ingress-nginx", "controller", "10.0.0.1", 443),
  pod("shop", "web", "10.0.0.2", 8080, "-0"),
  pod("shop", "web", "10.0.0.3", 8080, "-1"),
  pod("kube-system", "kube-dns", "10.0.0.4", 53),
  object(
    "v1",
    "Service",
    "name: kubernetes, namespace: default",
    ", spec: {clusterIP: 10.96.0.1, ports: [{port: 443, targetPort: 6443}]}",
  ),
  object(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    "name: kubernetes, namespace: default, labels: {kubernetes.io/service-name: kubernetes}",
    ", addressType: IPv4, ports: [{port: 6443}], endpoints: [{addresses: [192.0.2.1]}]",
  ),
];
const ofWeb = "podSelector: {matchLabels: {k8s-app: web}}";
const fromNginx = networkPolicy(
  "from-nginx",
  `{${ofWeb}, ingress: [{from: [{namespaceSelector: {}}], ports: [{port: 8080}]}]}`,
);
const denyAll = admin("deny-all", "ingress: [{name: all, action: Deny, from: [{namespaces: {}}]}]");

/** The warnings about the last of some policies, when it is added to the others. */
function warningsOf(
  policies: readonly string[],
  change: "applied" | "deleted" = "applied",
  reader = new Reader(),
): readonly string[] {
  const stateOf = (some: readonly string[]) =>
    readState([{ file: "state.yaml", text: [...cluster, ...some].join("\n---\n") }]);
  const [without, all] = [stateOf(policies.slice(0, -1)), stateOf(policies)];
  const [before, after] = change === "applied" ? [without, all] : [all, without];
  const engine = compile(before.cluster, before.tiers);
  const { pairs } = engine.update({ tiers: after.tiers });
  const reported = consequenceWarnings(consequencesOf(engine, pairs, reader), reader);
  if (change === "deleted") return reported.map(({ text }) => text);
  const applied = after.policies.at(-1)!;
  const more = precedenceWarnings(precedenceOf(engine, new Set([applied])), applied, reader);
  return [...reported, ...more].map(({ about, text }) => `${about}: ${text}`);
}

describe("warnings about an edit say", () => {
  it("what is denied, with a connection that people know, and which NetworkPolicies are overridden", () => {
    expect(warningsOf([fromNginx, denyAll])).toEqual([
      "denied: 6 connections that work today become denied (3 workloads), for example ingress-nginx/controller → shop/web :8080/TCP",
      "overrides: overrides NetworkPolicy shop/from-nginx: denies ingress-nginx/controller → shop/web :8080/TCP, which it allows",
    ]);
  });

  it("what is allowed", () => {
    const open = admin("open", "ingress: [{action: Accept, from: [{namespaces: {}}]}]");
    expect(warningsOf([networkPolicy("closed", `{${ofWeb}}`), open])).toEqual([
      "allowed: 6 connections that are denied today become allowed (3 workloads), for example ingress-nginx/controller → shop/web :8080/TCP",
      "overrides: overrides NetworkPolicy shop/closed: allows ingress-nginx/controller → shop/web :443/TCP, which it isolates from",
    ]);
  });

  it("who overrides a NetworkPolicy", () => {
    expect(warningsOf([denyAll, fromNginx])).toEqual([
      "denied: 2 connections that work today become denied (1 workload), for example external addresses → shop/web :8080/TCP",
      'overridden: is overridden by ClusterNetworkPolicy deny-all rule 1 "all": that denies ingress-nginx/controller → shop/web :8080/TCP, which this policy allows',
    ]);
  });

  it("who loses DNS and the API server", () => {
    expect(warningsOf([networkPolicy("no-egress", `{${ofWeb}, policyTypes: [Egress]}`)])).toEqual([
      "lockout: DNS: 1 workload loses kube-system/kube-dns :53/UDP, for example shop/web; allow it first",
      "lockout: API server: 1 workload loses 192.0.2.1 :6443/TCP, for example shop/web; allow it first",
      expect.stringMatching(/^denied: /),
    ]);
  });

  it("where only the order of names decides", () => {
    const allow = admin(
      "allow-443",
      "ingress: [{action: Accept, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 443}}}]}]",
    );
    expect(warningsOf([allow, denyAll]).at(-1)).toBe(
      "ambiguous: priority 10 is shared with allow-443; both select shop/web and disagree on :443/TCP from ingress-nginx/controller; order is by name",
    );
  });

  it("what a deletion opens", () => {
    expect(warningsOf([networkPolicy("closed", `{${ofWeb}}`)], "deleted")).toEqual([
      "8 connections that are denied today become allowed (3 workloads), for example ingress-nginx/controller → shop/web :8080/TCP",
    ]);
  });

  it("nothing where nothing changes", () => {
    expect(
      warningsOf([denyAll, admin("again", "ingress: [{action: Deny, from: [{namespaces: {}}]}]", 20)]),
    ).toEqual([]);
  });
});

describe("for a user who may read", () => {
  const namespaces = (...names: readonly string[]) => new Set(names);
  const [pods, policies, clusterPolicies] = [
    " Pod",
    "networking.k8s.io NetworkPolicy",
    "policy.networking.k8s.io ClusterNetworkPolicy",
  ];
  const to = (readable: Readable, policies_: readonly string[]) =>
    warningsOf(policies_, "applied", new Reader(readable));

  it("their own namespace, the others are counted", () => {
    const shop = new Map([
      [pods, namespaces("shop")],
      [policies, namespaces("shop")],
    ]);
    expect(to(shop, [fromNginx, denyAll])).toEqual([
      "denied: 6 connections that work today become denied (3 workloads), for example shop/web → shop/web :8080/TCP; 4 of them involve pods or nodes that you cannot read",
      "overrides: overrides NetworkPolicy shop/from-nginx: denies a pod that you cannot read → shop/web :8080/TCP, which it allows",
    ]);
    expect(to(shop, [denyAll, fromNginx]).at(-1)).toBe(
      "overridden: is overridden by a policy that you cannot read: that denies a pod that you cannot read → shop/web :8080/TCP, which this policy allows",
    );
    expect(to(shop, [networkPolicy("no-egress", `{${ofWeb}, policyTypes: [Egress]}`)])[0]).toBe(
      "lockout: DNS: 1 workload loses the server :53/UDP, for example shop/web; allow it first",
    );
  });

  it("another namespace only, no name of this one is shown", () => {
    const other = new Map([[pods, namespaces("ingress-nginx")]]);
    expect(to(other, [fromNginx, denyAll])).toEqual([
      "denied: 6 connections that work today become denied (3 workloads), for example ingress-nginx/controller → a pod that you cannot read; all of them involve pods or nodes that you cannot read",
      "overrides: overrides a policy that you cannot read: denies ingress-nginx/controller → a pod that you cannot read, which it allows",
    ]);
  });

  it("policies of the cluster and no pods", () => {
    const guard = new Map([[clusterPolicies, "all" as const]]);
    const allow = admin(
      "allow-443",
      "ingress: [{action: Accept, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: 443}}}]}]",
    );
    expect(to(guard, [fromNginx, allow, denyAll])).toEqual([
      "denied: 6 connections that work today become denied (3 workloads); all of them involve pods or nodes that you cannot read",
      "overrides: overrides a policy that you cannot read: denies connections, which it allows",
      "ambiguous: priority 10 is shared with allow-443, which disagrees; order is by name",
    ]);
    expect(to(new Map(), [denyAll, fromNginx]).at(-1)).toBe(
      "overridden: is overridden by a policy that you cannot read: that denies connections, which this policy allows",
    );
  });

  it("nothing, no lifeline names a workload", () => {
    expect(to(new Map(), [networkPolicy("no-egress", `{${ofWeb}, policyTypes: [Egress]}`)])).toEqual([
      "lockout: DNS: 1 workload loses the server :53/UDP, none of which you can read; allow it first",
      "lockout: API server: 1 workload loses 192.0.2.1 :6443/TCP, none of which you can read; allow it first",
      expect.not.stringContaining("shop"),
    ]);
  });
});
