import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyOf, LiveState, type Moment } from "../state/live/live-state.js";
import { ownPolicies, readState, type StateOptions } from "../state/state.js";
import { podKey } from "../cluster/model.js";
import { refKey } from "../cluster/workload.js";
import { formatForeign } from "../foreign/object.js";
import type { ManifestObject } from "../manifest/object.js";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import { formatPolicy } from "../policy/model.js";
import { manifestsOf } from "../../testing/arbitrary/arbitrary-cluster.js";
import { anyScenario } from "../../testing/arbitrary/scenario.js";

/** What `setAny` and `removeAny` are chosen from: several objects of the same name, each with different content. */
const anyPool: fc.Arbitrary<readonly object[]> = fc
  .array(anyScenario({ maxLength: 4, maxPods: 3 }), { minLength: 2, maxLength: 2 })
  .map((scenarios) => [
    ...scenarios.flatMap(({ cluster, policies }) => [...manifestsOf(cluster), ...policies]),
    ...otherObjects,
  ]);

const steps = fc.array(fc.record({ remove: fc.boolean(), which: fc.nat(), settle: fc.boolean() }), {
  minLength: 5,
  maxLength: 40,
});

const anyOptions: fc.Arbitrary<StateOptions> = fc.constantFrom<StateOptions>(
  {},
  { provenance: "cluster" },
  { provenance: "cluster", ciliumEnforcement: "always" },
  { provenance: "cluster", ciliumEnforcement: "never" },
);

describe("a state that is kept current", () => {
  it("S3.6, S10.2: equals what reading the same objects gives, whatever came before and in any order", () => {
    fc.assert(
      fc.property(anyPool, steps, anyOptions, (pool, history, options) => {
        const live = new LiveState(options);
        const present = new Map<string, ManifestObject>();
        for (const { remove, which, settle } of history) {
          const object = parsed(pool[which % pool.length]!);
          const key = keyOf(object);
          if (remove) {
            live.remove(key);
            present.delete(key);
          } else {
            live.set(object);
            present.set(key, object);
          }
          if (settle) expectFresh(live, present, options);
        }
        expectFresh(live, present, options);
      }),
      { numRuns: 150 },
    );
  }, 600_000);

  it("is the same, object by object, after all objects are set again", () => {
    fc.assert(
      fc.property(anyPool, (pool) => {
        const objects = new Map(pool.map((object) => [keyOf(parsed(object)), object]));
        const live = new LiveState();
        for (const object of objects.values()) live.set(parsed(object));
        const before = live.moment();
        for (const object of objects.values()) live.set(parsed(object));
        const after = live.moment();
        for (const part of ["cluster", "tiers", "policies", "foreign", "podRanges"] as const)
          expect(after[part]).toBe(before[part]);
      }),
      { numRuns: 50 },
    );
  });

  it("shares all unchanged objects with the previous moment", () => {
    fc.assert(
      fc.property(anyPool, fc.nat(), (pool, which) => {
        const live = new LiveState();
        for (const object of pool) live.set(parsed(object));
        const before = live.moment();
        const gone = parsed(pool[which % pool.length]!);
        live.remove(keyOf(gone));
        const after = live.moment();
        for (const part of ["pods", "namespaces", "nodes"] as const)
          expectShared<object>(before.cluster[part].values(), after.cluster[part].values());
        expectShared(before.cluster.services, after.cluster.services);
        expectShared(before.cluster.workloads, after.cluster.workloads, ({ pods }) => pods.map(podKey));
        for (const direction of ["ingress", "egress"] as const)
          for (const what of ["rules", "isolation"] as const) {
            const [a, b] = [before, after].map(({ tiers }) =>
              tiers[direction].flatMap((tier) => [...tier[what]]),
            );
            expectShared<object>(a!, b!);
          }
      }),
      { numRuns: 50 },
    );
  });
});

