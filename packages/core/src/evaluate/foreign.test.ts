import { describe, expect, it } from "vitest";
import type { State, StateOptions } from "../state/state.js";
import { compile } from "../engine/engine.js";
import { evaluatorExam, faultOfEngine } from "../../testing/agreement.js";
import { problemsIn, world } from "../../testing/world.js";

const cluster = `
{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {team: red}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: blue}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client, labels: {app: client}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server, labels: {app: server}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.2}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: b, name: other, labels: {app: client}}, spec: {nodeName: n1}, status: {podIP: 10.1.0.3}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: proxy}, spec: {nodeName: n1, hostNetwork: true}, status: {podIP: 192.168.0.1}}
`;

const engineFault = (state: State) =>
  faultOfEngine(({ cluster: of, tiers }) => compile(of, tiers), evaluatorExam(state, 1));

const given = (objects: readonly string[], options: StateOptions = {}) =>
  world([cluster, ...objects].join("\n---\n"), options);

const object = (apiVersion: string, kind: string, name: string, spec: string) =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${name.includes("/") ? `namespace: ${name.split("/")[0]}, ` : ""}name: ${name.split("/").at(-1)}}, spec: {${spec}}}`;

const calico = (name: string, spec: string) =>
  object("crd.projectcalico.org/v1", "GlobalNetworkPolicy", name, spec);
const aws = (name: string, spec: string) =>
  object("networking.k8s.aws/v1alpha1", "ClusterNetworkPolicy", name, `tier: Admin, priority: 1, ${spec}`);
const denyAll = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: deny}, spec: {podSelector: {}, policyTypes: [Ingress]}}`;

describe("S9.3: an object of an API that is not evaluated", () => {
  it.each([
    ["Calico GlobalNetworkPolicy", calico("guard", "types: [Ingress]"), "Calico GlobalNetworkPolicy guard"],
    [
      "Calico NetworkPolicy",
      object("projectcalico.org/v3", "NetworkPolicy", "a/web", ""),
      "Calico NetworkPolicy a/web",
    ],
    [
      "AWS ClusterNetworkPolicy",
      aws("guard", "subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]"),
      "AWS ClusterNetworkPolicy guard",
    ],
    [
      "Antrea ClusterNetworkPolicy",
      object("crd.antrea.io/v1beta1", "ClusterNetworkPolicy", "guard", "ingress: [{action: Drop}]"),
      "Antrea ClusterNetworkPolicy guard",
    ],
    [
      "a version that is not known yet",
      object("crd.projectcalico.org/v9", "GlobalNetworkPolicy", "guard", ""),
      "Calico GlobalNetworkPolicy guard",
    ],
    [
      "Kube-OVN SecurityGroup",
      object("kubeovn.io/v1", "SecurityGroup", "sg", ""),
      "Kube-OVN SecurityGroup sg",
    ],
  ])("S9.3: %s makes the verdict Undecided and is named", (_, foreign, name) => {
    const said = given([foreign]).ask("a/client -> a/server:80/TCP");
    expect(said.verdict).toBe("Undecided");
    expect(said.missing[0]).toContain(`whether ${name} allows or denies it`);
    expect(said.missing[0]).toContain("--ignore-api");
  });

  it("S9.3: may also allow what evaluated policies deny", () => {
    const w = given([denyAll, calico("guard", "types: [Ingress]")]);
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Undecided");
  });

  it("S9.3: leaves a denial of the other direction as it is", () => {
    const w = given([denyAll, calico("guard", "types: [Egress]")]);
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Deny");
  });

  it("S9.3: changes nothing that it does not apply to", () => {
    const w = given([calico("guard", "types: [Ingress], selector: app == 'server'")]);
    expect(w.verdict("a/server -> a/client:80/TCP")).toBe("Allow");
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Undecided");
  });

  it("S9.3: among hundreds of others is one fact, and the verdict stays quick to find", () => {
    const many = Array.from({ length: 300 }, (_, i) => calico(`p${i}`, ""));
    expect(given(many).ask("a/client -> a/server:80/TCP").missing).toEqual([
      expect.stringMatching(/GlobalNetworkPolicy p0, .* and 297 more allow or deny it/),
      expect.stringMatching(/GlobalNetworkPolicy p0, .* and 297 more allow or deny it/),
    ]);
  });

  it.each([
    ["a pod and its own address", "a/client -> a/client:80/TCP"],
    ["a node and its own pod", "node:n1 -> a/server:80/TCP"],
    ["a host-network pod and a pod of its node", "a/proxy -> a/server:80/TCP"],
  ])("S9.3: does not touch %s", (_, question) => {
    expect(given([calico("guard", "")]).verdict(question)).toBe("Allow");
  });

  it.each([
    ["staged", object("projectcalico.org/v3", "StagedGlobalNetworkPolicy", "guard", "")],
    ["a tier", object("crd.antrea.io/v1beta1", "Tier", "emergency", "priority: 5")],
    ["a set of networks", object("projectcalico.org/v3", "GlobalNetworkSet", "bad", "")],
    ["derived", object("networking.k8s.aws/v1alpha1", "PolicyEndpoint", "a/x", "")],
  ])("S9.3: has no effect if it is %s", (_, foreign) => {
    expect(given([foreign]).verdict("a/client -> a/server:80/TCP")).toBe("Allow");
  });

  const adminDeny = (apiVersion: string, kind: string, spec: string) =>
    `{apiVersion: policy.networking.k8s.io/${apiVersion}, kind: ${kind}, metadata: {name: ${kind === "BaselineAdminNetworkPolicy" ? "default" : "deny"}}, spec: {${spec} subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}`;

  it.each([
    ["NetworkPolicy", denyAll, "NetworkPolicy", "a/knp.default.deny"],
    [
      "AdminNetworkPolicy",
      adminDeny("v1alpha1", "AdminNetworkPolicy", "priority: 1,"),
      "GlobalNetworkPolicy",
      "kanp.adminnetworkpolicy.deny",
    ],
    [
      "BaselineAdminNetworkPolicy",
      adminDeny("v1alpha1", "BaselineAdminNetworkPolicy", ""),
      "GlobalNetworkPolicy",
      "kbanp.baselineadminnetworkpolicy.default",
    ],
    [
      "ClusterNetworkPolicy",
      adminDeny("v1alpha2", "ClusterNetworkPolicy", "tier: Admin, priority: 1,"),
      "GlobalNetworkPolicy",
      "kcnp.kube-admin.deny",
    ],
  ])("S9.3: is not a %s of Kubernetes that Calico lists a second time", (_, original, kind, name) => {
    const twice = object("projectcalico.org/v3", kind, name, "");
    expect(given([original, twice]).verdict("a/client -> a/server:80/TCP")).toBe("Deny");
    // The same name is not enough.
    expect(given([twice]).verdict("a/client -> a/server:80/TCP")).toBe("Undecided");
  });
});

