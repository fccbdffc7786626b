import { describe, expect, it } from "vitest";
import { parseEndpoint } from "../../analysis/endpoints/endpoint-ref.js";
import { lookup } from "../../analysis/lookup/lookup.js";
import { readState } from "../../state/state.js";
import { lookupJson } from "./lookup-json.js";
import { lookupText } from "./lookup-text.js";
import { noStyle } from "../style.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, status: {podIP: 10.0.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, status: {podIP: 10.0.0.2}}
`;
const closed = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: a}
spec:
  podSelector: {matchLabels: {app: server}}
  ingress:
  - from: [{podSelector: {matchLabels: {app: client}}}]
  - from: [{podSelector: {matchLabels: {app: client}}}]
    ports: [{port: 80}]
`;

function looked(name: string, policies = closed) {
  const state = readState([
    { file: "cluster.yaml", text: cluster },
    { file: "policies.yaml", text: policies },
  ]);
  const ref = parseEndpoint(name);
  const found = ref.ok ? lookup(state, ref.value) : ref;
  if (!found.ok) throw new Error(found.diagnostic.message);
  return found.value;
}

const text = (name: string, policies?: string, verbose = false) =>
  lookupText(looked(name, policies), { style: noStyle, verbose });

describe("as text", () => {
  it("counts first, then each walk, and why a rule has no effect", () =>
    expect(text("a/server")).toBe(`a/server

  2 rules apply to it; 1 never decides anything
  no rule of other pods mentions it

  ingress to a/server: isolated by NetworkPolicy a/closed · policies.yaml:1
    network-policy
      ✓ allow from pods with app=client in namespace a on every port
        NetworkPolicy a/closed rule 1 · policies.yaml:7
      · allow from pods with app=client in namespace a on 80/TCP
        NetworkPolicy a/closed rule 2 · policies.yaml:8
        never decides: already decided by NetworkPolicy a/closed rule 1
      ✗ isolation denies what no rule of this tier matched
    default
      not reached

  egress from a/server: not isolated
    default
      ✓ allows the rest`));

  it("rules of others have their subject", () =>
    expect(text("a/client")).toContain(`  when it connects to other pods (their ingress)
    network-policy
      ✓ allow pods with app=server in namespace a from pods with app=client in
          namespace a on every port
        NetworkPolicy a/closed rule 1 · policies.yaml:7
      · allow`));

  it("of an address, only these are there", () =>
    expect(text("203.0.113.1")).toBe(`203.0.113.1

  no policies apply to it: it is not a pod with its own network
  no rule of other pods mentions it`));

  it("of a workload whose pods are affected differently, the differences", () => {
    const replica = (name: string, labels: string) =>
      `\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, labels: {${labels}}, ownerReferences: [{kind: StatefulSet, name: db, controller: true}]}}\n`;
    const pods = replica("db-0", "app: server") + replica("db-1", "app: db") + replica("db-2", "app: db");
    expect(text("a/db", `${closed}${pods}`)).toMatch(/^a\/db-0\n\n {2}2 rules apply to it/);
    expect(text("a/db", `${closed}${pods}`)).toContain(`

a/db-1, a/db-2   same as a/db-0, except:

  ingress: not isolated
  NetworkPolicy a/closed rule 1: does not apply
  NetworkPolicy a/closed rule 2: does not apply`);
  });

  it("many rules are cut short, unless all are wanted", () => {
    const rules = Array.from({ length: 30 }, (_, i) => `  - ports: [{port: ${i + 1}}]\n`).join("");
    const many = closed.slice(0, closed.indexOf("  - from")) + rules;
    expect(text("a/server", many)).toContain("…and 22 more (-v shows them, -o json has them all)");
    expect(text("a/client", many)).toContain("…and 26 more (-v shows them, -o json has them all)");
    expect(text("a/server", many, true).match(/allow from everything/g)).toHaveLength(30);
  });
});

describe("as JSON", () => {
  it("has the same, with every place", () => {
    const rule = (index: number, line: number) => ({
      kind: "NetworkPolicy",
      name: "closed",
      ruleIndex: index,
      tier: "network-policy",
      action: "Allow",
      file: "policies.yaml",
      line,
      peers: [{ kind: "pods", text: "pods with app=client in namespace a" }],
    });
    expect(lookupJson(looked("a/server"))).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Lookup",
      of: "a/server",
      answers: [
        {
          ends: [{ kind: "pod", namespace: "a", name: "server" }],
          asSubject: {
            ingress: {
              isolated: true,
              isolation: [{ tier: "network-policy", by: [{ name: "closed", line: 1 }], decides: "yes" }],
              rules: [
                { ...rule(0, 7), ports: "all", decides: "yes" },
                {
                  ...rule(1, 8),
                  decides: "never",
                  takenBy: [{ type: "rule", name: "closed", ruleIndex: 0 }],
                },
              ],
              default: { decides: "never" },
            },
            egress: { isolated: false, isolation: [], rules: [], default: { decides: "yes" } },
          },
          asPeer: { ingress: { rules: [] }, egress: { rules: [] } },
        },
      ],
    });
  });
});
