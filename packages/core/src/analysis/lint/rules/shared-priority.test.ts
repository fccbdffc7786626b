import { describe, expect, it } from "vitest";
import { findingsOf, lintedLines } from "../../../../testing/linted.js";
import { orderConflict } from "./order-conflict.js";
import { possibleOrderConflict } from "./possible-order-conflict.js";
import { sharedPriority } from "./shared-priority.js";

const pods = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {team: blue}}
---
apiVersion: v1
kind: Namespace
metadata: {name: bank, labels: {team: red}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: api, namespace: bank}
`;

const policy = (name: string, action: string, subject = "{}", priority = 10, port = 80) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec:
  tier: Admin
  priority: ${priority}
  subject: {namespaces: ${subject}}
  ingress: [{action: ${action}, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {number: ${port}}}}]}]
`;

const blue = "{matchLabels: {team: blue}}";
const red = "{matchLabels: {team: red}}";
const prod = "{matchLabels: {stage: prod}}";

/** The codes that the three rules find, each once. */
const codesIn = (yaml: string) =>
  [sharedPriority, orderConflict, possibleOrderConflict]
    .filter((rule) => findingsOf(rule, yaml).length > 0)
    .map(({ code }) => code);

describe("S1.13: policies of one priority", () => {
  it.each([
    ["have priorities of their own", policy("a", "Accept") + policy("b", "Deny", "{}", 20), []],
    ["disagree about a connection", policy("a", "Accept") + policy("b", "Deny"), ["TW4106", "TW4107"]],
    [
      "pass and deny, and no later tier denies",
      policy("a", "Pass") + policy("b", "Deny"),
      ["TW4106", "TW4107"],
    ],
    [
      "pass and allow, and no later tier denies",
      policy("a", "Pass") + policy("b", "Accept"),
      ["TW4106", "TW4108"],
    ],
    ["decide the same", policy("a", "Deny") + policy("b", "Deny"), ["TW4106"]],
    ["are about different ports", policy("a", "Accept") + policy("b", "Deny", "{}", 10, 81), ["TW4106"]],
    ["cannot select one pod", policy("a", "Accept", blue) + policy("b", "Deny", red), ["TW4106"]],
    [
      "select no pod in common here",
      policy("a", "Accept", blue) + policy("b", "Deny", prod),
      ["TW4106", "TW4108"],
    ],
    [
      "come after one that decides everything that they match",
      policy("first", "Deny", "{}", 5) + policy("a", "Accept") + policy("b", "Deny"),
      ["TW4106"],
    ],
  ])("that %s", (_what, policies, expected) => expect(codesIn(`${pods}${policies}`)).toEqual(expected));

  it("are reported once, all together, at a priority", () =>
    expect(
      lintedLines(sharedPriority, policy("a", "Deny") + policy("b", "Deny") + policy("c", "Deny")),
    ).toEqual([
      "line 16: ClusterNetworkPolicy a, ClusterNetworkPolicy b and ClusterNetworkPolicy c share priority 10 in tier admin: they never disagree, in any cluster, so their order does not matter",
    ]));

  it.each([
    ["in this cluster", pods],
    ["in another cluster", ""],
  ])("are evaluated in the order of their names if they disagree %s", (_where, cluster) =>
    expect(
      findingsOf(sharedPriority, `${cluster}${policy("a", "Accept")}${policy("b", "Deny")}`).map(
        ({ message }) => message,
      ),
    ).toEqual([
      "ClusterNetworkPolicy a and ClusterNetworkPolicy b share priority 10 in tier admin: they are evaluated in the order of their names",
    ]),
  );

  it("are reported in the order of evaluation, whatever their direction", () => {
    const egress = policy("a", "Deny").replace("ingress: ", "egress: ").replace("from:", "to:");
    const [found] = lintedLines(sharedPriority, egress + policy("b", "Deny"));
    expect(found).toContain("ClusterNetworkPolicy a and ClusterNetworkPolicy b share");
  });

  it("S5.1: the KEP's numbers are as they are written", () => {
    const kep = (name: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: ${name}}
spec:
  priority: 50
  subject: {namespaceSelector: {}}
  ingress: [{action: Deny, from: [{namespaces: {namespaceSelector: {}}}], l4Selector: {allPorts: true}}]
`;
    expect(lintedLines(sharedPriority, `${kep("a")}${kep("b")}`)).toEqual([
      "line 14: AdminNetworkPolicy a and AdminNetworkPolicy b share priority 50 in tier admin: they never disagree, in any cluster, so their order does not matter",
    ]);
  });
});
