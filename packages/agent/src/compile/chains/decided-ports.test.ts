import { describe, expect, it } from "vitest";
import { DecidedPorts } from "./decided-ports.js";
import type { PlainPort } from "../rules/rule-reach.js";

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
    const decided = new DecidedPorts();
    decided.add([above]);
    expect(decided.open([below])).toEqual(isDecided ? [] : [below]);
    expect(decided.open("every")).toBe("every");
  });
});
