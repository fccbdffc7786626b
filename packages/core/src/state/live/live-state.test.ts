import { describe, expect, it } from "vitest";
import type { ManifestObject } from "../../manifest/object.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import { formatPolicy } from "../../policy/model.js";
import { readState } from "../state.js";
import { keyOf, LiveState } from "./live-state.js";

/* Examples; laws/live-state.test.ts compares random histories with reading from scratch. */

function objects(yaml: string): readonly ManifestObject[] {
  return objectsOf(parseManifest(yaml, "test.yaml").documents).objects;
}

function liveWith(yaml: string): LiveState {
  const live = new LiveState({ provenance: "cluster" });
  for (const object of objects(yaml)) live.set(object);
  return live;
}

const set = (live: LiveState, yaml: string) => objects(yaml).map((object) => live.set(object));

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {podCIDR: 10.0.0.0/24, podCIDRs: [10.0.0.0/24, "fd00::/64"]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop, labels: {app: web}}, spec: {nodeName: n1}, status: {podIP: 10.0.0.1, hostIP: 192.0.2.1}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop}, spec: {nodeName: n1}, status: {podIP: 10.0.0.2, hostIP: 192.0.2.1}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: shop}, spec: {podSelector: {}, ingress: [{}]}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: b, namespace: shop}, spec: {podSelector: {}, ingress: [{}]}}
`;

describe("a state that is kept current", () => {
  it("S9.7: has no tier of foreign objects: agents enforce only evaluated policies", () => {
    const live = liveWith(cluster);
    const before = live.moment();
    const [key] = set(
      live,
      "{apiVersion: crd.projectcalico.org/v1, kind: GlobalNetworkPolicy, metadata: {name: guard}, spec: {}}",
    );
    const { tiers, diagnostics } = live.moment();
    expect(tiers).toEqual(before.tiers);
    expect(tiers.ingress.map(({ name }) => name)).toEqual(["network-policy"]);
    expect(diagnostics.filter(({ code }) => code === "TW3003")).toEqual([]);
    live.remove(key!);
    expect(live.moment().tiers).toEqual(before.tiers);
  });

  it("is the same object as long as nothing comes", () => {
    const live = liveWith(cluster);
    expect(live.moment()).toBe(live.moment());
  });

  it("does not change when an object is repeated, or has other fields that are not read", () => {
    const live = liveWith(cluster);
    const before = live.moment();
    set(live, cluster);
    set(
      live,
      "{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop}, spec: {nodeName: n1}, status: {podIP: 10.0.0.2, hostIP: 192.0.2.1, conditions: [{type: Ready}]}}",
    );
    const after = live.moment();
    expect([after.cluster, after.tiers, after.policies, after.podRanges]).toEqual([
      before.cluster,
      before.tiers,
      before.policies,
      before.podRanges,
    ]);
    expect(after.cluster).toBe(before.cluster);
    expect(after.tiers).toBe(before.tiers);
  });

  it("gives the state that reading its objects gives, with which other policies can be tried out", () => {
    const policies = cluster.slice(cluster.indexOf("{apiVersion: networking"));
    const state = liveWith(cluster).state();
    const read = readState([{ file: "test.yaml", text: cluster }], { provenance: "cluster" });
    const named = ({ policies: all }: typeof state) => all.map(formatPolicy);
    expect(named(state)).toEqual(["NetworkPolicy shop/a", "NetworkPolicy shop/b"]);
    const shape = ({ tiers }: typeof state) => tiers.ingress.map(({ name, rules }) => [name, rules.length]);
    expect(shape(state)).toEqual(shape(read));
    expect(named(state.withDefinitions(state.definitions.slice(1)))).toEqual(["NetworkPolicy shop/b"]);
    const live = liveWith(cluster);
    for (const object of objects(policies)) live.remove(keyOf(object));
    expect(live.state().tiers.ingress).toEqual([]);
  });

  it("knows guarantees by their names", () => {
    const [one, two] = ["one", "two"].map((name) =>
      keyOf(objects(`{apiVersion: tierwall.dev/v1, kind: Guarantee, metadata: {name: ${name}}}`)[0]!),
    );
    expect([one, two]).toEqual(["tierwall.dev Guarantee one", "tierwall.dev Guarantee two"]);
  });

  it("does not change an earlier moment", () => {
    const live = liveWith(cluster);
    const before = live.moment();
    for (const object of objects(cluster)) live.remove(keyOf(object));
    const after = live.moment();
    expect([before.cluster.pods.size, after.cluster.pods.size]).toEqual([2, 0]);
    expect([before.policies.length, after.policies.length]).toEqual([2, 0]);
    expect([before.podRanges.size, after.podRanges.size]).toEqual([1, 0]);
    expect(before.tiers.ingress[0]!.rules).toHaveLength(2);
    expect(after.tiers.ingress).toEqual([]);
  });

  it("knows what addresses a node gives its pods", () => {
    expect([...liveWith(cluster).moment().podRanges]).toEqual([["n1", ["10.0.0.0/24", "fd00::/64"]]]);
  });

  it("takes the addresses of a node without addresses from its pods, as long as they exist", () => {
    const live = liveWith(cluster);
    expect(live.moment().cluster.nodes.get("n1")!.addresses).toHaveLength(1);
    for (const name of ["web", "db"]) live.remove(`core Pod shop/${name}`);
    expect(live.moment().cluster.nodes.get("n1")!.addresses).toEqual([]);
  });

  it("S1.11: lets go of a pod that has finished", () => {
    const live = liveWith(cluster);
    set(
      live,
      "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, status: {phase: Succeeded}}",
    );
    expect([...live.moment().cluster.pods.keys()]).toEqual(["shop/db"]);
  });

  it("adds a deleted namespace while something is still in it, and reports it", () => {
    const live = liveWith(cluster);
    live.remove("core Namespace shop");
    expect(live.moment().cluster.namespaces.get("shop")!.labels).toEqual({
      "kubernetes.io/metadata.name": "shop",
    });
    expect(live.moment().diagnostics.map(({ code }) => code)).toContain("TW3001");
    for (const object of objects(cluster)) live.remove(keyOf(object));
    expect(live.moment().cluster.namespaces.size).toBe(0);
    expect(live.moment().diagnostics).toEqual([]);
  });

  it("S10.2: fails closed on a policy it cannot read, and drops the diagnostic with the policy", () => {
    const live = liveWith(cluster);
    const [key] = set(
      live,
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: new, namespace: shop}, spec: {podSelector: {}, ingress: [{from: [{planet: mars}]}]}}",
    );
    const codes = () => live.moment().diagnostics.map(({ code }) => code);
    expect(live.moment().policies.map(({ name }) => name)).toContain("new");
    expect(codes()).toContain("TW2015");
    live.remove(key!);
    expect(codes()).not.toContain("TW2015");
  });

  it("asks for warnings about the policies of its own moment, however late", () => {
    const admin = (name: string) =>
      `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: ${name}}, spec: {priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}`;
    const live = liveWith(cluster);
    set(live, admin("one"));
    set(live, admin("two"));
    const then = live.moment();
    live.remove("policy.networking.k8s.io AdminNetworkPolicy two");
    expect(live.moment().diagnostics.map(({ code }) => code)).not.toContain("TW2003");
    expect(then.diagnostics.map(({ code }) => code)).toContain("TW2003");
  });

  it("stays in order when many policies come at once, and when one of them changes", () => {
    const live = new LiveState({ provenance: "cluster" });
    const policy = (i: number, app: string) =>
      `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: p${i}, namespace: shop}, spec: {podSelector: {matchLabels: {app: ${app}}}, ingress: [{}]}}`;
    for (let i = 60; i >= 0; i--) set(live, policy(i, "x"));
    const names = () => live.moment().tiers.ingress[0]!.rules.map(({ origin }) => origin.policy.name);
    const sorted = Array.from({ length: 61 }, (_, i) => `p${i}`).toSorted();
    expect(names()).toEqual(sorted);
    set(live, policy(30, "other"));
    expect(names()).toEqual(sorted);
  });
});
