import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../manifest/document.js";
import { adminShapeOf } from "./admin-shape.js";

const kepRule = { from: [{ namespacedPods: {} }], l4Selector: { allPorts: true } };
const releasedRule = { from: [{ pods: {} }], ports: [] };
const policy = (spec: Json): JsonObject => ({ kind: "AdminNetworkPolicy", spec });

describe("S4.4: which AdminNetworkPolicy a document is", () => {
  const cases: readonly [string, Json, "released" | "kep"][] = [
    ["subject.namespaces", { subject: { namespaces: {} } }, "released"],
    ["subject.pods", { subject: { pods: {} } }, "released"],
    ["subject.namespaceSelector", { subject: { namespaceSelector: {} } }, "kep"],
    ["subject.namespaceAndPodSelector", { subject: { namespaceAndPodSelector: {} } }, "kep"],
    [
      "the subject, whatever the rules say",
      { subject: { namespaces: {} }, ingress: [kepRule, kepRule] },
      "released",
    ],
    [
      "the subject, whatever the rules say",
      { subject: { namespaceSelector: {} }, egress: [releasedRule] },
      "kep",
    ],
    ["a null counts as absent", { subject: { namespaces: null, namespaceSelector: {} } }, "kep"],
    ["no subject, rules of the KEP", { ingress: [kepRule] }, "kep"],
    ["no subject, rules as released", { ingress: [releasedRule] }, "released"],
    [
      "a misspelled subject, l4Selector",
      { subject: { namespaceSelektor: {} }, egress: [{ l4Selector: {} }] },
      "kep",
    ],
    [
      "a misspelled subject, namespaces: self",
      { subject: {}, ingress: [{ from: [{ namespaces: { self: true } }] }] },
      "kep",
    ],
    [
      "a misspelled subject, networks",
      { subject: { pod: {} }, egress: [{ to: [{ networks: [] }] }] },
      "released",
    ],
    [
      "a misspelled subject, a selector in namespaces",
      { ingress: [{ from: [{ namespaces: { matchLabels: {} } }] }] },
      "released",
    ],
    [
      "both subjects, rules of the KEP",
      { subject: { namespaces: {}, namespaceSelector: {} }, ingress: [kepRule] },
      "kep",
    ],
    [
      "both subjects, rules as released",
      { subject: { pods: {}, namespaceSelector: {} }, ingress: [releasedRule] },
      "released",
    ],
    ["both subjects and no rules", { subject: { pods: {}, namespaceSelector: {} } }, "released"],
    ["nothing at all", null, "released"],
    [
      "nonsense",
      { subject: ["namespaceSelector"], ingress: { from: 5 }, egress: [7, { to: [null] }] },
      "released",
    ],
  ];
  it.each(cases)("%s: %j is %s", (_title, spec, shape) => {
    expect(adminShapeOf(policy(spec))).toBe(shape);
  });
});
