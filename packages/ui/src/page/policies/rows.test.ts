import { expect, test } from "vitest";
import { answerFindings } from "../worker/questions/findings.js";
import { HeldState } from "../worker/held-state.js";
import { answerPolicies } from "../worker/questions/policies.js";
import { answerRuleUse } from "../worker/questions/rule-use.js";
import { FindingsByPlace } from "./findings-by-place.js";
import { marksOf } from "./finding-marks.js";
import { type Row, rowsOf } from "./rows.js";
import { useWords } from "./use-words.js";
import { type PolicyFilter, isWanted, wordsOf } from "./wanted.js";

const pod = (namespace: string, name: string, address: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}
status: {podIP: ${address}}
---`;

const text = `${pod("shop", "web", "10.1.0.1")}${pod("shop", "db", "10.1.0.2")}${pod("lab", "probe", "10.1.0.3")}
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: later}
spec:
  tier: Admin
  priority: 20
  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}
  ingress:
    - action: Deny
      from:
        - namespaces: {matchLabels: {kubernetes.io/metadata.name: lab}}
---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: keep-out}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {matchLabels: {kubernetes.io/metadata.name: shop}}}
  egress:
    - action: Deny
      to: [{networks: [203.0.113.0/24]}]
  ingress:
    - name: no-lab
      action: Deny
      from:
        - namespaces: {matchLabels: {kubernetes.io/metadata.name: lab}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db, namespace: shop}
spec:
  podSelector: {matchLabels: {app: db}}
  ingress:
    - from: [{podSelector: {matchLabels: {app: web}}}]
`;

const held = new HeldState({
  title: "a shop",
  revision: "1",
  provenance: "file",
  sources: [{ file: "shop.yaml", text }],
});
const { stack } = answerPolicies(held, {});
const uses = answerRuleUse(held, {});
const findings = new FindingsByPlace(answerFindings(held, {}));

function rows(filter: string, choice: PolicyFilter = "all", isOpen: (id: string) => boolean = () => true) {
  const words = wordsOf(filter);
  return rowsOf(stack, {
    uses,
    findings,
    isOpen,
    isWanted: (stacked) => isWanted(stacked, words, choice, findings, uses),
  });
}

function line(row: Row): string {
  const use = "use" in row && row.use !== undefined ? ` · ${useWords(row.use)}` : "";
  const marks = "findings" in row ? marksOf(row.findings).map((mark) => ` [${mark}]`) : [];
  switch (row.kind) {
    case "shelf":
      return `${row.tier}: ${row.policies} policies, ${row.rules} rules`;
    case "policy":
      return `  ${row.stacked.policy.priority ?? "-"} ${row.stacked.policy.title}${marks.join("")}${use}`;
    case "rule":
      return `    ${row.rule.direction} ${"action" in row.rule ? row.rule.action : "isolation"}${marks.join("")}${use}`;
    case "finding":
      return `    ! ${row.finding.code}`;
  }
}

test("the stack is in evaluation order, each rule with what it decides and with its findings", () => {
  expect(rows("").map(line)).toEqual([
    "admin: 2 policies, 3 rules",
    "  10 ClusterNetworkPolicy keep-out [redundant] · 2 pairs + outside",
    "    ingress Deny [redundant] · 2 pairs",
    "    ! TW4103",
    "    egress Deny · outside",
    "  20 ClusterNetworkPolicy later [shadowed] · nothing",
    "    ingress Deny [shadowed] · nothing",
    "    ! TW4101",
    "network-policy: 1 policies, 1 rules",
    "  - NetworkPolicy shop/db · 1 pair + outside",
    "    ingress Allow · 1 pair",
    "    ingress isolation · outside",
  ]);
});

const titles = (filter: string, choice?: PolicyFilter) =>
  rows(filter, choice).flatMap((row) => (row.kind === "policy" ? row.stacked.policy.name : []));

test.each([
  ["", "all", ["keep-out", "later", "db"]],
  ["NO-LAB", "all", ["keep-out"]],
  ["lab deny", "all", ["keep-out", "later"]],
  ["app=web", "all", ["db"]],
  ["lab app=web", "all", []],
  ["no-such-policy", "all", []],
  ["", "idle", ["later"]],
  ["", "findings", ["keep-out", "later"]],
  ["out", "findings", ["keep-out"]],
] as const)("of %j and %s: %j", (filter, choice, names) => expect(titles(filter, choice)).toEqual(names));

test("what is closed hides what is in it", () => {
  expect(rows("", "all", () => false).map(line)).toEqual([
    "admin: 2 policies, 3 rules",
    "network-policy: 1 policies, 1 rules",
  ]);
  const onlyShelves = rows("", "all", (id) => id.startsWith("tier "));
  expect(onlyShelves.map(({ kind }) => kind)).toEqual(["shelf", "policy", "policy", "shelf", "policy"]);
});