/** What says the same is the same. */
function expectShared<T extends object>(
  before: Iterable<T>,
  after: Iterable<T>,
  of: (one: T) => unknown = plain,
) {
  const then = new Set(before);
  const known = new Set(Array.from(then, (one) => JSON.stringify(plain(of(one)))));
  for (const one of after) if (known.has(JSON.stringify(plain(of(one))))) expect(then.has(one)).toBe(true);
}

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}` : item)));

function expectFresh(live: LiveState, present: ReadonlyMap<string, ManifestObject>, options: StateOptions) {
  const sorted = [...present].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sources = sorted.map(([, { value }], i) => ({ file: `${i}.json`, text: JSON.stringify(value) }));
  const state = readState(sources, options);
  // S9.7: what is kept current are the policies that Tierwall evaluates, and which others there are.
  expect(comparable(live.moment())).toEqual(comparable({ ...ownPolicies(state), foreign: state.foreign }));
}

const remarksOnForeign: ReadonlySet<string> = new Set(["TW2026", "TW3007", "TW3008", "TW3009"]);

/** Without places, and in an order that does not matter. */
function comparable({
  cluster,
  tiers,
  policies,
  foreign,
  podRanges,
  diagnostics,
}: Omit<Moment, "complaints">) {
  const sorted = (list: readonly string[]) => list.toSorted();
  return {
    cluster: {
      ...cluster,
      services: cluster.services.toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1)),
      cidrGroups: cluster.cidrGroups.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      workloads: sorted(
        cluster.workloads.map(
          (workload) => `${refKey(workload)}: ${sorted(workload.pods.map(podKey)).join()}`,
        ),
      ),
    },
    tiers: plain(tiers),
    podRanges,
    policies: sorted(policies.map(formatPolicy)),
    foreign: sorted(
      foreign.map((object) => `${formatForeign(object)} ${JSON.stringify(plain(object.scope))}`),
    ),
    diagnostics: sorted(
      diagnostics
        .filter(({ code }) => !remarksOnForeign.has(code))
        .map(({ code, message }) => `${code} ${message}`),
    ),
  };
}

function parsed(manifest: object): ManifestObject {
  return objectsOf(parseManifest(JSON.stringify(manifest), "pool.json").documents).objects[0]!;
}

const template = (app: string, value = app) => ({
  template: { metadata: { labels: { app: value } }, spec: { containers: [{ name: "main" }] } },
});
const controlledBy = (kind: string, name: string) => [{ kind, name, controller: true }];
const pod = (name: string, owner: object[], status: object, labels: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "alpha", labels, ownerReferences: owner },
  spec: { nodeName: "elsewhere", containers: [{ name: "main" }] },
  status,
});
const ofWeb = (status: object) =>
  pod("web-5d-1", controlledBy("ReplicaSet", "web-5d"), status, { "pod-template-hash": "5d" });

/** What random clusters lack: workloads and their pods, nodes that pods mention, unknown kinds and errors. */
const otherObjects: readonly object[] = [
  ...["v1alpha2", "v1beta1", "v1"].map((version) => ({
    apiVersion: `policy.networking.k8s.io/${version}`,
    kind: "ClusterNetworkPolicy",
    metadata: { name: "versions" },
    spec: { tier: "Admin", priority: 1, subject: { namespaces: {} } },
  })),
  ...["all()", "app == 'web'"].map((selector) => ({
    apiVersion: "crd.projectcalico.org/v1",
    kind: "GlobalNetworkPolicy",
    metadata: { name: "calico" },
    spec: { selector, ingress: [{ action: "Deny" }] },
  })),
  // Calico's API server repeats a NetworkPolicy.
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "repeated", namespace: "alpha" },
    spec: { podSelector: {} },
  },
  {
    apiVersion: "projectcalico.org/v3",
    kind: "NetworkPolicy",
    metadata: { name: "knp.default.repeated", namespace: "alpha" },
    spec: {},
  },
  { apiVersion: "v1", kind: "Node", metadata: { name: "elsewhere" }, spec: { podCIDRs: ["10.0.1.0/24"] } },
  { apiVersion: "v1", kind: "Node", metadata: { name: "elsewhere" }, spec: { podCIDR: "10.0.2.0/24" } },
  ofWeb({ phase: "Running", podIP: "10.0.1.1", hostIP: "192.168.7.1" }),
  ofWeb({ phase: "Succeeded" }),
  pod("job-1", controlledBy("Job", "job"), { hostIPs: [{ ip: "192.168.7.2" }, { ip: "192.168.7.1" }] }),
  pod("of-custom-resource", controlledBy("Database", "db"), {}),
  ...["web", "other"].map((label) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "alpha" },
    spec: template("web", label),
  })),
  {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web-5d", namespace: "alpha", ownerReferences: controlledBy("Deployment", "shop") },
    spec: { replicas: 1, ...template("web") },
  },
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job", namespace: "gone" },
    spec: template("job"),
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "k", namespace: "default", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    ports: [],
    endpoints: [{ addresses: ["192.168.0.1"] }],
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "newer", namespace: "nowhere", uid: "1" },
    spec: { podSelector: {}, ingress: [{ from: [{ somethingNew: {} }] }] },
  },
  {
    apiVersion: "policy.networking.k8s.io/v1alpha1",
    kind: "AdminNetworkPolicy",
    metadata: { name: "a0" },
    spec: { priority: 5, subject: { namespaces: {} }, ingress: [{ action: "Refuse", from: [{ pods: {} }] }] },
  },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } },
  { apiVersion: "v1", kind: "Pods", metadata: { name: "plural" } },
];
