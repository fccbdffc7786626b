import { parseCidr } from "@tierwall/core/model";
import { readState, type State } from "@tierwall/core/state";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { program } from "./enforce.js";
import { Lab } from "./lab/lab.js";
import { gatewayLink, hairpinSource } from "./lab/plan.js";
import type { Outcome, Packet } from "./lab/prober.js";
import { describeOnBothWirings, labTimeout } from "./lab/requirements.js";

/* S1.16: whichever address of a node a pod sends to, it sends to the node. */

const node = (name: string, four: string, six: string, more: string) =>
  `{apiVersion: v1, kind: Node, metadata: {name: ${name}${more}},
    status: {addresses: [{type: InternalIP, address: ${four}}, {type: InternalIP, address: "${six}"}]}}`;
const pod = (name: string, on: string, four: string, six: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: ${name}}, spec: {nodeName: ${on}},
    status: {podIPs: [{ip: ${four}}, {ip: "${six}"}]}}`;

/** Where n2 has a tunnel, and where it may have a gateway. */
const tunnel = { 4: "10.9.2.64", 6: "fd09:2::40" } as const;
const unused = { 4: "10.0.2.77", 6: "fd00:2::77" } as const;
const outside = { 4: "203.0.113.7", 6: "2001:db8::7" } as const;

const cluster = [
  "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
  node("n1", "192.168.0.1", "fd01::1", ""),
  node(
    "n2",
    "192.168.0.2",
    "fd01::2",
    `, annotations: {"projectcalico.org/IPv4VXLANTunnelAddr": ${tunnel[4]}, "projectcalico.org/IPv6VXLANTunnelAddr": "${tunnel[6]}"}`,
  ).replace("status:", 'spec: {podCIDRs: [10.0.2.0/24, "fd00:2::/64"]}, status:'),
  pod("client", "n1", "10.0.1.1", "fd00:1::1"),
  pod("near", "n1", "10.0.1.2", "fd00:1::2"),
  pod("far", "n2", "10.0.2.1", "fd00:2::1"),
];

const rules = (...egress: readonly string[]) =>
  `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: nodes},
    spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, egress: [${egress.join()}]}}`;
const denyNodes = "{action: Deny, to: [{nodes: {}}]}";
const allowNodes = "{action: Accept, to: [{nodes: {}}]}";
const denyRest = '{action: Deny, to: [{networks: [0.0.0.0/0, "::/0"]}]}';
const allowTo = (...networks: readonly string[]) =>
  `{action: Accept, to: [{networks: [${networks.map((one) => `"${one}"`).join()}]}]}`;

const stateOf = (...documents: readonly string[]): State => {
  const state = readState([{ file: "state.yaml", text: documents.join("\n---\n") }]);
  if (!state.usable) throw new Error(state.diagnostics.map(({ message }) => message).join("\n"));
  return state;
};

vi.setConfig({ testTimeout: labTimeout });

describeOnBothWirings("addresses of nodes", (wiring) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.build(stateOf(...cluster).cluster, wiring);
  });
  beforeEach(() => lab.forgetConnections());
  afterAll(() => lab?.remove());

  const client = { 4: "10.0.1.1", 6: "fd00:1::1" } as const;
  /** From a/client, over IPv4 and IPv6. */
  const sent = (space: string, target: Readonly<Record<4 | 6, string>>): readonly Packet[] =>
    ([4, 6] as const).map((family) => ({
      from: lab.plan.pods.find(({ key }) => key === "a/client")!.space,
      to: space,
      source: client[family],
      target: target[family],
      protocol: "TCP",
      port: 10250,
      servedPort: 10250,
      tos: 0,
    }));
  const places = () => ({
    "the address that its node reports": sent(lab.spaceOf("n1"), { 4: "192.168.0.1", 6: "fd01::1" }),
    "another address of its node": sent(lab.spaceOf("n1"), hairpinSource),
    "the address that another node reports": sent(lab.spaceOf("n2"), { 4: "192.168.0.2", 6: "fd01::2" }),
    "the tunnel of another node": sent(lab.spaceOf("n2"), tunnel),
    "the pod range of another node": sent(lab.plan.outside.space, unused),
    "outside of the cluster": sent(lab.plan.outside.space, outside),
  });
  type Place = keyof ReturnType<typeof places>;
  const outcomes = async (): Promise<Readonly<Record<Place, readonly Outcome[]>>> => {
    const all = Object.entries(places());
    const found = await lab.prober.probe(all.flatMap(([, packets]) => packets));
    return Object.fromEntries(all.map(([name], i) => [name, found.slice(2 * i, 2 * i + 2)])) as never;
  };
  const both = (outcome: Outcome): readonly Outcome[] => [outcome, outcome];

  it("S1.16: denying nodes denies every address that they have, or may have", async () => {
    await program(lab, stateOf(...cluster, rules(denyNodes)));
    expect(await outcomes()).toEqual({
      "the address that its node reports": both("lost"),
      "another address of its node": both("lost"),
      "the address that another node reports": both("lost"),
      "the tunnel of another node": both("lost"),
      "the pod range of another node": both("lost"),
      "outside of the cluster": both("arrived"),
    });
  });

  it("S1.16: allowing nodes allows every address that they have, and none that they may have", async () => {
    await program(lab, stateOf(...cluster, rules(allowNodes, denyRest)));
    expect(await outcomes()).toEqual({
      "the address that its node reports": both("arrived"),
      "another address of its node": both("arrived"),
      "the address that another node reports": both("arrived"),
      "the tunnel of another node": both("arrived"),
      "the pod range of another node": both("lost"),
      "outside of the cluster": both("lost"),
    });
  });

  it("S1.16: a CIDR is compared with the address that was used", async () => {
    const [four, six] = [hairpinSource[4], hairpinSource[6]];
    await program(lab, stateOf(...cluster, rules(allowTo(`${four}/32`, `${six}/128`), denyNodes, denyRest)));
    expect(await outcomes()).toMatchObject({
      "the address that its node reports": both("lost"),
      "another address of its node": both("arrived"),
    });
  });

  it("S1.16: a pod that claims an address of the node does not take it away from the node", async () => {
    const claiming = pod("claiming", "n2", hairpinSource[4], hairpinSource[6]);
    await program(lab, stateOf(...cluster, claiming, rules(denyNodes)));
    expect(await outcomes()).toMatchObject({ "another address of its node": both("lost") });
  });

  it("S1.16: what others rewrite to the node's loopback address is sent to the node", async () => {
    const rewritten = "198.51.100.9";
    const nat = "type nat hook prerouting priority -100; ip daddr 198.51.100.9 dnat to 127.0.0.1";
    await lab.prober.configure([[lab.spaceOf("n1"), "net/ipv4/conf/all/route_localnet", "1"]]);
    await lab.load("n1", `table ip other {\nchain early {\n${nat}\n}\n}\n`);
    try {
      const [packet] = sent(lab.spaceOf("n1"), { 4: rewritten, 6: "::" });
      await program(lab, stateOf(...cluster, rules(denyNodes)));
      expect(await lab.prober.probe([packet!])).toEqual(["lost"]);
      await program(lab, stateOf(...cluster, rules(allowNodes, denyRest)), { generation: 2 });
      expect(await lab.prober.probe([packet!])).toEqual(["arrived"]);
    } finally {
      await lab.load("n1", "delete table ip other\n");
    }
  });

  it.each([
    ["no pod range", {}],
    ["--unknown-pods allow", { unknownPods: "allow" }],
    ["a pod range", { localRanges: [parseCidr("10.0.1.0/24")!, parseCidr("fd00:1::/64")!] }],
  ] as const)("S1.16: an address of its link is no way around denying nodes, with %s", async (_, options) => {
    const { link } = lab.plan.pods.find(({ key }) => key === "a/client")!;
    const [, packet] = sent(lab.spaceOf("n1"), { 4: "192.168.0.1", 6: `${gatewayLink}%eth0` });
    const fromLink: Packet = { ...packet!, source: `${link}%eth0` };
    const toAll: Packet = { ...fromLink, protocol: "UDP", target: "ff02::1%eth0" };
    await program(lab, stateOf(...cluster));
    expect(await lab.prober.probe([fromLink, toAll])).toEqual(["arrived", "one-way"]);
    await program(lab, stateOf(...cluster, rules(denyNodes)), { generation: 2, options: () => options });
    expect(await lab.prober.probe([fromLink, toAll])).toEqual(["lost", "lost"]);
    // Neighbours are found again, and joining groups does not depend on policies.
    await lab.forgetNeighbours();
    expect(await outcomes()).toMatchObject({ "outside of the cluster": both("arrived") });
  });

  it("S1.16: a broadcast that the node receives is sent to the node", async () => {
    const [packet] = sent(lab.spaceOf("n1"), { 4: "255.255.255.255", 6: "ff02::1" });
    const broadcast: Packet = { ...packet!, protocol: "UDP" };
    await program(lab, stateOf(...cluster, rules(denyNodes)));
    expect(await lab.prober.probe([broadcast])).toEqual(["lost"]);
    await program(lab, stateOf(...cluster, rules(allowNodes, denyRest)), { generation: 2 });
    // The answer comes from another address than the question went to.
    expect(await lab.prober.probe([broadcast])).toEqual(["one-way"]);
  });
});
