import { describe, expect, it } from "vitest";
import type { EdgeLook } from "../worker/questions/map.js";
import { graphOf } from "./graph.js";
import { neighboursOf } from "./neighbours.js";

const any: EdgeLook = { verdict: "allowed", ports: "any", weight: 4 };
const https: EdgeLook = { verdict: "allowed", ports: "443/TCP", weight: 1 };

const refused: EdgeLook = { verdict: "denied", ports: "22/TCP", weight: 1 };

const names = "abcdefghijkl".split("");

/** Workloads a to l of one namespace; edges as `a b any`. */
function graph(...edges: readonly string[]) {
  const nodes = names.map((name) => ({
    key: name,
    kind: "workload" as const,
    card: "n",
    name,
    detail: "Deployment",
  }));
  const looks = [any, https, refused];
  const flat = edges.flatMap((text) => {
    const [from, to, ports] = text.split(" ");
    return [names.indexOf(from!), names.indexOf(to!), looks.findIndex((look) => look.ports === ports)];
  });
  return graphOf({
    kind: "map",
    nodes,
    meant: nodes.map(() => true),
    edges: Uint32Array.from(flat),
    looks,
    isOpen: true,
    caveats: [],
  });
}

const fromAll = (to: string) => names.filter((name) => name !== to).map((name) => `${name} ${to} any`);

describe("a map", () => {
  it("draws what is particular", () => {
    expect(graph("a b 443/TCP", "b c any").drawn).toHaveLength(2);
  });

  it("does not count denied connections", () => {
    const { reachedBy, reaches, edges } = graph("a b 443/TCP", "c b 22/TCP", "a c 22/TCP");
    expect(edges).toHaveLength(3);
    expect(reachedBy.slice(0, 3)).toEqual([0, 1, 0]);
    expect(reaches.slice(0, 3)).toEqual([1, 0, 0]);
  });

  it("draws no lines to nodes that nearly all others reach, and marks them", () => {
    const { drawn, isOpenToMost, edges } = graph(..."cdef".split("").flatMap(fromAll), "a b 443/TCP");
    expect(drawn.map(({ from, to }) => [from, to])).toEqual([[0, 1]]);
    expect(isOpenToMost.flatMap((most, i) => (most ? [i] : []))).toEqual([2, 3, 4, 5]);
    expect(edges).toHaveLength(45);
  });

  it("draws no lines from nodes that reach nearly all others", () => {
    const toAll = fromAll("c")
      .map((text) => text.split(" "))
      .map(([other]) => `c ${other} any`);
    const { drawn, reachesMost } = graph(...fromAll("d"), ...fromAll("e"), ...toAll, "a b 443/TCP");
    expect(reachesMost[2]).toBe(true);
    expect(drawn.map(({ from, to }) => [from, to])).toEqual([[0, 1]]);
  });

  it("draws them where there are few lines in all", () => {
    expect(graph(...fromAll("c")).drawn).toHaveLength(11);
  });

  it("draws no line from a node to itself", () => {
    expect(graph("a a any").drawn).toEqual([]);
  });
});

describe("the neighbours of a node", () => {
  it("are put together by ports, the widest first", () => {
    const groups = neighboursOf(graph("a d 443/TCP", "c d any", "b d 443/TCP"), 3, "incoming");
    expect(groups.map(({ look, edges }) => [look.ports, edges.map(({ from }) => from)])).toEqual([
      ["any", [2]],
      ["443/TCP", [0, 1]],
    ]);
  });

  it("are those of one side", () => {
    expect(neighboursOf(graph("a b any"), 0, "incoming")).toEqual([]);
    expect(neighboursOf(graph("a b any"), 0, "outgoing")).toHaveLength(1);
  });
});