describe("S9.4: the subject of a foreign object", () => {
  it.each([
    ["another namespace", object("projectcalico.org/v3", "NetworkPolicy", "b/web", "")],
    ["other pods", calico("guard", "selector: app == 'none'")],
    ["other namespaces", calico("guard", "namespaceSelector: team == 'green'")],
    [
      "other namespaces, of AWS",
      aws("guard", "subject: {namespaces: {matchLabels: {team: green}}}, ingress: [{}]"),
    ],
    [
      "other pods, of Antrea",
      object(
        "crd.antrea.io/v1beta1",
        "ClusterNetworkPolicy",
        "guard",
        "appliedTo: [{podSelector: {matchLabels: {app: none}}}], ingress: [{action: Drop}]",
      ),
    ],
    [
      "a secondary network",
      object("k8s.ovn.org/v1", "UserDefinedNetwork", "a/blue", "topology: Layer2, layer2: {role: Secondary}"),
    ],
    [
      "another namespace, as Calico labels pods with it",
      calico("guard", "selector: pcns.projectcalico.org/name == 'b'"),
    ],
    [
      "nodes, of Antrea",
      object(
        "crd.antrea.io/v1beta1",
        "ClusterNetworkPolicy",
        "guard",
        "appliedTo: [{nodeSelector: {}}], ingress: [{action: Drop}]",
      ),
    ],
    ["an open subnet", object("kubeovn.io/v1", "Subnet", "ovn-default", "cidrBlock: 10.1.0.0/16")],
  ])("S9.4: that is surely %s does not change the verdict", (_, foreign) => {
    expect(given([foreign]).verdict("a/client -> a/server:80/TCP")).toBe("Allow");
  });

  it.each([
    ["a selector that cannot be parsed", calico("guard", "selector: app === 'x'")],
    ["a selector that labels do not decide", calico("guard", "selector: app starts with 'ser'")],
    [
      "a group",
      object(
        "crd.antrea.io/v1beta1",
        "ClusterNetworkPolicy",
        "guard",
        "appliedTo: [{group: web}], ingress: [{action: Drop}]",
      ),
    ],
    ["a subject with a field that is not known", aws("guard", "subject: {vms: {}}, ingress: [{}]")],
    [
      "its own namespace, as Calico labels pods with it",
      calico("guard", "selector: pcns.projectcalico.org/name == 'a'"),
    ],
    [
      "a label of Calico for namespaces that is not known",
      calico("guard", "selector: pcns.projectcalico.org/kind == 'x'"),
    ],
    ...["applyOnForward", "preDNAT", "doNotTrack"].map((field): [string, string] => [
      `at host endpoints, with ${field}`,
      calico("guard", `selector: role == 'gateway', types: [Ingress], ${field}: true`),
    ]),
    ["a private subnet", object("kubeovn.io/v1", "Subnet", "tenant", "private: true")],
  ])("S9.4: that is %s may be any pod", (_, foreign) => {
    expect(given([foreign]).verdict("a/client -> a/server:80/TCP")).toBe("Undecided");
  });

  const missingNamespace = `{apiVersion: v1, kind: Pod, metadata: {namespace: gone, name: web}, status: {podIP: 10.1.0.9}}`;

  it.each([
    ["a label of it", "namespaceSelector: team == 'red'", "Undecided"],
    ["having a label", "namespaceSelector: has(zone)", "Undecided"],
    [
      "its name and a label",
      "namespaceSelector: team == 'red' && projectcalico.org/name == 'gone'",
      "Undecided",
    ],
    [
      "another name and a label",
      "namespaceSelector: team == 'red' && projectcalico.org/name == 'x'",
      "Allow",
    ],
    [
      "a label of it and another of the pod",
      "namespaceSelector: team == 'red', selector: app == 'x'",
      "Allow",
    ],
  ])("S9.4: a namespace that is not in the input, selected by %s (%s): %s", (_, spec, verdict) => {
    const w = given([missingNamespace, calico("guard", `types: [Ingress], ${spec}`)]);
    expect(w.verdict("a/client -> gone/web:80/TCP")).toBe(verdict);
    expect(engineFault(w.state)).toBeUndefined();
    // A namespace of the input has its own labels.
    expect(w.verdict("a/client -> b/other:80/TCP")).toBe("Allow");
  });

  const statefulSet = `{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: a, name: db}, spec: {template: {metadata: {labels: {app: db}}}}}`;
  const replica = (name: string) =>
    `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, labels: {app: db, controller-revision-hash: x, statefulset.kubernetes.io/pod-name: ${name}}}, status: {podIP: 10.1.0.9}}`;

  it.each([
    ["a template", statefulSet, "a/db", "statefulset.kubernetes.io/pod-name == 'db-0'", "Undecided"],
    ["a template", statefulSet, "a/db", "app == 'db' && has(controller-revision-hash)", "Undecided"],
    ["a template", statefulSet, "a/db", "app == 'x' && has(controller-revision-hash)", "Allow"],
    ["a template", statefulSet, "a/db", "batch.kubernetes.io/job-completion-index == '0'", "Undecided"],
    [
      "the pod itself",
      replica("db-0"),
      "a/db-0",
      "statefulset.kubernetes.io/pod-name == 'db-0'",
      "Undecided",
    ],
    ["another replica", replica("db-1"), "a/db-1", "statefulset.kubernetes.io/pod-name == 'db-0'", "Allow"],
  ])("S9.4: %s, and a label that controllers add", (_, made, name, selector, verdict) => {
    const w = given([made, calico("guard", `types: [Ingress], selector: "${selector}"`)]);
    expect(w.verdict(`a/client -> ${name}:80/TCP`)).toBe(verdict);
    expect(engineFault(w.state)).toBeUndefined();
  });

  it.each([
    ["k8s.ovn.org/v1", "EgressFirewall"],
    ["network.openshift.io/v1", "EgressNetworkPolicy"],
  ])("S9.4: %s %s is about nodes and external addresses only", (apiVersion, kind) => {
    const w = given([object(apiVersion, kind, "a/default", "")]);
    expect(w.verdict("a/client -> 203.0.113.7:443/TCP")).toBe("Undecided");
    expect(w.verdict("a/client -> node:n1:443/TCP")).toBe("Undecided");
    expect(w.verdict("a/client -> b/other:443/TCP")).toBe("Allow");
    expect(w.verdict("b/other -> a/client:443/TCP")).toBe("Allow");
    expect(w.verdict("b/other -> 203.0.113.7:443/TCP")).toBe("Allow");
  });
});

