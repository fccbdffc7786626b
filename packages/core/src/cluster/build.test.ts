import { describe, expect, it } from "vitest";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import { formatAddress, parseAddress } from "../net/address.js";
import { formatCidr } from "../net/cidr.js";
import { ClusterBuilder } from "./build.js";
import { isClusterKind, isFromCluster } from "./identity.js";
import type { Facts, Workload } from "./model.js";

const noFacts: Facts = { podCidrs: [], serviceCidrs: [] };

function build(text: string, facts: Facts = noFacts, policyNamespaces: readonly string[] = []) {
  const parsed = parseManifest(text, "test.yaml");
  expect(parsed.diagnostics).toEqual([]);
  const { objects } = objectsOf(parsed.documents);
  const builder = new ClusterBuilder();
  for (const object of objects.filter(isClusterKind)) builder.add(object);
  return builder.build(facts, new Set(policyNamespaces));
}
const together = (...documents: readonly string[]) => documents.join("\n---\n");
const problemsIn = (text: string) =>
  build(text).diagnostics.map(({ code, place }) =>
    place === undefined ? code : `${code} ${place.line}:${place.column}`,
  );

/** An object in one line; `more` begins with a comma. */
const object = (apiVersion: string, kind: string, metadata: string, more = "") =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}${more}}`;
const inA = (name: string, more = "") => `namespace: a, name: ${name}${more}`;
const ownedBy = (kind: string, name: string) =>
  `, ownerReferences: [{apiVersion: v1, kind: ${kind}, name: ${name}, controller: true}]`;
const pod = (metadata: string, more = "") => object("v1", "Pod", metadata, more);
const podKeys = (text: string) => [...build(text).cluster.pods.keys()];
/** `Deployment a/web: web-1, web-2` */
const formatWorkload = ({ kind, namespace, name, pods }: Workload) =>
  `${kind} ${namespace}/${name}: ${pods.map((p) => p.name).join(", ")}`;
const workloadsIn = (text: string) => build(text).cluster.workloads.map(formatWorkload);

const template =
  "template: {metadata: {labels: {app: web}}, spec: {serviceAccountName: runner, containers: [{ports: [{name: http, containerPort: 8080}]}]}}";

describe("workloads become pods from their templates", () => {
  const kinds = [
    ["apps/v1", "Deployment", `{${template}}`],
    ["apps/v1", "ReplicaSet", `{${template}}`],
    ["apps/v1", "StatefulSet", `{${template}}`],
    ["apps/v1", "DaemonSet", `{${template}}`],
    ["batch/v1", "Job", `{${template}}`],
    ["batch/v1", "CronJob", `{jobTemplate: {spec: {${template}}}}`],
    ["v1", "ReplicationController", `{${template}}`],
  ] as const;

  it.each(kinds)("%s %s", (apiVersion, kind, spec) => {
    const { cluster, diagnostics } = build(object(apiVersion, kind, inA("w"), `, spec: ${spec}`));
    expect(diagnostics.map(({ code }) => code)).toEqual(["TW3001"]);
    expect(cluster.workloads.map(formatWorkload)).toEqual([`${kind} a/w: w`]);
    expect(cluster.pods.get("a/w")).toMatchObject({
      namespace: "a",
      name: "w",
      labels: { app: "web" },
      addresses: [],
      hostNetwork: false,
      serviceAccount: "runner",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      workload: { kind, namespace: "a", name: "w" },
      fromTemplate: true,
    });
  });

  it("a Job's pod carries the labels that the Job controller adds", () => {
    const { cluster } = build(object("batch/v1", "Job", inA("w"), `, spec: {${template}}`));
    expect(cluster.pods.get("a/w")?.labels).toEqual({
      app: "web",
      "job-name": "w",
      "batch.kubernetes.io/job-name": "w",
    });
  });

  it.each(["Complete", "Failed"])("a Job that is %s starts no more pods", (type) => {
    const status = `, status: {conditions: [{type: ${type}, status: "True"}]}`;
    expect(podKeys(object("batch/v1", "Job", inA("w"), `, spec: {${template}}${status}`))).toEqual([]);
  });

  it("a Job that is suspended, or not complete yet, still has its pod", () => {
    const conditions = 'conditions: [{type: Complete, status: "False"}, {type: Suspended, status: "True"}]';
    const job = object("batch/v1", "Job", inA("w"), `, spec: {${template}}, status: {${conditions}}`);
    expect(podKeys(job)).toEqual(["a/w"]);
  });

  it("two workloads of one name get pods of different names", () => {
    const both = together(
      object("apps/v1", "Deployment", inA("w"), `, spec: {${template}}`),
      object("apps/v1", "StatefulSet", inA("w"), `, spec: {${template}}`),
    );
    expect(podKeys(both)).toEqual(["a/w", "a/w-statefulset"]);
    expect(workloadsIn(both)).toEqual(["Deployment a/w: w", "StatefulSet a/w: w-statefulset"]);
  });

  it("a workload does not take the name of an existing pod", () => {
    const both = together(object("apps/v1", "Deployment", inA("w"), `, spec: {${template}}`), pod(inA("w")));
    expect(podKeys(both)).toEqual(["a/w", "a/w-deployment"]);
    expect(build(both).cluster.pods.get("a/w")?.workload).toBeUndefined();
  });

  it("an empty template still makes a pod", () => {
    expect(podKeys(object("apps/v1", "Deployment", inA("w")))).toEqual(["a/w"]);
  });

  it("a pod from a host-network template uses its node's network", () => {
    const spec = ", spec: {template: {spec: {hostNetwork: true}}}";
    expect(build(object("apps/v1", "DaemonSet", inA("w"), spec)).cluster.pods.get("a/w")?.hostNetwork).toBe(
      true,
    );
  });

  it("versions that Kubernetes has removed are not recognized", () => {
    expect(podKeys(object("apps/v1beta1", "Deployment", inA("w"), `, spec: {${template}}`))).toEqual([]);
  });
});

describe("a pod belongs to the controller at the top", () => {
  const deployment = object("apps/v1", "Deployment", inA("web"), `, spec: {${template}}`);
  const replicaSet = object(
    "apps/v1",
    "ReplicaSet",
    inA("web-5d4f", ownedBy("Deployment", "web")),
    `, spec: {${template}}`,
  );
  const replica = (name: string, more = "") =>
    pod(inA(name, `, labels: {app: web, pod-template-hash: 5d4f}${ownedBy("ReplicaSet", "web-5d4f")}`), more);

  it("Pod → ReplicaSet → Deployment", () => {
    expect(
      workloadsIn(together(deployment, replicaSet, replica("web-5d4f-1"), replica("web-5d4f-2"))),
    ).toEqual(["Deployment a/web: web-5d4f-1, web-5d4f-2"]);
  });

  it("in any order of reading", () => {
    expect(workloadsIn(together(replica("web-5d4f-1"), replicaSet, deployment))).toEqual([
      "Deployment a/web: web-5d4f-1",
    ]);
  });

  it("without the Deployment, the ReplicaSet names it", () => {
    expect(workloadsIn(together(replicaSet, replica("web-5d4f-1")))).toEqual([
      "Deployment a/web: web-5d4f-1",
    ]);
  });

  it("without the ReplicaSet, its name is used: the Deployment's, and the hash in the pod's labels", () => {
    expect(workloadsIn(replica("web-5d4f-1"))).toEqual(["Deployment a/web: web-5d4f-1"]);
    expect(workloadsIn(together(deployment, replica("web-5d4f-1")))).toEqual([
      "Deployment a/web: web-5d4f-1",
    ]);
  });

  it("a standalone ReplicaSet stays one, in the input or not", () => {
    const lone = pod(inA("r-1", ownedBy("ReplicaSet", "r")));
    expect(workloadsIn(lone)).toEqual(["ReplicaSet a/r: r-1"]);
    const own = object("apps/v1", "ReplicaSet", inA("web-5d4f"), `, spec: {${template}}`);
    // Its name ends like a Deployment's, but it has no owner.
    expect(workloadsIn(together(own, replica("web-5d4f-1")))).toEqual(["ReplicaSet a/web-5d4f: web-5d4f-1"]);
  });

  it("old ReplicaSets of a Deployment make no pods of their own", () => {
    const old = object(
      "apps/v1",
      "ReplicaSet",
      inA("web-old", ownedBy("Deployment", "web")),
      `, spec: {replicas: 0, ${template}}`,
    );
    expect(workloadsIn(together(deployment, old))).toEqual(["Deployment a/web: web"]);
  });

  it("a workload with pods of its own makes none from its template", () => {
    expect(podKeys(together(deployment, replicaSet, replica("web-5d4f-1")))).toEqual(["a/web-5d4f-1"]);
  });

  it("Pod → Job → CronJob", () => {
    const job = object(
      "batch/v1",
      "Job",
      inA("nightly-1", ownedBy("CronJob", "nightly")),
      `, spec: {${template}}`,
    );
    const run = pod(inA("nightly-1-x", ownedBy("Job", "nightly-1")));
    expect(workloadsIn(together(job, run))).toEqual(["CronJob a/nightly: nightly-1-x"]);
    expect(workloadsIn(run)).toEqual(["Job a/nightly-1: nightly-1-x"]);
  });

  it.each([
    ["the minute that a CronJob appends", "nightly-29384400", "CronJob a/nightly"],
    ["a date, which people append", "nightly-20261116", "Job a/nightly-20261116"],
    ["fewer digits", "nightly-2938440", "Job a/nightly-2938440"],
  ])("without the Job, its name is used: %s", (_, job, wanted) => {
    expect(workloadsIn(pod(inA("run", ownedBy("Job", job))))).toEqual([`${wanted}: run`]);
  });

  it("a Job without an owner stays one", () => {
    const own = object("batch/v1", "Job", inA("nightly-29384400"), `, spec: {${template}}`);
    const run = pod(inA("run", ownedBy("Job", "nightly-29384400")));
    expect(workloadsIn(together(own, run))).toEqual(["Job a/nightly-29384400: run"]);
  });

  it.each(["StatefulSet", "DaemonSet", "ReplicationController", "Job"])("Pod → %s", (kind) => {
    expect(workloadsIn(pod(inA("p-0", ownedBy(kind, "p"))))).toEqual([`${kind} a/p: p-0`]);
  });

  it("an owner that is not the controller or not a workload is ignored", () => {
    const watcher =
      ", ownerReferences: [{kind: Deployment, name: web, controller: false}, {kind: Deployment, name: b}]";
    expect(workloadsIn(pod(inA("p", watcher)))).toEqual([]);
    expect(workloadsIn(pod(inA("p", ownedBy("Node", "worker-1"))))).toEqual([]);
  });

  it("an owner is looked for in the pod's own namespace", () => {
    const elsewhere = object("apps/v1", "ReplicaSet", `namespace: b, name: r${ownedBy("Deployment", "web")}`);
    expect(workloadsIn(together(elsewhere, pod(inA("r-1", ownedBy("ReplicaSet", "r")))))).toContain(
      "ReplicaSet a/r: r-1",
    );
  });

  it("a ReplicaSet whose Deployment is not in the input still becomes a pod", () => {
    expect(podKeys(replicaSet)).toHaveLength(1);
  });
});

describe("pods", () => {
  it.each([
    ["Running", true],
    ["Pending", true],
    ["Unknown", true],
    ["Succeeded", false],
    ["Failed", false],
  ])("S1.11: one that is %s is an endpoint: %s", (phase, expected) => {
    expect(podKeys(pod(inA("p"), `, status: {phase: ${phase}}`))).toEqual(expected ? ["a/p"] : []);
  });

  it("a workload whose pods have all finished is represented by its template", () => {
    const finished = pod(inA("w-0", ownedBy("StatefulSet", "w")), ", status: {phase: Failed}");
    expect(
      podKeys(together(finished, object("apps/v1", "StatefulSet", inA("w"), `, spec: {${template}}`))),
    ).toEqual(["a/w"]);
  });

  it.each([
    ["{podIP: 10.0.0.1}", ["10.0.0.1"]],
    ['{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: "fd00::1"}]}', ["10.0.0.1", "fd00::1"]],
    ['{podIPs: [{ip: "fd00::1"}, {ip: 10.0.0.1}]}', ["fd00::1", "10.0.0.1"]],
    ["{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.2}]}", ["10.0.0.1", "10.0.0.2"]],
    ["{podIP: 10.0.0.1, podIPs: []}", ["10.0.0.1"]],
    ['{podIP: "", podIPs: null}', []],
    ["{podIP: 10.0.0.256}", []],
    ["{}", []],
  ])("addresses of status %s are %j", (status, expected) => {
    const { cluster } = build(pod(inA("p"), `, status: ${status}`));
    expect(cluster.pods.get("a/p")?.addresses.map(formatAddress)).toEqual(expected);
  });

  it("S1.8: ports are those of containers and of sidecars, not of other init containers", () => {
    const spec = [
      "containers: [{ports: [{name: web, containerPort: 8080}, {containerPort: 53, protocol: UDP}]}, {}, {ports: [{name: m, containerPort: 9090, protocol: SCTP}]}]",
      "initContainers: [{ports: [{name: setup, containerPort: 1}]}, {restartPolicy: Always, ports: [{name: proxy, containerPort: 15001}]}]",
      "ephemeralContainers: [{ports: [{name: debug, containerPort: 2}]}]",
    ];
    const { cluster } = build(pod(inA("p"), `, spec: {${spec.join(", ")}}`));
    expect(cluster.pods.get("a/p")?.ports).toEqual([
      { name: "web", port: 8080, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
      { name: "m", port: 9090, protocol: "SCTP" },
      { name: "proxy", port: 15001, protocol: "TCP" },
    ]);
  });

  it("host network, node and service account are read from the spec", () => {
    const spec = ", spec: {hostNetwork: true, nodeName: worker-1, serviceAccountName: robot}";
    expect(build(pod(inA("p"), spec)).cluster.pods.get("a/p")).toMatchObject({
      hostNetwork: true,
      node: "worker-1",
      serviceAccount: "robot",
    });
    const plain = build(pod(inA("p"))).cluster.pods.get("a/p");
    expect(plain).toMatchObject({ hostNetwork: false, serviceAccount: "default" });
    expect(plain).not.toHaveProperty("node");
    expect(
      build(pod(inA("p"), ", spec: {serviceAccount: old}")).cluster.pods.get("a/p")?.serviceAccount,
    ).toBe("old");
  });

  it("S10.3: a value of an unexpected type is an error, and is ignored", () => {
    const odd =
      ', spec: {hostNetwork: "true", containers: {}, nodeName: 7}, status: {podIPs: [10.0.0.1], phase: []}';
    const { cluster, diagnostics } = build(pod(inA("p"), odd));
    expect(cluster.pods.get("a/p")).toMatchObject({ hostNetwork: false, ports: [], addresses: [] });
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(["TW1201", "TW3001"]));
  });

  it.each([
    ["misspelled labels", "v1 Namespace", "metadata: {name: p1, lables: {a: b}}", "TW1204"],
    [
      "a field in the wrong case",
      "v1 Pod",
      "metadata: {name: p1, namespace: a}\nspec: {hostnetwork: true}",
      "TW1204",
    ],
    [
      "an invalid address",
      "v1 Pod",
      "metadata: {name: p1, namespace: a}\nstatus: {podIP: 10.0.0.300}",
      "TW1309",
    ],
    ["an invalid phase", "v1 Pod", "metadata: {name: p1, namespace: a}\nstatus: {phase: done}", "TW1203"],
    [
      "a port out of range",
      "v1 Pod",
      "metadata: {name: p1, namespace: a}\nspec: {containers: [{name: c, ports: [{containerPort: 99999}]}]}",
      "TW1205",
    ],
    [
      "a Service without a real address",
      "v1 Service",
      "metadata: {name: p1, namespace: a}\nspec: {clusterIP: 10.96.0.999}",
      "TW1309",
    ],
    [
      "a misspelled selector",
      "v1 Service",
      "metadata: {name: p1, namespace: a}\nspec: {selectr: {a: b}}",
      "TW1204",
    ],
    [
      "misspelled labels of a template",
      "apps/v1 Deployment",
      "metadata: {name: p1, namespace: a}\nspec: {template: {metadata: {lables: {a: b}}}}",
      "TW1204",
    ],
    ["a name that Kubernetes refuses", "v1 Namespace", "metadata: {name: A_b}", "TW1103"],
    [
      "a label value that Kubernetes rejects",
      "v1 Namespace",
      "metadata: {name: p1, labels: {a: b c}}",
      "TW1302",
    ],
  ])("S10.3: %s is an error", (_what, kind, body, code) => {
    const [apiVersion, name] = kind.split(" ");
    const { diagnostics } = build(`apiVersion: ${apiVersion}\nkind: ${name}\n${body}\n`);
    expect(diagnostics.filter((d) => d.severity === "error").map((d) => d.code)).toEqual([code]);
  });

  it("S10.3: fields that Tierwall does not read are not checked, nor are objects of a cluster", () => {
    const rest = "spec: {tolerations: 7, dnsPolicy: [x], containers: [{name: c, resources: none}]}";
    expect(
      build(`apiVersion: v1\nkind: Pod\nmetadata: {name: p1, namespace: a}\n${rest}\n`).diagnostics,
    ).toMatchObject([{ code: "TW3001" }]);
    const live = "metadata: {name: p1, namespace: a, uid: u1}\nstatus: {phase: Evicted}";
    expect(build(`apiVersion: v1\nkind: Pod\n${live}\n`).diagnostics).toMatchObject([{ code: "TW3001" }]);
  });
});

describe("identity", () => {
  it("S10.4: a name is required", () => {
    expect(problemsIn(pod("namespace: a"))).toEqual(["TW1101 1:29"]);
    expect(problemsIn("apiVersion: v1\nkind: Pod\n")).toEqual(["TW1101 1:1"]);
    expect(problemsIn(pod('namespace: a, name: ""'))).toEqual(["TW1101 1:29"]);
  });

  it("S10.4: a name that YAML reads as another type must be quoted", () => {
    const { diagnostics, cluster } = build("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: y\n");
    expect(diagnostics).toMatchObject([
      { code: "TW1201", place: { line: 4, column: 9 }, path: ["metadata", "name"] },
    ]);
    expect(diagnostics[0]?.message).toContain("quotes");
    expect([...cluster.namespaces]).toEqual([]);
  });

  it("S10.5: a missing namespace is `default`, with a note", () => {
    const { cluster, diagnostics } = build(
      together(object("v1", "Namespace", "name: default"), pod("name: p")),
    );
    expect([...cluster.pods.keys()]).toEqual(["default/p"]);
    expect(diagnostics).toMatchObject([{ code: "TW3002", object: "Pod p", place: { line: 3 } }]);
  });

  it("S10.5: a namespace that YAML reads as another type is not missing: it must be quoted", () => {
    expect(problemsIn("apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: y\n")[0]).toBe(
      "TW1201 5:14",
    );
  });

  it("a cluster-wide object has no namespace and needs none", () => {
    const { cluster, diagnostics } = build(
      together(object("v1", "Node", "name: worker, namespace: oops"), object("v1", "Namespace", "name: a")),
    );
    expect(diagnostics).toEqual([]);
    expect([[...cluster.nodes.keys()], [...cluster.namespaces.keys()]]).toEqual([["worker"], ["a"]]);
  });

  it("S10.5: a label without a value is an empty string, with a warning; one that is not a string is an error", () => {
    const text =
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels:\n    bare:\n    number: 1\n    flag: on\n    list: []\n    good: x\n";
    expect(problemsIn(text)).toEqual(["TW2010 6:5", "TW1201 7:13", "TW1201 8:11", "TW1201 9:11"]);
    expect(build(text).cluster.namespaces.get("a")?.labels).toMatchObject({ bare: "", good: "x" });
  });

  it("S10.5: the same holds for the labels of a template", () => {
    const labels = (text: string) =>
      object("apps/v1", "Deployment", inA("w"), `, spec: {template: {metadata: {labels: {${text}}}}}`);
    expect(problemsIn(labels("app: 1")).map((problem) => problem.slice(0, 6))).toContain("TW1201");
    expect(problemsIn(labels("app: ")).map((problem) => problem.slice(0, 6))).toContain("TW2010");
    expect(build(labels("app: ")).cluster.pods.get("a/w")?.labels).toEqual({ app: "" });
  });
});

describe("namespaces", () => {
  const name = "kubernetes.io/metadata.name";

  it("S1.10: each carries its name as a label, given or not, and always the right one", () => {
    const { cluster } = build(
      together(
        object("v1", "Namespace", "name: a, labels: {team: x}"),
        object("v1", "Namespace", `name: b, labels: {${name}: wrong}`),
      ),
    );
    expect(cluster.namespaces.get("a")?.labels).toEqual({ team: "x", [name]: "a" });
    expect(cluster.namespaces.get("b")?.labels).toEqual({ [name]: "b" });
  });

  it("namespaces of pods, workloads and policies that are not in the input are assumed, with a note", () => {
    const text = together(
      pod("namespace: p, name: p"),
      object("apps/v1", "Deployment", "namespace: w, name: w"),
      object("v1", "Namespace", "name: known"),
      pod("namespace: known, name: p"),
    );
    const { cluster, diagnostics } = build(text, noFacts, ["policy", "p"]);
    expect([...cluster.namespaces.keys()]).toEqual(["known", "p", "policy", "w"]);
    expect(cluster.namespaces.get("w")?.labels).toEqual({ [name]: "w" });
    expect(
      diagnostics.map(({ code, severity, message }) => [code, severity, /`(\w+)`/.exec(message)?.[1]]),
    ).toEqual([
      ["TW3001", "note", "p"],
      ["TW3001", "note", "policy"],
      ["TW3001", "note", "w"],
    ]);
  });
});

describe("nodes", () => {
  it("have their labels, and those of their addresses that are addresses", () => {
    const status =
      ', status: {addresses: [{type: Hostname, address: worker-1}, {type: InternalIP, address: 192.168.1.1}, {type: ExternalIP, address: "2001:db8::1"}]}';
    const { cluster } = build(object("v1", "Node", "name: worker-1, labels: {zone: x}", status));
    const node = cluster.nodes.get("worker-1")!;
    expect(node.labels).toEqual({ zone: "x" });
    expect(node.addresses.map(formatAddress)).toEqual(["192.168.1.1", "2001:db8::1"]);
  });
});

describe("S7.5: the API server", () => {
  const slice = (metadata: string, addresses: string) =>
    object("discovery.k8s.io/v1", "EndpointSlice", metadata, `, endpoints: [{addresses: [${addresses}]}]`);
  const label = "labels: {kubernetes.io/service-name: kubernetes}";
  const apiServer = (text: string, facts: Facts = noFacts) =>
    build(text, facts).cluster.facts.apiServer?.map(formatAddress);

  it("is where the EndpointSlices of default/kubernetes lead", () => {
    const text = together(
      slice(`namespace: default, name: kubernetes, ${label}`, "192.168.1.1, 192.168.1.2"),
      slice(`namespace: default, name: kubernetes-6, ${label}`, '"fd00::1"'),
    );
    expect(apiServer(text)).toEqual(["192.168.1.1", "192.168.1.2", "fd00::1"]);
  });

  it("is what the option says, if it is set", () => {
    const known: Facts = { ...noFacts, apiServer: [parseAddress("10.9.9.9")!] };
    expect(apiServer(slice(`namespace: default, name: k, ${label}`, "192.168.1.1"), known)).toEqual([
      "10.9.9.9",
    ]);
  });

  it("is unknown otherwise: a slice elsewhere, or of another Service, does not count", () => {
    expect(apiServer("")).toBeUndefined();
    expect(apiServer(slice(`namespace: a, name: kubernetes, ${label}`, "192.168.1.1"))).toBeUndefined();
    expect(
      apiServer(
        slice("namespace: default, name: k, labels: {kubernetes.io/service-name: other}", "192.168.1.1"),
      ),
    ).toBeUndefined();
    expect(apiServer(slice("namespace: default, name: kubernetes", "192.168.1.1"))).toBeUndefined();
  });
});

describe("S7.11: CiliumCIDRGroup", () => {
  it.each(["cilium.io/v2", "cilium.io/v2alpha1"])("of %s has labels and blocks", (apiVersion) => {
    const spec = ', spec: {externalCIDRs: [192.0.2.0/24, "2001:db8::/32", nonsense]}';
    const group = build(
      object(apiVersion, "CiliumCIDRGroup", "name: g, labels: {zone: x}", spec),
    ).cluster.cidrGroups.at(0)!;
    expect({ ...group, cidrs: group.cidrs.map(formatCidr) }).toEqual({
      name: "g",
      labels: { zone: "x" },
      cidrs: ["192.0.2.0/24", "2001:db8::/32"],
    });
  });
});

describe("which objects are the cluster's", () => {
  const first = (text: string) => objectsOf(parseManifest(text, "test.yaml").documents).objects.at(0)!;

  it.each([
    ["v1", "Pod", true],
    ["v1", "Namespace", true],
    ["discovery.k8s.io/v1", "EndpointSlice", true],
    ["discovery.k8s.io/v1beta1", "EndpointSlice", false],
    ["v1", "ConfigMap", false],
    ["apps/v1", "Pod", false],
    ["networking.k8s.io/v1", "NetworkPolicy", false],
    ["v1", "constructor", false],
  ])("%s %s: %s", (apiVersion, kind, expected) =>
    expect(isClusterKind(first(object(apiVersion, kind, "name: x")))).toBe(expected),
  );

  it("S3.6: a uid shows that an object was read from an API server", () => {
    expect(isFromCluster(first(pod("name: x, uid: 3f0c")))).toBe(true);
    expect(isFromCluster(first(pod("name: x")))).toBe(false);
    expect(isFromCluster(first("{apiVersion: v1, kind: Pod}"))).toBe(false);
  });
});
