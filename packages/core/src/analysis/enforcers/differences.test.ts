import { describe, expect, it } from "vitest";
import { appPod, namespace, node, pod } from "../../../testing/manifests.js";
import { world } from "../../../testing/world.js";
import { explanationText } from "../../report/explanation/explanation-text.js";
import { noStyle } from "../../report/style.js";
import { explain } from "../explain/explain.js";
import { lint } from "../lint/lint.js";
import type { State } from "../../state/state.js";
import { parseEndpoint, parseTarget } from "../endpoints/endpoint-ref.js";
import type { Pod } from "../../cluster/model.js";
import { differences, type EnforcerName } from "../../state/enforcers/differences.js";
import { implementationCaveatsOfAll } from "./implementation-caveats.js";

const cluster = [
  namespace("a", "{team: red}"),
  namespace("b", "{team: blue}"),
  node("n1", "192.168.0.1"),
  appPod("a/client", { node: "n1", ips: ["10.0.0.1"] }),
  pod("b/server", { labels: '{app: server, pod-template-hash: "1"}', node: "n1", ips: ["10.0.0.2"] }),
  "---\n",
].join("");

const baseline = (action: string, direction: "ingress" | "egress") => `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: base}
spec:
  tier: Baseline
  priority: 1
  subject: {namespaces: {}}
  ${direction}: [{action: ${action}, ${direction === "ingress" ? "from" : "to"}: [{namespaces: {}}]}]
`;

const networkPolicy = (namespace: string, spec: string) => `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: ${namespace}}
spec: ${spec}
---
`;

interface Case {
  readonly statement: string;
  readonly enforcer: EnforcerName;
  readonly policies: string;
  readonly question: string;
  readonly ours: "Allow" | "Deny";
}

const cases: readonly Case[] = [
  {
    statement: "S1.2",
    enforcer: "cilium",
    policies: networkPolicy("b", "{podSelector: {}}") + baseline("Accept", "ingress"),
    question: "a/client -> b/server:80/TCP",
    ours: "Deny",
  },
  {
    statement: "S1.3",
    enforcer: "kube-network-policies",
    policies:
      networkPolicy("b", "{podSelector: {}, policyTypes: [Egress], egress: [{}]}") +
      baseline("Deny", "ingress"),
    question: "a/client -> b/server:80/TCP",
    ours: "Deny",
  },
  {
    statement: "S1.6",
    enforcer: "kube-network-policies",
    policies: networkPolicy("a", "{podSelector: {}, policyTypes: [Egress]}"),
    question: "a/client -> 192.168.0.1:10250/TCP",
    ours: "Deny",
  },
  {
    statement: "S2.1",
    enforcer: "cilium",
    policies: networkPolicy(
      "a",
      "{podSelector: {}, policyTypes: [Ingress], egress: [{ports: [{port: 53}]}]}",
    ),
    question: "a/client -> b/server:80/TCP",
    ours: "Allow",
  },
  {
    statement: "S2.3",
    enforcer: "cilium-1.18",
    policies: networkPolicy("b", "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}"),
    question: "a/client -> b/server:80/TCP",
    ours: "Allow",
  },
  {
    statement: "S3.4",
    enforcer: "cilium",
    policies: `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress: [{action: Deny, to: [{namespaces: {matchExpressions: [{key: team, operator: NotIn, values: [blue]}]}}]}]
`,
    question: "a/client -> 203.0.113.7:443/TCP",
    ours: "Allow",
  },
  {
    statement: "S7.13",
    enforcer: "cilium",
    policies: `
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cnp, namespace: b}
spec:
  endpointSelector: {}
  ingress: [{fromEndpoints: [{matchLabels: {"reserved:world-ipv4": ""}}]}]
`,
    question: "203.0.113.7 -> b/server:80/TCP",
    ours: "Allow",
  },
  {
    statement: "S7.15",
    enforcer: "cilium",
    policies: networkPolicy("b", "{podSelector: {matchLabels: {pod-template-hash: '1'}}}"),
    question: "a/client -> b/server:80/TCP",
    ours: "Deny",
  },
  {
    statement: "S7.4",
    enforcer: "cilium-1.18",
    policies: `
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: {name: cnp, namespace: b}
spec:
  endpointSelector: {}
  ingress:
    - fromEndpoints:
        - matchExpressions: [{key: "k8s:io.kubernetes.pod.namespace", operator: NotIn, values: [a]}]
`,
    question: "203.0.113.7 -> b/server:80/TCP",
    ours: "Deny",
  },
];