describe("S9.6: --ignore-api", () => {
  it("S9.6: excludes the objects of a group, and the state reports it", () => {
    const w = given([calico("guard", "")], { ignoreApis: ["crd.projectcalico.org"] });
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Allow");
    expect(w.state.caveats).toEqual([
      { kind: "ignored", text: "1 object of crd.projectcalico.org is ignored (--ignore-api)" },
    ]);
  });

  it("S9.6: is about one group", () => {
    const w = given([calico("guard", "")], { ignoreApis: ["projectcalico.org"] });
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Undecided");
  });
});

describe("remarks about the input", () => {
  it("S10.3: foreign kinds are neither skipped nor read as known kinds", () => {
    const codes = problemsIn(
      [
        cluster,
        calico("guard", ""),
        aws("guard", "subject: {namespaces: {}}"),
        object("security.istio.io/v1", "AuthorizationPolicy", "a/deny", ""),
        object("projectcalico.org/v3", "StagedNetworkPolicy", "a/x", ""),
      ].join("\n---\n"),
    ).map((text) => text.split(" ")[0]);
    // Without rules, the policy of AWS has no effect.
    expect(new Set(codes)).toEqual(new Set(["TW2026", "TW3007", "TW3009"]));
  });

  it("S10.4: two foreign objects of one name are an error, like two known ones", () => {
    expect(problemsIn([cluster, calico("x", ""), calico("x", "")].join("\n---\n"))).toContainEqual(
      expect.stringMatching(/^TW1102/),
    );
  });
});
