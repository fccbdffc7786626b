import { type Inventory, parseAddress, parseCidr, type Pod } from "@tierwall/core/model";
import { describe, expect, it } from "vitest";
import { RangeTrust } from "./range-trust.js";

const ranges = ["10.0.0.0/24", "fd00::/64"].map((text) => parseCidr(text)!);
const pod = (name: string, node: string | undefined, address: string, hostNetwork = false): Pod => ({
  namespace: "shop",
  name,
  labels: {},
  addresses: [parseAddress(address)!],
  ...(node === undefined ? {} : { node }),
  hostNetwork,
  ports: [],
  serviceAccount: "default",
  hostAddresses: [],
});
const clusterOf = (...pods: readonly Pod[]): Pick<Inventory, "pods"> => ({
  pods: new Map(pods.map((one) => [`${one.namespace}/${one.name}`, one])),
});

const own = pod("own", "here", "10.0.0.5");
const foreign = pod("foreign", "there", "10.0.0.9");

describe("the pod ranges of a node", () => {
  it.each([
    ["a pod of the node inside", own, undefined],
    ["a pod of another node outside", pod("p", "there", "10.0.1.5"), undefined],
    ["a pod of another node in its host's network", pod("p", "there", "10.0.0.9", true), undefined],
    ["a pod that is not placed", pod("p", undefined, "10.0.0.9"), undefined],
    [
      "a pod of another node inside",
      foreign,
      /shop\/foreign of node there has the address 10\.0\.0\.9, inside/,
    ],
    ["a pod of the node outside", pod("p", "here", "10.7.0.1"), /shop\/p of this node .* outside of/],
    ["the same over IPv6", pod("p", "there", "fd00::7"), /node there has the address fd00::7/],
  ])("with %s", (_, one, expected) => {
    const doubt = new RangeTrust("here", () => 0).doubt(clusterOf(own, one), ranges);
    if (expected === undefined) expect(doubt).toBeUndefined();
    else expect(doubt).toMatch(expected);
  });

  it("of one family say nothing about the other", () => {
    const doubt = new RangeTrust("here", () => 0).doubt(clusterOf(pod("p", "here", "fd77::1")), [ranges[0]!]);
    expect(doubt).toBeUndefined();
  });

  it("are trusted again after ten minutes without contradiction", () => {
    const clock = { now: 0 };
    const trust = new RangeTrust("here", () => clock.now);
    const doubts = (at: number, ...pods: readonly Pod[]) => {
      clock.now = at;
      return trust.doubt(clusterOf(own, ...pods), ranges) !== undefined;
    };
    expect(doubts(0)).toBe(false);
    expect(doubts(1_000, foreign)).toBe(true);
    expect(doubts(500_000, foreign)).toBe(true);
    expect(doubts(501_000)).toBe(true);
    expect(doubts(1_099_000)).toBe(true);
    expect(doubts(1_101_000)).toBe(false);
  });

  it("say when the doubt ends, if nothing changes", () => {
    const clock = { now: 1_000 };
    const trust = new RangeTrust("here", () => clock.now);
    trust.doubt(clusterOf(own), ranges);
    expect(trust.endsIn).toBeUndefined();
    trust.doubt(clusterOf(own, foreign), ranges);
    expect(trust.endsIn).toBeUndefined();
    clock.now = 2_000;
    trust.doubt(clusterOf(own), ranges);
    expect(trust.endsIn).toBe(599_000);
    clock.now = 601_000;
    expect([trust.endsIn, trust.doubt(clusterOf(own), ranges)]).toEqual([0, undefined]);
  });

  it.each([
    [
      "node",
      /the pod range 10\.0\.0\.0\/24, fd00::\/64 of this node: .* configure the plugin to use podCIDRs/,
    ],
    ["configured", /of --pod-range: .* or remove it to use the podCIDRs/],
  ] as const)("are named after where they come from: %s", (source, expected) => {
    const doubt = new RangeTrust("here", () => 0, source).doubt(clusterOf(foreign), ranges);
    expect(doubt).toMatch(expected);
  });

  it("are checked again when they change", () => {
    const trust = new RangeTrust("here", () => 0);
    const cluster = clusterOf(own, foreign);
    expect(trust.doubt(cluster, ranges)).toBeDefined();
    expect(trust.doubt(cluster, [parseCidr("10.0.0.0/29")!])).toBeUndefined();
    expect(trust.doubt(cluster, ranges)).toBeDefined();
  });
});
