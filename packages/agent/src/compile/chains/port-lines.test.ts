import { describe, expect, it } from "vitest";
import { openPorts, portMatches } from "./port-chains.js";
import type { PlainPort } from "../rules/rule-reach.js";

const tcp = (first: number, last = first): PlainPort => ({ kind: "range", protocol: "TCP", first, last });

describe("nft expressions for ports, and swapped for replies", () => {
  it.each<[string, "every" | readonly PlainPort[], readonly string[], readonly string[]]>([
    ["every port", "every", [""], [""]],
    ["a number", [tcp(80)], ["tcp dport 80 "], ["tcp sport 80 "]],
    ["a range", [tcp(80, 90)], ["tcp dport 80-90 "], ["tcp sport 80-90 "]],
    ["two that are the same", [tcp(80), tcp(80)], ["tcp dport 80 "], ["tcp sport 80 "]],
    [
      "S7.11: every type of ICMP",
      [{ kind: "icmp", family: 4, type: 0 }],
      ["meta l4proto 1 "],
      ["meta l4proto 1 "],
    ],
    ["echo requests", [{ kind: "icmp", family: 4, type: 8 }], ["icmp type 8 "], ["icmp type 0 "]],
    ["those of IPv6", [{ kind: "icmp", family: 6, type: 128 }], ["icmpv6 type 128 "], ["icmpv6 type 129 "]],
    ["a type without replies", [{ kind: "icmp", family: 4, type: 5 }], ["icmp type 5 "], []],
  ])("%s", (_, ports, original, reply) => {
    expect(portMatches(ports, "original")).toEqual(original);
    expect(portMatches(ports, "reply")).toEqual(reply);
  });
});

const range = (protocol: "TCP" | "UDP", first: number, last = first): PlainPort => ({
  kind: "range",
  protocol,
  first,
  last,
});
const icmp = (family: 4 | 6, type: number): PlainPort => ({ kind: "icmp", family, type });

describe("ports that are decided further up", () => {
  it.each<[string, PlainPort, PlainPort, boolean]>([
    ["the same", range("TCP", 80), range("TCP", 80), true],
    ["a part of a range", range("TCP", 80, 90), range("TCP", 85), true],
    ["more than a range", range("TCP", 80, 90), range("TCP", 85, 91), false],
    ["another protocol", range("TCP", 80), range("UDP", 80), false],
    ["a type of ICMP among all", icmp(4, 0), icmp(4, 8), true],
    ["all types after one", icmp(4, 8), icmp(4, 0), false],
    ["another family", icmp(4, 0), icmp(6, 128), false],
  ])("%s", (_, above, below, isDecided) => {
    expect(openPorts([below], [above])).toEqual(isDecided ? [] : [below]);
    expect(openPorts("every", [above])).toBe("every");
  });
});
