import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { threadId } from "node:worker_threads";
import type { Flow } from "@tierwall/core/model";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type ClusterModel,
  manifestsOf,
} from "../../../packages/core/testing/arbitrary/arbitrary-cluster.js";
import { flowsAmong, memberPairs, otherPairs } from "../../../packages/core/testing/every-flow.js";
import { about, stateOf } from "../../../packages/core/testing/arbitrary/scenario.js";
import { Lab } from "./lab.js";
import type { Outcome, Packet } from "./prober.js";
import { because, describeOnBothWirings, labIsMissing, labTimeout } from "./requirements.js";

const pod = (name: string, node: string, ips: readonly string[]) => ({
  namespace: "alpha",
  name,
  node,
  ips,
  labels: {},
  hostNetwork: false,
  ports: [],
  account: "default",
});

const model: ClusterModel = {
  namespaces: { alpha: {} },
  nodes: [
    { name: "node-1", labels: {}, ips: ["192.168.0.1", "fd01::1"] },
    { name: "node-2", labels: {}, ips: ["192.168.0.2", "fd01::2"] },
    { name: "bare", labels: {}, ips: [] },
  ],
  pods: [
    pod("x", "node-1", ["10.0.0.1", "fd00::1"]),
    pod("y", "node-1", ["10.0.0.2", "fd00::2"]),
    pod("z", "node-2", ["10.0.0.3", "fd00::3"]),
    pod("on-bare", "bare", ["10.0.0.4", "fd00::4"]),
    { ...pod("agent", "node-1", ["192.168.0.1", "fd01::1"]), hostNetwork: true },
  ],
  extras: [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "draws-borders-outside", namespace: "alpha" },
      spec: { podSelector: {}, egress: [{ to: [{ ipBlock: { cidr: "203.0.113.0/24" } }] }] },
    },
  ],
};
const state = stateOf(manifestsOf(model));
const ports = [
  { protocol: "TCP", port: 80 },
  { protocol: "UDP", port: 53 },
  { protocol: "SCTP", port: 443 },
  { protocol: "ICMP", port: 0 },
] as const;

interface Sent {
  readonly flow: Flow;
  readonly what: string;
  readonly packet: Packet;
}

const reason = labIsMissing();
vi.setConfig({ testTimeout: labTimeout });

describeOnBothWirings("a lab", (wiring) => {
  let lab: Lab;
  let all: readonly Sent[];
  beforeAll(async () => {
    lab = await Lab.build(state.cluster, wiring);
    const flows = [...flowsAmong([...memberPairs(state.cluster), ...otherPairs(state)], ports)];
    all = flows.flatMap((flow) =>
      (["direct", "alias"] as const).flatMap((road) => {
        const sendable = lab.packetOf(flow, road);
        return sendable.kind === "packet"
          ? [{ flow, what: `${about(flow)} ${road}`, packet: sendable.packet }]
          : [];
      }),
    );
  });
  afterAll(() => lab?.remove());

  const probe = async (sent: readonly Sent[]) => {
    const outcomes = await lab.prober.probe(sent.map(({ packet }) => packet));
    return (wanted: Outcome) => sent.filter((_, i) => outcomes[i] === wanted).map(({ what }) => what);
  };
  const named = (sent: readonly Sent[]) => sent.map(({ what }) => what);
  const filter = async (node: string, hook: string, rule: string) => {
    await lab.load(
      node,
      `table inet handmade {\n chain c { type filter hook ${hook} priority 0; ct state established,related accept; ${rule}; }\n}\n`,
    );
    await lab.forgetConnections();
    return { [Symbol.asyncDispose]: () => lab.load(node, "delete table inet handmade") };
  };

  it("carries every connection there is, and the answers", async () => {
    expect(all.length).toBeGreaterThan(600);
    expect((await probe(all))("arrived")).toEqual(named(all));
  });

  it("loses exactly what a node drops while forwarding", async () => {
    await using _ = await filter("node-1", "forward", "ip daddr 10.0.0.2 udp dport 53 drop");
    const lost = all.filter(
      ({ flow, packet }) =>
        flow.protocol === "UDP" &&
        flow.family === 4 &&
        flow.destination.kind === "pod" &&
        flow.destination.pod.name === "y" &&
        // S1.6: a connection of a pod to itself passes no node, and the node does not forward its own packets.
        flow.toItself !== true &&
        packet.from !== lab.spaceOf("node-1"),
    );
    expect(lost.length).toBeGreaterThan(8);
    expect((await probe(all))("lost")).toEqual(named(lost));
  });

  it.each([
    ["input", (packet: Packet) => packet.to],
    ["output", (packet: Packet) => packet.from],
  ] as const)("loses exactly what a node drops on %s", async (hook, end) => {
    await using _ = await filter("node-2", hook, "meta l4proto sctp drop");
    const lost = all.filter(
      ({ flow, packet }) => flow.protocol === "SCTP" && end(packet) === lab.spaceOf("node-2"),
    );
    expect(lost.length).toBeGreaterThan(8);
    expect((await probe(all))("lost")).toEqual(named(lost));
  });

  it("distinguishes rejected connections from dropped ones", async () => {
    await using _ = await filter("node-1", "forward", "tcp dport 80 reject with tcp reset");
    const [first] = all.filter(({ what }) => what === "alpha/x -> alpha/z TCP 80, IPv4 direct");
    expect((await probe([first!]))("refused")).toEqual([first!.what]);
  });

  it("keeps connections open, on which both endpoints can send", async () => {
    const wanted = all
      .filter(({ packet }) => packet.protocol === "TCP" || packet.protocol === "UDP")
      .slice(0, 40);
    const conversations = (await lab.prober.open(wanted.map(({ packet }) => packet))).flatMap(
      (one) => one ?? [],
    );
    expect(conversations.length).toBe(wanted.length);
    for (const side of ["client", "server", "client"] as const)
      expect(new Set(await lab.prober.say(conversations, side))).toEqual(new Set([true]));
    await lab.prober.close(conversations);
  });
});

describe.skipIf(reason !== undefined)(`labs${because(reason)}`, () => {
  it("leave nothing behind, also of a run that was killed", async () => {
    const spaces = () => readdirSync("/run/netns");
    // Others may have labs at the same time.
    const mine = () => spaces().filter((name) => name.startsWith(`twp${process.pid}-${threadId}-`));
    const before = mine();
    const { pid: dead } = spawnSync("true");
    spawnSync("ip", ["netns", "add", `twp${dead}-0-1out`]);
    const lab = await Lab.build(state.cluster, "routed");
    expect(spaces()).not.toContain(`twp${dead}-0-1out`);
    expect(mine().length).toBe(before.length + 1 + state.cluster.nodes.size + 4);
    await lab.remove();
    expect(mine()).toEqual(before);
  });
});
