import { describe, expect, it } from "vitest";
import { explanationJson } from "../report/explanation/explanation-json.js";
import { explanationText } from "../report/explanation/explanation-text.js";
import { noStyle } from "../report/style.js";
import { world } from "../../testing/world.js";
import { caveatsOfAll } from "./caveat.js";
import { convert } from "../analysis/convert/convert.js";
import { parseEndpoint, parseTarget } from "../analysis/endpoints/endpoint-ref.js";
import { explain } from "../analysis/explain/explain.js";
import { lint } from "../analysis/lint/lint.js";
import { ownPolicies, type StateOptions } from "./state.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: other, labels: {app: server}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.3}}
`;
const istio = (name: string, spec = "") =>
  `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {namespace: ${name.split("/")[0]}, name: ${name.split("/")[1]}}, spec: {${spec}}}`;
const calico = `{apiVersion: crd.projectcalico.org/v1, kind: GlobalNetworkPolicy, metadata: {name: guard}, spec: {selector: app == 'server', types: [Ingress]}}`;
const hostEndpoint = `{apiVersion: crd.projectcalico.org/v1, kind: HostEndpoint, metadata: {name: n1}, spec: {node: n1}}`;
const denyAll = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: deny}, spec: {podSelector: {}, policyTypes: [Ingress]}}`;
const snapshot = `{apiVersion: tierwall.dev/v1, kind: Snapshot, forbidden: [globalnetworkpolicies.crd.projectcalico.org], missing: []}`;

const given = (objects: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...objects].join("\n---\n"), options).state;

function explained(objects: readonly string[], question: string, options: StateOptions = {}) {
  const [from, to] = question.split(" -> ") as [string, string];
  const [source, target] = [parseEndpoint(from), parseTarget(to)];
  if (!source.ok || !target.ok) throw new Error(question);
  const { endpoint, port } = target.value;
  const found = explain(given(objects, options), { from: source.value, to: endpoint, port });
  if (!found.ok) throw new Error(found.diagnostic.message);
  return found.value;
}

const question = "a/client -> a/server:80/TCP";

describe("S9.5: a policy of a mesh", () => {
  it("S9.5: leaves the verdict as it is, and is named right below it", () => {
    const explanation = explained([istio("a/deny-all")], question);
    expect(explanation.verdict).toBe("Allow");
    expect(explanation.caveats).toEqual([
      {
        kind: "mesh",
        text: "Istio AuthorizationPolicy a/deny-all may also deny this",
        object: "Istio AuthorizationPolicy a/deny-all",
      },
    ]);
    const lines = explanationText(explanation, { style: noStyle }).split("\n");
    expect(lines.slice(0, 2)).toEqual([
      "✓ ALLOWED   a/client → a/server:80/TCP",
      "! caveat: Istio AuthorizationPolicy a/deny-all may also deny this",
    ]);
    expect(explanationJson(explanation)).toMatchObject({ caveats: explanation.caveats });
  });

  it.each([
    ["another namespace", istio("b/deny-all"), 0],
    ["other pods", istio("a/x", "selector: {matchLabels: {app: db}}"), 0],
    ["the source only", istio("a/x", "selector: {matchLabels: {app: client}}"), 0],
    ["the destination", istio("a/x", "selector: {matchLabels: {app: server}}"), 1],
    ["a selector that is not understood", istio("a/x", "selector: {matchCel: x}"), 1],
    ["the whole mesh, from the root namespace", istio("istio-system/x"), 1],
  ])("S9.5: that selects %s: %s caveats", (_, policy, count) => {
    expect(explained([policy], question).caveats).toHaveLength(count);
  });

  it("S9.5: has nothing to add where the connection is denied anyway", () => {
    expect(explained([istio("a/deny-all"), denyAll], question).caveats).toEqual([]);
  });
});

