import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { Analyst, editOf } from "./analyst.js";

const pod = (app: string, number: number): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: app, namespace: "shop", labels: { app } },
  spec: { nodeName: "n1", containers: [{ name: "main", ports: [{ containerPort: 8080 }] }] },
  status: { phase: "Running", podIP: `10.0.0.${number}` },
});
const networkPolicy = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name, namespace: "shop" },
  spec: { podSelector: { matchLabels: { app: "web" } }, ...spec },
});
const closed = networkPolicy("web", { policyTypes: ["Ingress"] });
const open = networkPolicy("web", { ingress: [{}] });
const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };

const analystOf = (...objects: readonly JsonObject[]) => {
  const analyst = new Analyst();
  for (const object of [namespace, pod("web", 1), pod("cart", 2), ...objects]) analyst.set(object);
  return analyst;
};
const warningsFor = (analyst: Analyst, edit: Parameters<Analyst["judge"]>[0]) =>
  [...analyst.judge(edit, "everything")].flatMap(({ warnings }) =>
    warnings.map(({ text }) => text.replace(/ \(.*/, "")),
  );

const denied = "2 connections that work today become denied";
const allowed = "2 connections that are denied today become allowed";

describe("an analyst", () => {
  it.each([
    ["a policy that comes", [], editOf(closed, "apply"), [denied]],
    ["a policy that is changed", [closed], editOf(open, "apply"), [allowed]],
    ["a policy that goes", [closed], editOf(closed, "delete"), [allowed]],
    ["a policy that is as it was", [closed], editOf(closed, "apply"), []],
    ["a policy that goes and is not there any more", [], editOf(closed, "delete"), []],
  ])("says what changes with %s, as often as it is asked", (_, objects, edit, wanted) => {
    const analyst = analystOf(...objects);
    expect(warningsFor(analyst, edit)).toEqual(wanted);
    expect(warningsFor(analyst, edit)).toEqual(wanted);
  });

  it("knows what came since", () => {
    const analyst = analystOf();
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([denied]);
    analyst.set(closed);
    expect(warningsFor(analyst, editOf(closed, "delete"))).toEqual([allowed]);
    analyst.remove(editOf(closed, "delete").key);
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([denied]);
    analyst.set(pod("api", 3));
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([
      "3 connections that work today become denied",
    ]);
  });

  it("S9.7: says for how many connections policies of other projects leave it open, and names no object", () => {
    const calico = (name: string, spec: JsonObject): JsonObject => ({
      apiVersion: "crd.projectcalico.org/v1",
      kind: "GlobalNetworkPolicy",
      metadata: { name },
      spec,
    });
    const limited =
      "2 connections between pods cannot be decided because of policies of other projects: Calico GlobalNetworkPolicy";
    const analyst = analystOf(calico("secret-tenant", { types: ["Ingress"], ingress: [{ action: "Deny" }] }));
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([denied, limited]);
    analyst.set(calico("secret-tenant", { selector: "app == 'other'", ingress: [{ action: "Deny" }] }));
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([denied]);
  });

  it("does not mention other projects where nothing changes", () => {
    const mesh = {
      apiVersion: "security.istio.io/v1",
      kind: "AuthorizationPolicy",
      metadata: { name: "a", namespace: "shop" },
    };
    const aws = {
      apiVersion: "networking.k8s.aws/v1alpha1",
      kind: "ClusterNetworkPolicy",
      metadata: { name: "a" },
    };
    expect(warningsFor(analystOf(closed, aws, mesh), editOf(closed, "apply"))).toEqual([]);
    expect(warningsFor(analystOf(mesh), editOf(closed, "apply"))).toEqual([denied]);
  });

  it("forgets an edit also when not all of it is read", () => {
    const analyst = analystOf();
    for (const { stage } of analyst.judge(editOf(closed, "apply"), "everything")) {
      expect(stage).toBe("connections");
      break;
    }
    expect(warningsFor(analyst, editOf(closed, "apply"))).toEqual([denied]);
  });
});
