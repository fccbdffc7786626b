import { parseCidr } from "@tierwall/core/model";
import { describe, expect, it } from "vitest";
import { nodeWorld, nodeYaml, podYaml } from "../../testing/node-world.js";
import type { Packet } from "../../testing/walk-ruleset.js";

const closed = `${nodeYaml("here", "192.168.0.1")}${podYaml("shop/web", "10.0.0.1,fd00::1")}${podYaml("shop/cart", "10.0.0.2,fd00::2")}---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: closed, namespace: shop }
spec: { podSelector: { matchLabels: { app: web } }, ingress: [{ ports: [{ port: 80 }] }] }
`;
const allowed = "10.0.0.2 -> 10.0.0.1:80/TCP";
const denied = "10.0.0.2 -> 10.0.0.1:81/TCP";
const [present, past] = [0x00040000, 0x00080000];
const [cut, pastCut] = [present | 0x00010000, past | 0x00010000];
const connection = (state: Packet["connection"]["state"], mark: number, isReply = false) => ({
  connection: { state, mark, isReply },
});

describe("connections", () => {
  const { send } = nodeWorld(closed);

  it("that are allowed are stamped with the generation", () => {
    expect(send(allowed)).toMatchObject({ verdict: "accept", mark: present });
  });

  it("keep the bits of others", () => {
    expect(send(allowed, connection("established", past | 0xabcd)).mark).toBe(present | 0xabcd);
  });

  it("that this generation judged are not judged again", () => {
    expect(send(denied, connection("established", present))).toMatchObject({
      verdict: "accept",
      counted: [],
    });
    expect(send(allowed, connection("established", cut))).toMatchObject({ verdict: "drop", counted: [] });
  });

  it("of the past are cut where they are no longer allowed, once and for all", () => {
    expect(send(denied, connection("established", past))).toMatchObject({ verdict: "drop", mark: cut });
    expect(send(denied, connection("new", 0))).toMatchObject({ verdict: "drop", mark: 0 });
  });

  it("that earlier rules cut are counted no more, and go on where they are allowed again", () => {
    expect(send(denied, connection("established", past)).counted).toContain("cut");
    expect(send(denied, connection("established", pastCut))).toMatchObject({
      verdict: "drop",
      mark: cut,
      counted: [],
    });
    expect(send(allowed, connection("established", pastCut))).toMatchObject({
      verdict: "accept",
      mark: present,
    });
  });

  it("are judged by their replies as well", () => {
    const reply = (port: number): Partial<Packet> => ({
      source: { family: 4, value: 0x0a000001n },
      destination: { family: 4, value: 0x0a000002n },
      sourcePort: port,
      destinationPort: 40_000,
      ...connection("established", past, true),
    });
    expect(send(allowed, reply(80))).toMatchObject({ verdict: "accept", mark: present });
    expect(send(allowed, reply(81))).toMatchObject({ verdict: "drop", mark: cut });
  });

  it("S1.5: errors about them are allowed with them, and cannot evade rules", () => {
    const error = (mark: number) =>
      ({ protocol: "ICMP", icmpType: 3, ...connection("related", mark) }) as const;
    expect(send(allowed, error(present)).verdict).toBe("accept");
    expect(send(denied, error(cut)).verdict).toBe("drop");
    expect(send(denied, error(past))).toMatchObject({ verdict: "drop", mark: past });
  });

  it("that are not tracked are judged packet by packet", () => {
    expect(send(allowed, connection("untracked", 0)).verdict).toBe("accept");
    expect(send(denied, connection("untracked", 0)).verdict).toBe("drop");
  });

  it("use only the bits they are given", () => {
    const world = nodeWorld(closed, { connectionMask: 0x00000ff0 });
    expect(world.send(allowed, connection("established", 0xfffff00f)).mark).toBe(0xfffff04f);
    expect(world.send(denied, connection("established", 0xfffff08f)).mark).toBe(0xfffff05f);
  });
});

describe("errors that the node sends", () => {
  const egress = closed.replace("ingress: [{ ports: [{ port: 80 }] }]", "policyTypes: [Egress]");
  const { send } = nodeWorld(egress, { deny: "reject" });

  it("about a connection that was cut, and its reset, do not make it allowed", () => {
    const reset = { hook: "output", sourcePort: 80, destinationPort: 40_000 } as const;
    const journey = send("203.0.113.1 -> 10.0.0.1:80/TCP", { ...reset, ...connection("related", cut, true) });
    expect(journey).toMatchObject({ verdict: "accept", mark: cut });
  });
});

