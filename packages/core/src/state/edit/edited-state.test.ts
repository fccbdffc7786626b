import { describe, expect, it } from "vitest";
import { type EditedState, readEdited } from "./edited-state.js";
import { parseRemoval, type Removal } from "./removal.js";

const policy = (name: string, more = "") =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: ${name}, namespace: shop${more}}, spec: {podSelector: {}}}`;
const clusterWide = (group: string, spec: string) =>
  `{apiVersion: ${group}, kind: ClusterNetworkPolicy, metadata: {name: guard}, spec: ${spec}}`;
const state = [
  policy("web"),
  policy("cart"),
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web, namespace: bank}, spec: {podSelector: {}}}",
  "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}}",
  "{apiVersion: v1, kind: Ingress, metadata: {name: other}}",
];

const removal = (text: string): Removal => {
  const parsed = parseRemoval(text);
  if (!parsed.ok) throw new Error(parsed.diagnostic.message);
  return parsed.value;
};

const edited = (apply: readonly string[], remove: readonly string[], objects = state): EditedState =>
  readEdited([{ file: "state.yaml", text: objects.join("\n---\n") }], {
    apply: apply.length === 0 ? [] : [{ file: "new.yaml", text: apply.join("\n---\n") }],
    remove: remove.map(removal),
  });
const names = ({ after }: EditedState) =>
  after.policies.map(({ namespace, name }) => `${namespace}/${name}`).toSorted();
const edits = ({ edits: all }: EditedState) => all.map(({ what, object }) => `${what} ${object}`);

describe("an edited state", () => {
  it("has new objects in addition to the others, and the same before", () => {
    const found = edited([policy("new")], []);
    expect(edits(found)).toEqual(["added NetworkPolicy shop/new"]);
    expect(names(found)).toEqual(["bank/web", "shop/cart", "shop/new", "shop/web"]);
    expect(found.before.policies).toHaveLength(3);
    expect(found.after.usable).toBe(true);
  });

  it("has objects of the same kind and name replaced, which is not a duplicate", () => {
    const found = edited([policy("web", ", annotations: {version: two}")], []);
    expect(edits(found)).toEqual(["replaced NetworkPolicy shop/web"]);
    expect(found.after.policies.map(({ annotations }) => annotations.version)).toContain("two");
    expect(found.after.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  it("replaces pods and namespaces as well", () => {
    const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, labels: {app: new}}}";
    const found = edited([pod], []);
    expect(found.before.cluster.pods.get("shop/a")?.labels).toEqual({});
    expect(found.after.cluster.pods.get("shop/a")?.labels).toEqual({ app: "new" });
  });

  it.each([
    ["NetworkPolicy", ["bank/web", "shop/cart", "shop/web"]],
    ["NetworkPolicy/shop/web", ["shop/web"]],
    ["NetworkPolicy/cart", ["shop/cart"]],
  ])("has %s removed", (text, gone) => {
    const found = edited([], [text]);
    expect(found.diagnostics).toEqual([]);
    expect(edits(found).toSorted()).toEqual(gone.map((name) => `deleted NetworkPolicy ${name}`));
    expect(names(found)).toEqual(
      ["bank/web", "shop/cart", "shop/web"].filter((name) => !gone.includes(name)),
    );
  });

  it("may name one object twice", () => {
    const found = edited([], ["NetworkPolicy", "NetworkPolicy/shop/web"]);
    expect([found.diagnostics, found.edits.length]).toEqual([[], 3]);
  });

  it.each([
    ["AdminNetworkPolicy", "there is no AdminNetworkPolicy in the input"],
    ["NetworkPolicy/shop/wbe", "there is no NetworkPolicy `shop/wbe`; did you mean `shop/web`?"],
    ["NetworkPolicy/web", "could be `NetworkPolicy/shop/web` or `NetworkPolicy/bank/web`; specify which one"],
  ])("says why %s cannot be deleted", (text, why) => {
    const { diagnostics } = edited([], [text]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["TW1507"]);
    expect(diagnostics[0]?.message).toContain(why);
  });

  it("asks which API is meant where two have the kind", () => {
    const both = [
      clusterWide(
        "policy.networking.k8s.io/v1alpha2",
        "{tier: Admin, priority: 1, subject: {namespaces: {}}}",
      ),
      clusterWide("netpol.networking.k8s.io/v1alpha1", "{appliedTo: {namespaceSelector: {}}}"),
    ];
    const [found, exact] = [
      edited([], ["ClusterNetworkPolicy"], both),
      edited([], ["ClusterNetworkPolicy.netpol.networking.k8s.io"], both),
    ];
    expect(found.diagnostics[0]?.message).toContain(
      "`ClusterNetworkPolicy.policy.networking.k8s.io` or `ClusterNetworkPolicy.netpol.networking.k8s.io`",
    );
    expect([exact.diagnostics, exact.after.policies.map(({ group }) => group)]).toEqual([
      [],
      ["policy.networking.k8s.io"],
    ]);
  });
});
