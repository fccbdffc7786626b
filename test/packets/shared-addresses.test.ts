import { readState, type State } from "@tierwall/core/state";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { rotated } from "../slice.mjs";
import { program } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import type { Packet } from "./lab/prober.js";
import { describeOnBothWirings, labTimeout } from "./lab/requirements.js";

/* S1.17: two pods that report one address. a/stale is gone, and the cluster does not know it yet. */

const addresses: Readonly<Record<string, Readonly<Record<4 | 6, string>>>> = {
  client: { 4: "10.0.1.1", 6: "fd00:1::1" },
  web: { 4: "10.0.1.2", 6: "fd00:1::2" },
  far: { 4: "10.0.2.1", 6: "fd00:2::1" },
};
const node = (name: string, four: string, six: string) =>
  `{apiVersion: v1, kind: Node, metadata: {name: ${name}},
    status: {addresses: [{type: InternalIP, address: ${four}}, {type: InternalIP, address: "${six}"}]}}`;
const pod = (name: string, on: string, at: Readonly<Record<4 | 6, string>> = addresses[name]!, app = name) =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}, labels: {app: ${app}}}, spec: {nodeName: ${on}},
    status: {podIPs: [{ip: ${at[4]}}, {ip: "${at[6]}"}]}}`;

const cluster = [
  "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
  node("n1", "192.168.0.1", "fd01::1"),
  node("n2", "192.168.0.2", "fd01::2"),
  pod("client", "n1"),
  pod("web", "n1"),
  pod("far", "n2"),
];
const stale = (on: string) => pod("stale", on, addresses["web"]);
/** Has the same labels as a/web. */
const replica = (on: string) => pod("replica", on, addresses["web"], "web");

/** A pod may be reached, or reach others, on these ports alone. */
const only = (app: string, direction: "Ingress" | "Egress", ...ports: readonly number[]) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: ${app}-${direction.toLowerCase()}},
    spec: {podSelector: {matchLabels: {app: ${app}}}, policyTypes: [${direction}],
      ${direction.toLowerCase()}: [{ports: [${ports.map((port) => `{port: ${port}}`).join()}]}]}}`;

type AppRule = readonly ["Accept" | "Deny" | "Pass", ...string[]];

/** Which pods a/client may reach, first match first; a rule may name several apps. */
const toApps = (...rules: readonly AppRule[]) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: apps},
    spec: {tier: Admin, priority: 1, subject: {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: client}}}},
      egress: [${rules
        .map(
          ([action, ...apps]) =>
            `{action: ${action}, to: [${apps
              .map((app) => (app === "*" ? "{}" : `{matchLabels: {app: ${app}}}`))
              .map((selector) => `{pods: {namespaceSelector: {}, podSelector: ${selector}}}`)
              .join()}]}`,
        )
        .join()}]}}`;

const stateOf = (...documents: readonly string[]): State => {
  const state = readState([{ file: "state.yaml", text: documents.join("\n---\n") }]);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
};

vi.setConfig({ testTimeout: labTimeout });

type Case = readonly [which: string, policies: readonly string[], expected: readonly number[]];

describeOnBothWirings("two pods that report one address", (wiring) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.build(stateOf(...cluster).cluster, wiring);
  });
  beforeEach(() => lab.forgetConnections());
  afterAll(() => lab?.remove());

  const ports = [80, 81, 82];
  const spaceOf = (name: string) => lab.plan.pods.find(({ key }) => key === `a/${name}`)!.space;
  /** The ports by which one pod reaches another, the same over IPv4 and IPv6. */
  const reached = async (from: string, to: string): Promise<readonly number[]> => {
    const found = await Promise.all(
      ([4, 6] as const).map(async (family) => {
        const packets = ports.map(
          (port): Packet => ({
            from: spaceOf(from),
            to: spaceOf(to),
            source: addresses[from]![family],
            target: addresses[to]![family],
            protocol: "TCP",
            port,
            servedPort: port,
            tos: 0,
          }),
        );
        const outcomes = await lab.prober.probe(packets);
        return ports.filter((_, i) => outcomes[i] === "arrived");
      }),
    );
    expect(found[1]).toEqual(found[0]);
    return found[0]!;
  };

  const incoming: readonly Case[] = [
    ["one of them is isolated", [only("stale", "Ingress", 81)], [81]],
    ["the other one is", [only("web", "Ingress", 81)], [81]],
    ["both are", [only("web", "Ingress", 80, 81), only("stale", "Ingress", 81, 82)], [81]],
    ["none is", [], ports],
  ];
  for (const [rows, options] of rotated(incoming, 2))
    it.each(rows)("S1.17: ingress is allowed by both, where %s", options, async (_, policies, expected) => {
      for (const on of ["n1", "n2"]) {
        await program(lab, stateOf(...cluster, stale(on), ...policies));
        await lab.forgetConnections();
        expect(await reached("client", "web")).toEqual(expected);
        expect(await reached("far", "web")).toEqual(expected);
      }
    });

  const outgoing: readonly Case[] = [
    ["one of them is isolated", [only("stale", "Egress", 81)], [81]],
    ["both are", [only("web", "Egress", 80, 81), only("stale", "Egress", 81, 82)], [81]],
  ];
  for (const [rows, options] of rotated(outgoing, 2))
    it.each(rows)("S1.17: egress is allowed by both, where %s", options, async (_, policies, expected) => {
      for (const on of ["n1", "n2"]) {
        await program(lab, stateOf(...cluster, stale(on), ...policies));
        await lab.forgetConnections();
        expect(await reached("web", "client")).toEqual(expected);
        expect(await reached("web", "far")).toEqual(expected);
      }
    });

  const asPeer: readonly (readonly [readonly AppRule[], readonly number[]])[] = [
    [[["Deny", "stale"]], []],
    [[["Deny", "web"]], []],
    [
      [
        ["Accept", "web"],
        ["Deny", "*"],
      ],
      [],
    ],
    [
      [
        ["Accept", "web"],
        ["Accept", "stale"],
        ["Deny", "*"],
      ],
      [],
    ],
    [
      [
        ["Accept", "web", "stale"],
        ["Deny", "*"],
      ],
      ports,
    ],
    [
      [
        ["Accept", "*"],
        ["Deny", "stale"],
      ],
      ports,
    ],
    [
      [
        ["Pass", "web"],
        ["Deny", "*"],
      ],
      [],
    ],
  ];
  for (const [rows, options] of rotated(asPeer, 3))
    it.each(rows)("S1.17: as the peer of a/client, with %j", options, async (rules, expected) => {
      for (const on of ["n1", "n2"]) {
        await program(lab, stateOf(...cluster, stale(on), toApps(...rules)));
        await lab.forgetConnections();
        expect(await reached("client", "web")).toEqual(expected);
      }
    });

  it("S1.17: two replicas of one workload are judged like one of them", async () => {
    const policies = [only("web", "Ingress", 80), only("web", "Egress", 81)];
    for (const on of ["n1", "n2"]) {
      await program(lab, stateOf(...cluster, replica(on), ...policies));
      await lab.forgetConnections();
      expect(await reached("client", "web")).toEqual([80]);
      expect(await reached("far", "web")).toEqual([80]);
      expect(await reached("web", "client")).toEqual([81]);
    }
  });

  it("S1.17: once one of them is gone, the other is judged by itself", async () => {
    await program(lab, stateOf(...cluster, only("stale", "Ingress", 81)));
    expect(await reached("client", "web")).toEqual(ports);
  });
});