describe("neighbours", () => {
  // The kernel makes no connections of these.
  const solicitation = { protocol: "ICMP", icmpType: 135, ...connection("untracked", 0) } as const;

  it("find each other, on the same link only", () => {
    const { send } = nodeWorld(closed);
    expect(send("fd00::2 -> [fd00::1]:ICMP", { ...solicitation, hopLimit: 255 }).verdict).toBe("accept");
    expect(send("fd00::2 -> [fd00::1]:ICMP", { ...solicitation, hopLimit: 64 }).verdict).toBe("drop");
  });
});

describe("unknown pods", () => {
  const localRanges = [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!];

  it.each([
    ["10.0.0.9 -> 203.0.113.1:80/TCP", "forward", "unknown_egress"],
    ["203.0.113.1 -> 10.0.0.9:80/TCP", "forward", "unknown_ingress"],
    ["10.0.0.9 -> 192.168.0.1:80/TCP", "input", "unknown_egress"],
    ["fd00::9 -> [2001:db8::1]:80/TCP", "forward", "unknown_egress"],
    ["fe80::9 -> [fe80::8]:80/TCP", "forward", "unknown_egress"],
    ["fe80::9 -> [fd00::1]:80/TCP", "forward", "unknown_egress"],
    ["fd00::2 -> [fe80::8]:80/TCP", "forward", "unknown_ingress"],
  ] as const)("%s, %s: dropped and counted as %s", (packet, hook, counter) => {
    const { send } = nodeWorld(closed, { localRanges });
    expect(send(packet, { hook })).toMatchObject({ verdict: "drop", counted: [counter] });
  });

  it.each(["bridge", "veth"] as const)(
    "send to their node from a link-local address, through a %s",
    (deviceKind) => {
      const { send } = nodeWorld(closed, { localRanges });
      const journey = send("fe80::9 -> [fe80::1]:10250/TCP", { hook: "input", deviceKind });
      expect(journey).toMatchObject({ verdict: "drop", counted: ["unknown_egress"] });
    },
  );

  it("are not neighbours of the node itself, and not senders of multicast on a link", () => {
    const { send } = nodeWorld(closed, { localRanges });
    expect(send("fe80::9 -> [fe80::8]:80/TCP", { hook: "input" }).verdict).toBe("accept");
    const lease = { hook: "input", deviceKind: "bridge", sourcePort: 547 } as const;
    expect(send("fe80::9 -> [fe80::8]:546/UDP", lease).verdict).toBe("accept");
    expect(send("fe80::9 -> [ff02::1]:5353/UDP").verdict).toBe("accept");
  });

  it("are reached by their node, whose probes may be first", () => {
    const { send } = nodeWorld(closed, { localRanges });
    expect(send("192.168.0.1 -> 10.0.0.9:80/TCP", { hook: "output" }).verdict).toBe("accept");
  });

  it("are not marked as cut: once they are known, their connections continue", () => {
    const { send } = nodeWorld(closed, { localRanges });
    const journey = send("10.0.0.9 -> 203.0.113.1:80/TCP", connection("established", past));
    expect(journey).toMatchObject({ verdict: "drop", mark: past });
  });

  it("are allowed if the options say so", () => {
    const { send } = nodeWorld(closed, { localRanges, unknownPods: "allow" });
    expect(send("10.0.0.9 -> 203.0.113.1:80/TCP").verdict).toBe("accept");
  });

  it.each([
    ["10.0.0.0/16 10.0.1.0/24 10.0.0.0/16", ["10.0.0.0/16"]],
    ["10.0.0.0/25 10.0.0.128/25", ["10.0.0.0/25", "10.0.0.128/25"]],
    ["10.0.0.7/32", ["10.0.0.7"]],
  ])("in the ranges %s: rules in the words in which nft lists them", (given, ranges) => {
    const { ruleset } = nodeWorld(closed, { localRanges: given.split(" ").map((text) => parseCidr(text)!) });
    const rules = ruleset.chains.get("unknown_saddr")!.rules.filter((rule) => rule.startsWith("ip saddr"));
    expect(rules).toEqual(ranges.map((range) => `ip saddr ${range} goto unknown_egress`));
  });

  it("are distinguished from known pods without any policy", () => {
    const { send } = nodeWorld(closed, { localRanges });
    expect(send("10.0.0.2 -> 203.0.113.1:80/TCP").verdict).toBe("accept");
  });
});

