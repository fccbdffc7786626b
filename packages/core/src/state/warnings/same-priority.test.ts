import { describe, expect, it } from "vitest";
import { readState } from "../state.js";

const policy = (name: string, namespaces: string) => `---
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: ${name}}
spec: {tier: Admin, priority: 1, subject: {namespaces: ${namespaces}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}
`;
const pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p1, namespace: x}\n";
const warnings = (text: string) =>
  readState([{ file: "test.yaml", text }]).diagnostics.filter(({ code }) => code === "TW2003");

describe("S1.13: policies of one priority", () => {
  it("are reported pair by pair, with a pod that both select", () => {
    const all = ["a1", "a2", "a3"].map((name) => policy(name, "{}")).join("");
    expect(warnings(`${pod}${all}`).map(({ message }) => message)).toEqual(
      [
        "a1 and ClusterNetworkPolicy a2",
        "a1 and ClusterNetworkPolicy a3",
        "a2 and ClusterNetworkPolicy a3",
      ].map(
        (names) =>
          `ClusterNetworkPolicy ${names} have the same priority, and both select x/p1; they are evaluated in the order of their names`,
      ),
    );
  });

  it("are reported each with its neighbour where there are many", () => {
    const many = Array.from({ length: 300 }, (_, i) => policy(`many-${i}`, "{}")).join("");
    expect(warnings(`${pod}${many}`)).toHaveLength(299);
  });

  it("without any pods, are reported where one could be selected by both, and only there", () => {
    const tenant = (name: string, team: string) => policy(name, `{matchLabels: {team: ${team}}}`);
    expect(warnings(`${tenant("a1", "blue")}${tenant("a2", "red")}`)).toEqual([]);
    expect(warnings(`${tenant("a1", "blue")}${policy("a2", "{matchLabels: {stage: prod}}")}`)).toHaveLength(
      1,
    );
  });
});
