import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explore } from "../evaluate/facts.js";
import { type Endpoint, formatEndpoint, type PodEndpoint } from "../evaluate/flow.js";
import { isSubject } from "../evaluate/match.js";
import { ruleMatches } from "../evaluate/walk.js";
import { type Address, parseAddress } from "../net/address.js";
import {
  fields,
  type Manifest,
  anyOf,
  type Selector,
  selectorOver,
  type LabelWords,
} from "../../testing/arbitrary/arbitrary-vocabulary.js";
import {
  conditionsOf,
  oracleIdentity,
  isSelected,
  withImplied,
} from "../../testing/oracle/oracle-identities.js";
import { stateOf } from "../../testing/arbitrary/scenario.js";

/** What a selector can require: each kind of label, with and without source, and values that exist or not. */
const ofPods: LabelWords = {
  team: ["red", "blue"],
  "k8s:team": ["red", "blue"],
  "reserved:team": ["red"],
  "pod-template-hash": ["a"],
  "app.kubernetes.io/name": ["web"],
  "k8s:topology.kubernetes.io/zone": ["east"],
  "example.beta.kubernetes.io/x": ["y"],
  "io.cilium.k8s.other": ["x"],
  "io.kubernetes.pod.namespace": ["alpha", "beta"],
  "k8s:io.kubernetes.pod.namespace": ["alpha", "beta"],
  "any:io.cilium.k8s.namespace.labels.team": ["red", "blue"],
  "io.cilium.k8s.policy.serviceaccount": ["default", "robot"],
  "io.cilium.k8s.policy.cluster": ["default", "east"],
  "k8s:io.cilium.k8s.policy.cluster": ["east", "default"],
  host: [""],
};
const reserved: LabelWords = Object.fromEntries(
  ["host", "remote-node", "world", "world-ipv4", "world-ipv6", "kube-apiserver", "health", "none"].map(
    (name) => [`reserved:${name}`, ["", "x"]],
  ),
);
const ofNodes: LabelWords = {
  zone: ["east", "west"],
  "node:zone": ["east", "west"],
  "k8s:zone": ["east"],
  "any:io.cilium.k8s.policy.cluster": ["default", "east"],
  "reserved:kube-apiserver": ["", "x"],
  "reserved:host": [""],
};
const joined = (words: LabelWords): fc.Arbitrary<Selector> =>
  fc.tuple(selectorOver(words), selectorOver(words)).map(([a, b]) => ({
    matchLabels: { ...a.matchLabels, ...b.matchLabels },
    matchExpressions: [...(a.matchExpressions ?? []), ...(b.matchExpressions ?? [])],
  }));

const podLabels = fields(
  {},
  {
    team: anyOf("red", "blue"),
    "pod-template-hash": anyOf("a", "b"),
    "app.kubernetes.io/name": anyOf("web", "db"),
    "topology.kubernetes.io/zone": anyOf("east"),
    "example.beta.kubernetes.io/x": anyOf("y"),
    "io.cilium.k8s.other": anyOf("x"),
    "io.cilium.k8s.policy.cluster": anyOf("east"),
    host: anyOf(""),
  },
);

const namespaces: readonly Manifest[] = ["alpha", "beta"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { team: name === "alpha" ? "red" : "blue" } },
}));
const nodes: readonly Manifest[] = ["east", "west"].map((name, i) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { zone: name } },
  status: { addresses: [{ type: "InternalIP", address: `192.168.0.${i + 1}` }] },
}));
const pod = (i: number, labels: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `pod-${i}`, namespace: i % 2 === 0 ? "alpha" : "beta", labels },
  spec: {
    nodeName: i < 2 ? "east" : "west",
    serviceAccountName: i === 1 ? "robot" : "default",
    containers: [],
  },
  status: { podIPs: [{ ip: `10.0.0.${i + 1}` }] },
});

const servers: readonly Address[] = ["192.168.0.1", "192.168.0.2", "203.0.113.1"].map(
  (text) => parseAddress(text)!,
);
const external: readonly Endpoint[] = ["203.0.113.1", "203.0.113.2", "2001:db8::1"].map((text) => ({
  kind: "external",
  address: parseAddress(text)!,
}));