describe("S1.16: link-local addresses, if policies apply to egress of pods", () => {
  const denyEgress = closed.replace("ingress: [{ ports: [{ port: 80 }] }]", "policyTypes: [Egress]");
  const localRanges = [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!];
  const ways = [
    ["no pod range", {}],
    ["a pod range", { localRanges }],
    ["--unknown-pods allow", { unknownPods: "allow", localRanges }],
  ] as const;
  const byBridge = { deviceKind: "bridge" } as const;

  it.each(ways)("reach neither the node nor others, with %s", (_, options) => {
    const { send } = nodeWorld(denyEgress, options);
    for (const packet of ["fe80::9 -> [fe80::1]:10250/TCP", "fe80::9 -> [ff02::1]:5353/UDP"])
      for (const hook of ["input", "forward"] as const)
        expect(send(packet, { ...byBridge, hook })).toMatchObject({
          verdict: "drop",
          counted: ["unknown_egress"],
        });
  });

  it.each(ways)("are used by DHCPv6 and by hosts that join groups, with %s", (_, options) => {
    const { send } = nodeWorld(denyEgress, options);
    const listener = (icmpType: number, hopLimit = 1) =>
      ({ ...byBridge, icmpType, hopLimit, ...connection("untracked", 0) }) as const;
    for (const hook of ["input", "forward"] as const) {
      const verdictOf = (packet: string, more: Partial<Packet>) => send(packet, { hook, ...more }).verdict;
      for (const type of [130, 131, 132, 143])
        expect(verdictOf("fe80::9 -> [ff02::16]:ICMP", listener(type))).toBe("accept");
      expect(verdictOf("fe80::9 -> [ff02::16]:ICMP", listener(143, 64))).toBe("drop");
      expect(verdictOf("fe80::9 -> [ff02::16]:ICMP", listener(128))).toBe("drop");
      const request = { ...byBridge, sourcePort: 546 };
      expect(verdictOf("fe80::9 -> [ff02::1:2]:547/UDP", request)).toBe("accept");
      expect(verdictOf("fe80::9 -> [ff02::1]:547/UDP", request)).toBe("drop");
    }
    const lease = { ...byBridge, sourcePort: 547, hook: "input" } as const;
    expect(send("fe80::9 -> [fe80::1]:546/UDP", lease).verdict).toBe("accept");
  });

  it.each(ways)("are those of the node's own neighbours by other devices, with %s", (_, options) => {
    const { send } = nodeWorld(denyEgress, options);
    expect(send("fe80::9 -> [fe80::1]:80/TCP", { hook: "input" }).verdict).toBe("accept");
  });

  it.each(ways)(
    "are no way into a pod, where policies decide what pods may receive, with %s",
    (_, options) => {
      const { send } = nodeWorld(closed, options);
      expect(send("fd00::2 -> [fe80::8]:80/TCP", byBridge)).toMatchObject({
        verdict: "drop",
        counted: ["unknown_ingress"],
      });
    },
  );
});

