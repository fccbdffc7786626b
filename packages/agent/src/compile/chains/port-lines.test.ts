import { describe, expect, it } from "vitest";
import { portMatches } from "./port-lines.js";
import type { PlainPort } from "../rules/rule-reach.js";

const tcp = (first: number, last = first): PlainPort => ({ kind: "range", protocol: "TCP", first, last });

describe("ports in nft's words, and turned round for replies", () => {
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