const scenario = fc.record({
  labels: fc.array(podLabels, { minLength: 3, maxLength: 3 }),
  apiServer: fc.subarray([...servers]),
  clusterName: anyOf(undefined, "east"),
  namespace: anyOf(undefined, "alpha"),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function policyWith(spec: object, namespace: string | undefined): Manifest {
  return {
    apiVersion: "cilium.io/v2",
    kind: namespace === undefined ? "CiliumClusterwideNetworkPolicy" : "CiliumNetworkPolicy",
    metadata: { name: "policy", ...(namespace === undefined ? {} : { namespace }) },
    spec,
  };
}

function stateWith(spec: object, { labels, apiServer, clusterName, namespace }: Scenario) {
  const options = clusterName === undefined ? {} : { ciliumClusterName: clusterName };
  return stateOf(
    [...namespaces, ...nodes, ...labels.map((one, i) => pod(i, one)), policyWith(spec, namespace)],
    {
      facts: { apiServer },
      ...options,
    },
  );
}

function endsOf({ cluster }: ReturnType<typeof stateWith>): readonly Endpoint[] {
  return [
    ...Array.from(
      cluster.pods.values(),
      (one): PodEndpoint => ({ kind: "pod", pod: one, namespace: cluster.namespaces.get(one.namespace)! }),
    ),
    ...[...cluster.nodes.values()].map((node): Endpoint => ({ kind: "node", node })),
    ...external,
  ];
}

describe("S7.4, S7.13 to S7.16: a Cilium selector selects endpoints whose identities have such labels", () => {
  /** What the first rule matches as a peer, for each subject of the policy. */
  function matchedIn(
    state: ReturnType<typeof stateWith>,
    isPeer: (end: Endpoint, subject: PodEndpoint) => boolean,
  ) {
    const [rule] = state.tiers.ingress.flatMap(({ rules }) => rules);
    const ends = endsOf(state);
    const found: string[] = [];
    const wanted: string[] = [];
    for (const subject of ends) {
      if (subject.kind !== "pod" || !isSubject(rule!.subject, subject)) continue;
      for (const other of ends) {
        const flow = { source: other, destination: subject, protocol: "TCP", port: 80 } as const;
        const runs = explore((unknowns) =>
          ruleMatches(rule!, subject, other, { flow, cluster: state.cluster, unknowns }),
        );
        const text = `${formatEndpoint(subject)} from ${formatEndpoint(other)}`;
        if (runs.every(({ value }) => value)) found.push(text);
        if (isPeer(other, subject)) wanted.push(text);
      }
    }
    return { found, wanted };
  }

  it("in fromEndpoints", () => {
    fc.assert(
      fc.property(scenario, joined({ ...ofPods, ...reserved }), (given, selector) => {
        const state = stateWith({ endpointSelector: {}, ingress: [{ fromEndpoints: [selector] }] }, given);
        const clusterName = given.clusterName ?? "default";
        const conditions = withImplied(conditionsOf(selector), given.namespace, clusterName);
        const { found, wanted } = matchedIn(state, (end, subject) =>
          isSelected(
            conditions,
            oracleIdentity(end, subject, { clusterName, apiServer: given.apiServer }, false),
          ),
        );
        expect(found).toEqual(wanted);
      }),
      { numRuns: 400 },
    );
  });

  it("in fromNodes", () => {
    fc.assert(
      fc.property(scenario, joined(ofNodes), (given, selector) => {
        const state = stateWith({ endpointSelector: {}, ingress: [{ fromNodes: [selector] }] }, given);
        const clusterName = given.clusterName ?? "default";
        const remote = { source: "reserved", key: "remote-node", operator: "Exists", values: [] };
        const conditions = [...conditionsOf(selector), remote];
        const { found, wanted } = matchedIn(state, (end, subject) =>
          isSelected(
            conditions,
            oracleIdentity(end, subject, { clusterName, apiServer: given.apiServer }, true),
          ),
        );
        expect(found).toEqual(wanted);
      }),
      { numRuns: 200 },
    );
  });

  it("in endpointSelector", () => {
    fc.assert(
      fc.property(scenario, joined({ ...ofPods, ...reserved }), (given, selector) => {
        const state = stateWith({ endpointSelector: selector, ingress: [{ fromEntities: ["all"] }] }, given);
        const clusterName = given.clusterName ?? "default";
        const { namespace } = given;
        // The `k8s:` form in matchLabels is the one that Cilium overwrites.
        const { "k8s:io.kubernetes.pod.namespace": _replaced, ...labels } = selector.matchLabels ?? {};
        const own =
          namespace === undefined
            ? selector
            : { ...selector, matchLabels: { ...labels, "k8s:io.kubernetes.pod.namespace": namespace } };
        const [rule] = state.tiers.ingress.flatMap(({ rules }) => rules);
        const pods = endsOf(state).flatMap((end) => (end.kind === "pod" ? [end] : []));
        const facts = { clusterName, apiServer: given.apiServer };
        expect(pods.filter((end) => isSubject(rule!.subject, end)).map(formatEndpoint)).toEqual(
          pods
            .filter((end) => isSelected(conditionsOf(own), oracleIdentity(end, end, facts, false)))
            .map(formatEndpoint),
        );
      }),
      { numRuns: 300 },
    );
  });
});