describe("sources without a route through the device of the packet", () => {
  const localRanges = [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!];
  const forged = { deviceKind: "veth", reachedByDevice: [] } as const;
  const outside = [
    "203.0.113.1 -> 198.51.100.1:80/TCP",
    "203.0.113.1 -> 10.0.0.1:80/TCP",
    "2001:db8::1 -> [fd00::1]:80/TCP",
  ];

  it.each(outside)("%s: denied through any device of pods", (packet) => {
    const { send } = nodeWorld(closed, { localRanges });
    const dropped = { verdict: "drop", counted: ["unknown_egress"], mark: 0 };
    for (const deviceKind of ["veth", "bridge"] as const)
      for (const hook of ["forward", "input"] as const)
        expect(send(packet, { ...forged, deviceKind, hook })).toMatchObject(dropped);
    expect(send(packet, { ...forged, ...connection("established", past) }).verdict).toBe("drop");
    expect(send(packet, { ...forged, ...connection("untracked", 0) }).verdict).toBe("drop");
  });

  it.each(outside)("%s: allowed through another device, and if replies leave through it", (packet) => {
    const { send } = nodeWorld(closed, { localRanges });
    for (const hook of ["forward", "input"] as const) {
      expect(send(packet, { hook, reachedByDevice: [] }).verdict).toBe("accept");
      for (const deviceKind of ["veth", "bridge"] as const)
        expect(send(packet, { hook, deviceKind }).verdict).toBe("accept");
    }
  });

  it("are not asked about in replies, which come from elsewhere", () => {
    const { send } = nodeWorld(closed, { localRanges });
    const reply = { sourcePort: 80, destinationPort: 40_000, ...connection("established", past, true) };
    for (const ends of ["203.0.113.1 -> 10.0.0.2:1/TCP", "10.0.0.1 -> 203.0.113.1:1/TCP"])
      expect(send(ends, { ...forged, ...reply }).verdict).toBe("accept");
  });

  it("may be none yet, or of a link to all of it", () => {
    const { send } = nodeWorld(closed, { localRanges });
    for (const hook of ["forward", "input"] as const)
      for (const packet of ["::0 -> [ff02::16]:ICMP", "fe80::9 -> [ff02::fb]:5353/UDP"])
        expect(send(packet, { ...forged, deviceKind: "bridge", hook }).verdict).toBe("accept");
  });

  it("may be others' on a bridge that leads to neither of both", () => {
    const { send } = nodeWorld(closed, { localRanges });
    const bridged = { ...forged, deviceKind: "bridge", outDeviceKind: "bridge" } as const;
    expect(send("172.30.0.1 -> 172.30.0.2:80/TCP", bridged).verdict).toBe("accept");
    const toPod = { ...bridged, reachedByDevice: ["destination"] } as const;
    expect(send("172.30.0.1 -> 10.0.0.1:80/TCP", toPod).verdict).toBe("drop");
    expect(send("172.30.0.1 -> 172.30.0.2:80/TCP", { ...bridged, deviceKind: "veth" }).verdict).toBe("drop");
  });

  it("are known pods', and judged as these", () => {
    const { send } = nodeWorld(closed, { localRanges });
    expect(send(allowed, forged)).toMatchObject({ verdict: "accept", counted: send(allowed).counted });
    expect(send(denied, forged)).toMatchObject({ verdict: "drop", counted: send(denied).counted });
  });

  it.each([{ unknownPods: "allow" }, { forgedSources: "pass" }] as const)("pass with %j", (options) => {
    const { send, ruleset } = nodeWorld(closed, { localRanges, ...options });
    expect(send(outside[0]!, forged).verdict).toBe("accept");
    expect(ruleset.chains.has("forged")).toBe(false);
  });

  it("are only counted in shadow mode", () => {
    const { send } = nodeWorld(closed, { localRanges, shadow: true });
    expect(send(outside[0]!, forged)).toMatchObject({ verdict: "accept", counted: ["unknown_egress"] });
  });
});

describe("what others add", () => {
  it("comes before pods are judged, and with its own chains", () => {
    const extra = {
      chains: new Map([["proxy", { rules: ["accept"] }]]),
      sets: new Map(),
      counters: new Set(["dns"]),
    };
    const egress = closed.replace("ingress: [{ ports: [{ port: 80 }] }]", "policyTypes: [Egress]");
    const { send, ruleset } = nodeWorld(egress, {}, { beforeInput: ["udp dport 53 goto proxy"], extra });
    expect(send("10.0.0.1 -> 192.168.0.1:53/UDP", { hook: "input" }).verdict).toBe("accept");
    expect(send("10.0.0.1 -> 192.168.0.1:53/TCP", { hook: "input" }).verdict).toBe("drop");
    expect(ruleset.counters).toContain("dns");
  });
});

it("--deny reject refuses", () => {
  expect(nodeWorld(closed, { deny: "reject" }).send(denied).verdict).toBe("reject");
});

