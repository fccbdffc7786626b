import { describe, expect, it } from "vitest";
import { readState } from "../../state/state.js";
import { clusterPolicy } from "../../../testing/manifests.js";
import type { Rule } from "../../policy/model.js";
import { canMeet } from "../../policy/can-meet.js";
import { coversRule } from "./covers.js";

interface Parts {
  readonly subject?: string;
  readonly to?: string;
  readonly protocols?: string;
}

function ruleOf({ subject = "{namespaces: {}}", to = "{namespaces: {}}", protocols = "" }: Parts): Rule {
  const rule = `{action: Accept, to: [${to}]${protocols === "" ? "" : `, protocols: [${protocols}]`}}`;
  const text = clusterPolicy("guard", { subject, egress: `[${rule}]` });
  const { tiers, diagnostics } = readState([{ file: "test.yaml", text }]);
  const found = tiers.egress[0]?.rules[0];
  if (found === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return found;
}

const tcp = (port: number) => `{tcp: {destinationPort: {number: ${port}}}}`;
const range = (start: number, end: number) =>
  `{tcp: {destinationPort: {range: {start: ${start}, end: ${end}}}}}`;
const team = (value: string) => `{namespaces: {matchLabels: {team: ${value}}}}`;
const pods = (app: string) => `{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: ${app}}}}}`;
const networks = (...cidrs: readonly string[]) =>
  `{networks: [${cidrs.map((cidr) => `"${cidr}"`).join(", ")}]}`;

const cases: readonly (readonly [string, Parts, Parts, "coversRule" | "meets" | "neither"])[] = [
  ["itself", {}, {}, "coversRule"],
  ["a subject of fewer pods", {}, { subject: team("a") }, "coversRule"],
  ["a subject of more pods", { subject: team("a") }, {}, "meets"],
  ["another subject", { subject: team("a") }, { subject: team("b") }, "neither"],
  ["one of its ports", { protocols: `${tcp(80)}, ${tcp(81)}` }, { protocols: tcp(81) }, "coversRule"],
  ["a port in its range", { protocols: range(80, 90) }, { protocols: tcp(90) }, "coversRule"],
  ["a port beside its range", { protocols: range(80, 90) }, { protocols: tcp(91) }, "neither"],
  ["every port", { protocols: tcp(80) }, {}, "meets"],
  [
    "a named port, which may be any number",
    { protocols: tcp(80) },
    { protocols: "{destinationNamedPort: web}" },
    "meets",
  ],
  ["pods in its namespaces", {}, { to: pods("web") }, "coversRule"],
  ["other pods", { to: pods("web") }, { to: pods("db") }, "neither"],
  ["a network inside its own", { to: networks("10.0.0.0/8") }, { to: networks("10.1.0.0/16") }, "coversRule"],
  [
    "a network that two of its own make up",
    { to: networks("10.0.0.0/9", "10.128.0.0/9") },
    { to: networks("10.0.0.0/8") },
    "coversRule",
  ],
  ["a network of another family", { to: networks("0.0.0.0/0") }, { to: networks("::/0") }, "neither"],
  ["a network, where pods may be", {}, { to: networks("10.0.0.0/8") }, "meets"],
  ["nodes, which are no pods", {}, { to: "{nodes: {}}" }, "neither"],
  ["nodes, which networks may hold", { to: networks("10.0.0.0/8") }, { to: "{nodes: {}}" }, "meets"],
  ["fewer nodes", { to: "{nodes: {}}" }, { to: "{nodes: {matchLabels: {zone: a}}}" }, "coversRule"],
];

describe("S1.1: one rule and another", () => {
  it.each(cases)("%s", (_what, outer, inner, expected) => {
    const [a, b] = [ruleOf(outer), ruleOf(inner)];
    expect(coversRule(a, b) ? "coversRule" : canMeet(a, b) ? "meets" : "neither").toBe(expected);
    expect(canMeet(b, a)).toBe(canMeet(a, b));
  });
});