describe("S9.5: other caveats", () => {
  it("S9.5: a policy for nodes, if an endpoint is a node", () => {
    expect(explained([hostEndpoint], "a/client -> node:n1:443/TCP").caveats).toMatchObject([
      { kind: "host-policy", object: "Calico HostEndpoint n1" },
    ]);
    expect(explained([hostEndpoint], question).caveats).toEqual([]);
  });

  it.each([
    ["any GlobalNetworkPolicy of Calico", calico, 1],
    [
      "an Antrea policy that selects nodes",
      "{apiVersion: crd.antrea.io/v1beta1, kind: ClusterNetworkPolicy, metadata: {name: hosts}, spec: {appliedTo: [{nodeSelector: {}}], ingress: [{action: Drop}]}}",
      1,
    ],
    [
      "an Antrea policy that selects pods",
      "{apiVersion: crd.antrea.io/v1beta1, kind: ClusterNetworkPolicy, metadata: {name: pods}, spec: {appliedTo: [{podSelector: {matchLabels: {app: x}}}], ingress: [{action: Drop}]}}",
      0,
    ],
  ])("S9.5: %s may apply to nodes", (_, policy, count) => {
    const about = (text: string) =>
      explained([policy], text).caveats.filter(({ kind }) => kind === "host-policy");
    expect(about("a/client -> node:n1:443/TCP")).toHaveLength(count);
    expect(about("b/other -> a/client:80/TCP")).toEqual([]);
    const ofAll = caveatsOfAll(given([policy])).filter(({ text }) =>
      /those of nodes|connections of nodes/.test(text),
    );
    expect(ofAll).toHaveLength(count);
  });

  it("S9.5: what could not be read, whatever the verdict", () => {
    const unseen = {
      kind: "unseen",
      text: "globalnetworkpolicies.crd.projectcalico.org could not be read: answers assume that there are none",
    };
    expect(explained([snapshot], question).caveats).toEqual([unseen]);
    expect(explained([snapshot, denyAll], question).caveats).toEqual([unseen]);
  });

  it("S9.6: an ignored API", () => {
    const options = { ignoreApis: ["crd.projectcalico.org"] };
    expect(explained([calico], question, options).caveats).toMatchObject([{ kind: "ignored" }]);
  });
});

describe("the caveats of answers about many connections", () => {
  it("S9.3: count the connections that cannot be decided, and name the objects", () => {
    // Both servers, from the two other pods.
    expect(caveatsOfAll(given([calico]))).toEqual([
      {
        kind: "undecided",
        connections: 4,
        text: "4 of 6 connections between pods depend on Calico GlobalNetworkPolicy guard (not evaluated; --ignore-api crd.projectcalico.org leaves it out); those of nodes may as well",
      },
    ]);
  });

  it("S9.5: have one line for all policies of a mesh", () => {
    const caveats = caveatsOfAll(given([istio("a/x"), istio("a/y"), istio("b/z")]));
    expect(caveats.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "mesh: Istio AuthorizationPolicy a/x and 2 more of Istio may also deny connections that are allowed here",
    ]);
  });
});

describe("S9.7: what enforces, rewrites or proves", () => {
  const guard = `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: deny},
    spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}`;

  it("S9.7: lint finds the same in evaluated policies as without foreign objects", () => {
    const codes = (objects: readonly string[]) =>
      lint(given(objects)).findings.map(({ code, message }) => `${code} ${message}`);
    const foreign = codes([guard, guard.replace("name: deny", "name: twice"), calico]);
    const own = codes([guard, guard.replace("name: deny", "name: twice")]);
    expect(foreign.filter((text) => !text.startsWith("TW2026"))).toEqual(own);
    expect(foreign.filter((text) => text.startsWith("TW2026"))).toHaveLength(1);
    expect(own.length).toBeGreaterThan(0);
  });

  it("S9.7: a conversion is proven although foreign objects leave verdicts open", () => {
    const conversion = convert(given([denyAll, calico]), { to: "cluster-network-policy" });
    const without = convert(given([denyAll]), { to: "cluster-network-policy" });
    expect(conversion.text).toBe(without.text);
    expect(conversion.refusals).toEqual(without.refusals);
  });

  it("S9.7: the evaluated policies of a state have no tier of foreign objects, also when they change", () => {
    const own = ownPolicies(given([calico, guard]));
    for (const state of [own, own.withDefinitions(own.definitions)])
      expect([...state.tiers.ingress, ...state.tiers.egress].map(({ name }) => name)).toEqual(["admin"]);
  });
});
