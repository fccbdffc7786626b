import type { MatrixReport } from "@tierwall/core/report";
import { describe, expect, it } from "vitest";
import { Connections, type Filter } from "./connections.js";

const report: MatrixReport = {
  headline: "",
  caveats: [],
  picture: { ends: [], cells: [] },
  ends: [
    ["shop/web", "shop/Deployment/web", 0],
    ["shop/cart", "shop/Deployment/cart", 1],
    ["node worker-1", "node:worker-1", 2],
  ],
  cells: [
    ["some", "80,8000-9000/TCP", "80,8000-9000/TCP", "", ""],
    ["all", "any", "any", "", ""],
    ["some", "any but 8443/TCP", "1-8442,8444-65535/TCP all UDP ICMP", "", ""],
    ["none", "-", "", "", ""],
  ],
  connections: [0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 2, 2, 0, 0, 2, 0, 3, 0, 0],
  more: { 1: [["shop/cart-1", "shop/web-1 over IPv6", 0, 1]] },
  reasons: [[["any", 0]], [["80/TCP", 1]]],
  decisions: [
    { verdict: "Allow", by: [{ text: "default" }] },
    { verdict: "Deny", by: [{ tier: "admin", text: "ClusterNetworkPolicy guard rule 1" }] },
  ],
  denied: true,
};

const connections = new Connections(report);
const search = (filter: Partial<Filter>) => connections.search({ text: "", look: "open", ...filter });

describe("the connections of a report", () => {
  it("are those that can connect, unless something else is asked for", () => {
    expect(search({})).toEqual([0, 1, 2]);
    expect(search({ look: "" })).toEqual([0, 1, 2, 3]);
    expect(search({ look: "some" })).toEqual([0, 2]);
    expect(search({ look: "none" })).toEqual([3]);
  });

  it("are found by each word of their names", () => {
    expect(search({ text: "CART worker" })).toEqual([2]);
    expect(search({ text: "no-such-pod" })).toEqual([]);
  });

  it.each([
    ["8443/tcp", [0, 1]],
    ["8443", [0, 1, 2]],
    ["80/tcp", [0, 1, 2]],
    ["53/udp", [1, 2]],
    ["81/sctp", [1]],
    ["any but", [2]],
  ])("are found by ports: %s", (text, found) => {
    expect(search({ text })).toEqual(found);
  });

  it("of one cell are all of it, whatever they look like", () => {
    expect(search({ pair: { row: 2, column: 0 } })).toEqual([3]);
    expect(search({ pair: { row: 2, column: 0 }, text: "cart" })).toEqual([]);
  });

  it("are sorted by a column, both ways", () => {
    const sorted = (isDescending: boolean) =>
      connections.search({ text: "", look: "" }, { column: "to", isDescending });
    expect(sorted(false)).toEqual([2, 0, 1, 3]);
    expect(sorted(true)).toEqual([1, 3, 0, 2]);
  });

  it("have a reason for each direction, or several with their endpoints", () => {
    const allowed = [{ ports: "any", verdict: "Allow", by: [{ text: "default" }] }];
    expect(connections.reasons(0)).toEqual([
      { source: "shop/web", destination: "shop/cart", egress: allowed, ingress: allowed },
    ]);
    expect(connections.reasons(1)).toMatchObject([
      { source: "shop/cart-1", destination: "shop/web-1 over IPv6", ingress: [{ verdict: "Deny" }] },
    ]);
  });
});