describe("S9.8: where implementations differ", () => {
  it.each(cases)("$statement, $enforcer: $ours is the other verdict there", (one) => {
    const other = one.ours === "Allow" ? "Deny" : "Allow";
    expect(world(cluster + one.policies).verdict(one.question)).toBe(one.ours);
    expect(world(cluster + one.policies, { enforcer: one.enforcer }).verdict(one.question)).toBe(other);
  });

  it.each(cases)("$statement, $enforcer: an explanation has a caveat that cites the statement", (one) => {
    const { state } = world(cluster + one.policies);
    const caveats = caveatsAbout(state, one.question).filter((caveat) => caveat.kind === "implementation");
    const own = caveats.find((caveat) => caveat.enforcers.includes(one.enforcer));
    expect(own?.verdict).toBe(one.ours === "Allow" ? "Deny" : "Allow");
    expect(own?.text).toContain(one.statement);
  });

  it.each(cases)("$statement, $enforcer: the answer of that implementation has no such caveat", (one) => {
    const { state } = world(cluster + one.policies, { enforcer: one.enforcer });
    expect(caveatsAbout(state, one.question).filter(({ kind }) => kind === "implementation")).toEqual([]);
  });

  it.each(cases)(
    "$statement, $enforcer: an answer about many connections counts those that differ",
    (one) => {
      const { state } = world(cluster + one.policies);
      const own = implementationCaveatsOfAll(state).filter(
        (caveat) => caveat.kind === "implementation" && caveat.enforcers.includes(one.enforcer),
      );
      expect(own.map(({ text }) => text)).toEqual([
        expect.stringMatching(
          /^\S.* answers \d+ connections? differently; `--enforcer \S+` answers as it would$/,
        ),
      ]);
      const there = world(cluster + one.policies, { enforcer: one.enforcer }).state;
      expect(implementationCaveatsOfAll(there)).toEqual([]);
    },
  );

  it("nothing is said where no implementation answers differently", () => {
    const { state } = world(cluster + networkPolicy("b", "{podSelector: {}}"));
    expect(implementationCaveatsOfAll(state)).toEqual([]);
  });

  it("a large cluster is not compared, and the answer says so", () => {
    const { state } = world(cluster + networkPolicy("b", "{podSelector: {}}"));
    const [[key, pod]] = state.cluster.pods as unknown as [[string, Pod]];
    const pods = new Map(Array.from({ length: 501 }, (_, i) => [`${key}-${i}`, pod]));
    const [caveat, ...others] = implementationCaveatsOfAll({ ...state, cluster: { ...state.cluster, pods } });
    expect(caveat?.text).toContain("not compared");
    expect(others).toEqual([]);
  });

  it("an implementation that does not enforce an API of the input is not mentioned", () => {
    const banp = `
apiVersion: policy.networking.k8s.io/v1alpha1
kind: BaselineAdminNetworkPolicy
metadata: {name: default}
spec: {subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]}
`;
    const { state } = world(cluster + networkPolicy("b", "{podSelector: {}}") + banp);
    expect(caveatsAbout(state, "a/client -> b/server:80/TCP")).toEqual([]);
  });

  it("policies of an API that an implementation does not enforce have no effect there", () => {
    const denied = baseline("Deny", "ingress");
    expect(world(cluster + denied).verdict("a/client -> b/server:80/TCP")).toBe("Deny");
    const old = world(cluster + denied, { enforcer: "cilium-1.18" });
    expect(old.verdict("a/client -> b/server:80/TCP")).toBe("Allow");
  });

  it("S9.8: what an implementation does not enforce is a caveat of its answers", () => {
    const { state } = world(cluster + baseline("Deny", "ingress"), { enforcer: "cilium-1.18" });
    expect(caveatsAbout(state, "a/client -> b/server:80/TCP")).toEqual([
      {
        kind: "ignored",
        text: "not enforced by Cilium 1.18 (--enforcer cilium-1.18): 1 ClusterNetworkPolicy",
      },
    ]);
  });

  it("S7.12: policies that Cilium is configured not to enforce are a caveat", () => {
    const { state } = world(cluster + baseline("Deny", "ingress"), { ciliumEnforcement: "never" });
    expect(state.caveats).toEqual([
      { kind: "ignored", text: "not enforced (--cilium-enforcement never): 1 ClusterNetworkPolicy" },
    ]);
  });

  it("S9.8: a difference that is only documented is a caveat where a policy depends on it", () => {
    const guard = `
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 1
  subject: {namespaces: {}}
  egress: [{action: Deny, to: [{nodes: {}}]}]
`;
    const { state } = world(cluster + guard, { enforcer: "kube-network-policies" });
    expect(state.caveats.map(({ text }) => text)).toEqual([
      "kube-network-policies matches `nodes` with the pods that run on these nodes, and never with the nodes' own addresses (S3.4); this answer does not follow that",
    ]);
  });

  it("S9.8: what only an implementation does is not blamed on a rule of the policy", () => {
    const policy = networkPolicy("a", "{podSelector: {}, policyTypes: [Egress]}");
    const { state } = world(cluster + policy, { enforcer: "kube-network-policies" });
    const explanation = explained(state, "a/client -> 192.168.0.1:10250/TCP");
    const text = explanationText(explanation, { style: noStyle }).replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "kube-network-policies, which does not evaluate connections from a pod to the node that it runs on",
    );
    expect(text).not.toMatch(/np rule 1 allows/);
  });

  it("S1.3: a NetworkPolicy for one direction does not open the other, which another NetworkPolicy isolates", () => {
    const policies =
      networkPolicy("a", "{podSelector: {}, policyTypes: [Ingress, Egress]}") +
      networkPolicy("a", "{podSelector: {}, policyTypes: [Ingress], ingress: [{}]}").replace(
        "name: np",
        "name: ingress",
      );
    const question = "a/client -> b/server:80/TCP";
    expect(caveatsAbout(world(cluster + policies).state, question)).toEqual([]);
    expect(world(cluster + policies, { enforcer: "kube-network-policies" }).verdict(question)).toBe("Deny");
  });

  it("S9.7: lint is about the policies as this page reads them, whatever implementation answers", () => {
    const policies =
      networkPolicy("b", "{podSelector: {}, policyTypes: [Ingress]}") + baseline("Deny", "egress");
    const codes = (enforcer?: EnforcerName) =>
      lint(world(cluster + policies, enforcer && { enforcer }).state).findings.map(({ code }) => code);
    expect(codes("kube-network-policies")).toEqual(codes());
  });

  it("every difference that changes policies is in a case above", () => {
    const shown = new Set(cases.map(({ statement, enforcer }) => `${statement} ${enforcer}`));
    const missing = differences.filter(
      ({ apply, statement, enforcers }) =>
        apply !== undefined && !enforcers.some((enforcer) => shown.has(`${statement} ${enforcer}`)),
    );
    expect(missing).toEqual([]);
  });
});

const caveatsAbout = (state: State, question: string) => explained(state, question).caveats;

function explained(state: State, question: string) {
  const [from, to] = question.split(" -> ");
  const [source, target] = [parseEndpoint(from!), parseTarget(to!)];
  if (!source.ok || !target.ok) throw new Error(question);
  const { endpoint, port } = target.value;
  const found = explain(state, { from: source.value, to: endpoint, port });
  if (!found.ok) throw new Error(found.diagnostic.message);
  return found.value;
}
