import { describe, expect, it } from "vitest";
import { formatPath } from "../diagnostics/place.js";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import { admissionOf } from "./admission.js";

const admitted = (apiVersion: string, kind: string, spec: string) => {
  const text = `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: p, namespace: shop}, spec: ${spec}}`;
  const [object] = objectsOf(parseManifest(text, "p.yaml").documents).objects;
  const found = admissionOf(object!);
  const reported = found.what === "ignored" ? [] : found.diagnostics;
  return [found.what, ...reported.map(({ code, path }) => `${code} ${formatPath(path ?? [])}`)];
};

const clusterPolicy = (spec: string) =>
  admitted(
    "policy.networking.k8s.io/v1alpha2",
    "ClusterNetworkPolicy",
    `{tier: Admin, priority: 1, ${spec}}`,
  ).filter(
    // Cluster-wide policies have no namespace; these have one so that all kinds can be made the same way.
    (line) => !line.startsWith("TW2019"),
  );
const subject = "subject: {namespaces: {}}";
const deny = (peer: string) => `${subject}, ingress: [{action: Deny, from: [${peer}]}]`;

describe("an object that is about to enter a cluster", () => {
  it.each([
    ["a valid one is taken", deny("{namespaces: {}}"), ["taken"]],
    [
      "a field of a newer API is taken, and fails closed (S3.6)",
      deny("{galaxies: {}}"),
      ["taken", "TW2015 spec.ingress[0].from[0].galaxies"],
    ],
    [
      "so is a word of a newer API",
      `${subject}, ingress: [{action: Log, from: [{namespaces: {}}]}]`,
      ["taken", "TW2015 spec.ingress[0].action"],
    ],
    [
      "a field that is missing next to a field of a newer API is not an error",
      `${subject}, ingress: [{verdict: Log, from: [{namespaces: {}}]}]`,
      ["taken", "TW2015 spec.ingress[0].verdict", "TW2015 spec.ingress[0]"],
    ],
    [
      "readable problems are accepted: the installed CRD admits them",
      `${subject}, egress: [{action: Accept, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: web}]}]`,
      ["taken", "TW2017 spec.egress[0].protocols[0].destinationNamedPort"],
    ],
    [
      "a peer in which nothing is set is a mistake",
      deny("{}"),
      ["refused", "TW1209 spec.ingress[0].from[0]"],
    ],
    [
      "so are two that exclude each other",
      deny("{namespaces: {}, pods: {podSelector: {}}}"),
      ["refused", "TW1209 spec.ingress[0].from[0].pods"],
    ],
    [
      "so is a missing action",
      `${subject}, ingress: [{from: [{namespaces: {}}]}]`,
      ["refused", "TW1202 spec.ingress[0]"],
    ],
    [
      "so is an invalid CIDR",
      `${subject}, egress: [{action: Deny, to: [{networks: [10.0.0.0]}]}]`,
      ["refused", "TW1304 spec.egress[0].to[0].networks[0]"],
    ],
  ])("%s", (_, spec, wanted) => {
    expect(clusterPolicy(spec)).toEqual(wanted);
  });

  it("objects that are not policies are ignored", () => {
    expect(admitted("v1", "ConfigMap", "{}")).toEqual(["ignored"]);
  });

  it("S3.10: a version that is not known is never refused, and always reported", () => {
    const [what, ...reported] = admitted("policy.networking.k8s.io/v9", "ClusterNetworkPolicy", "{}");
    expect(what).toBe("taken");
    expect(reported).toContain("TW2015 apiVersion");
  });
});