describe("a node without rules for its pods", () => {
  const pods = `${nodeYaml("here", "192.168.0.1")}${podYaml("shop/web", "10.0.0.1,fd00::1")}`;
  const localRanges = [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!];

  it("drops nothing, looks nothing up and marks nothing", () => {
    const { send, ruleset } = nodeWorld(pods);
    expect(send("203.0.113.1 -> 10.0.0.1:80/TCP")).toMatchObject({ verdict: "accept", mark: 0, steps: 0 });
    expect([ruleset.chains.size, ruleset.sets.size]).toEqual([0, 0]);
  });

  it.each([
    ["10.0.0.9 -> 203.0.113.1:80/TCP", "forward", "unknown_egress"],
    ["203.0.113.1 -> 10.0.0.9:80/TCP", "forward", "unknown_ingress"],
    ["10.0.0.9 -> 192.168.0.1:80/TCP", "input", "unknown_egress"],
    ["fd00::9 -> [2001:db8::1]:80/TCP", "forward", "unknown_egress"],
    ["fe80::9 -> [fd00::1]:80/TCP", "forward", "unknown_egress"],
    ["fd00::1 -> [fe80::8]:80/TCP", "forward", "unknown_ingress"],
  ] as const)("holds unknown pods back: %s, %s, counted as %s", (packet, hook, counter) => {
    const { send } = nodeWorld(pods, { localRanges });
    expect(send(packet, { hook })).toMatchObject({ verdict: "drop", mark: 0, counted: [counter] });
  });

  it.each([
    ["10.0.0.1 -> 203.0.113.1:80/TCP", "forward"],
    ["203.0.113.1 -> 10.0.0.1:80/TCP", "forward"],
    ["fd00::1 -> [2001:db8::1]:80/TCP", "forward"],
    ["10.0.0.1 -> 192.168.0.1:80/TCP", "input"],
    ["192.168.0.1 -> 10.0.0.9:80/TCP", "output"],
    ["fe80::9 -> [ff02::1]:5353/UDP", "forward"],
  ] as const)("and no others: %s, %s", (packet, hook) => {
    const { send } = nodeWorld(pods, { localRanges });
    expect(send(packet, { hook })).toMatchObject({ verdict: "accept", mark: 0, priority: "none" });
  });

  it("allows neighbour discovery, for known and unknown pods, on the same link only", () => {
    const { send } = nodeWorld(pods, { localRanges });
    const solicitation = { protocol: "ICMP", icmpType: 135, ...connection("untracked", 0) } as const;
    for (const hook of ["forward", "input"] as const)
      for (const who of ["fd00::9 -> [fd00::1]:ICMP", "fe80::9 -> [fd00::1]:ICMP"]) {
        const packet = { ...solicitation, hook, deviceKind: "bridge" } as const;
        expect(send(who, { ...packet, hopLimit: 255 })).toMatchObject({ verdict: "accept", counted: [] });
        expect(send(who, { ...packet, hopLimit: 64 }).verdict).toBe("drop");
      }
  });

  it("accepts no more from link-local addresses of pods than with rules, and its own neighbours", () => {
    const { send } = nodeWorld(pods, { localRanges });
    const from = "fe80::9 -> [fe80::1]:10250/TCP";
    for (const deviceKind of ["bridge", "veth"] as const)
      expect(send(from, { hook: "input", deviceKind })).toMatchObject({
        verdict: "drop",
        counted: ["unknown_egress"],
      });
    expect(send(from, { hook: "input" }).verdict).toBe("accept");
    const lease = { hook: "input", deviceKind: "bridge", sourcePort: 547 } as const;
    expect(send("fe80::9 -> [fe80::1]:546/UDP", lease).verdict).toBe("accept");
    // Neither of a link nor of a pod.
    expect(send("fec0::9 -> [fd00::5]:80/TCP", { hook: "input", deviceKind: "veth" }).verdict).toBe("accept");
  });

  it("accepts errors about its own connections to an unknown pod", () => {
    const { send } = nodeWorld(pods, { localRanges });
    const error = { protocol: "ICMP", icmpType: 3, ...connection("related", 0, true) } as const;
    expect(send("10.0.0.9 -> 192.168.0.1:ICMP", { ...error, hook: "input" }).verdict).toBe("accept");
    expect(send("10.0.0.9 -> 203.0.113.1:ICMP", error).verdict).toBe("drop");
  });

  it("accepts established connections at once, and looks up one address for new ones", () => {
    const { send } = nodeWorld(pods, { localRanges });
    const [baseChain, lookup] = [1, 1];
    expect(send("10.0.0.1 -> 203.0.113.1:80/TCP", connection("established", 0)).steps).toBe(baseChain);
    expect(send("10.0.0.1 -> 203.0.113.1:80/TCP").steps).toBe(baseChain + lookup);
  });

  it("only counts unknown pods in shadow mode", () => {
    const { send } = nodeWorld(pods, { localRanges, shadow: true });
    expect(send("10.0.0.9 -> 203.0.113.1:80/TCP")).toMatchObject({
      verdict: "accept",
      counted: ["unknown_egress"],
    });
  });

  it("has connections that the first rules judge, like those of earlier rules", () => {
    const { send } = nodeWorld(closed);
    expect(send(allowed, connection("established", 0))).toMatchObject({ verdict: "accept", mark: present });
    expect(send(denied, connection("established", 0))).toMatchObject({ verdict: "drop", mark: cut });
  });
});
