import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress, parseCidr } from "@tierwall/core/model";
import { readState } from "@tierwall/core/state";
import { NodeCompiler } from "../../packages/agent/src/compile/node-compiler.js";
import { generationBits, markField } from "../../packages/agent/src/ruleset/connection-mark.js";
import { atRest } from "../../packages/agent/src/ruleset/hooks.js";
import { frame } from "../../packages/agent/src/ruleset/frame.js";
import type { Ruleset } from "../../packages/agent/src/ruleset/ruleset.js";
import { nodeYaml, podYaml } from "../../packages/agent/testing/node-world.js";
import {
  type Journey,
  type Packet,
  walkDuring,
  walkRuleset,
} from "../../packages/agent/testing/walk-ruleset.js";
import { anyHistory, type ClusterMoment } from "../../packages/core/testing/arbitrary/history.js";
import { isFull } from "../slice.mjs";
import { connectionsAt, enforced, optionsFor } from "./agreement.js";

/*
 * In the kernel, a packet that is being evaluated during a transaction passes old chains and looks into new sets, and
 * chains that are new to it are empty. Here the transaction is made before each single step of each packet: what becomes of
 * the packet is what the old rules say, or what the new ones say.
 */

const { tiers: noTiers } = readState([]);
const mask = optionsFor("any").connectionMask;
const last = markField(mask).generations;
const stampOf = (generation: number): number => generationBits(mask, generation);

/** The generations of old rules and of those that come after them. */
interface Turn {
  readonly old: number;
  readonly next: number;
}

const [earlier, usual] = [3, { old: 5, next: 6 }] as const;

const turns: readonly Turn[] = [
  usual,
  // Those past the last one stamp nothing.
  { old: last, next: last + 1 },
  { old: last + 1, next: last + 2 },
  { old: last + 2, next: 1 },
];

describe("a packet that is on its way when rules change", () => {
  it("is judged by the old ones or by the new ones, whenever that is", () => {
    let moments = 0;
    fc.assert(
      fc.property(anyHistory, fc.constantFrom("node-1", "node-2"), fc.nat(), (history, node, first) => {
        const compiler = new NodeCompiler(optionsFor(node), enforced);
        const rulesets = history.map(({ cluster, tiers }) => compiler.compile(cluster, tiers));
        for (const [i, program] of rulesets.entries()) {
          const before = rulesets[i - 1];
          if (before === undefined) continue;
          const turn = turns[(first + i) % turns.length]!;
          const [old, to] = [
            frame(before, optionsFor(node), turn.old),
            frame(program, optionsFor(node), turn.next),
          ];
          // The first change after a while finds rules at rest, those that follow it do not.
          const from = (first + i) % 3 === 0 ? old : atRest(old);
          for (const packet of packetsAt(history[i]!, node, turn))
            moments += expectOneOfBoth(from, to, packet, turn);
        }
      }),
      { numRuns: 30 },
    );
    expect(moments).toBeGreaterThan(isFull ? 10_000 : 0);
  });

  it.each([
    ["holds back pods that it does not know", [parseCidr("10.0.0.0/24")!, parseCidr("fd00::/64")!]],
    ["does not", []],
  ])(
    "is so too when the first rules come, and when the last ones go, on a node that %s",
    (_, localRanges) => {
      let moments = 0;
      fc.assert(
        fc.property(anyHistory, fc.constantFrom("node-1", "node-2"), (history, node) => {
          const options = { ...optionsFor(node), localRanges };
          const compiler = new NodeCompiler(options, enforced);
          const [before, after] = [history[0]!, history.at(-1)!];
          const [open, ruled] = [
            compiler.compile(before.cluster, noTiers),
            compiler.compile(after.cluster, after.tiers),
          ];
          const framed = (generations: readonly [number, number]) =>
            [open, ruled].map((program, i) => frame(program, options, generations[i]!)) as [Ruleset, Ruleset];
          const { old, next } = usual;
          const [[from, to], [back, away]] = [framed([old, next]), framed([next, old])];
          for (const packet of packetsAt(after, node, usual)) {
            moments += expectOneOfBoth(from, to, packet, usual);
            moments += expectOneOfBoth(atRest(away), back, packet, usual);
          }
        }),
        { numRuns: 20 },
      );
      expect(moments).toBeGreaterThan(isFull ? 2000 : 0);
    },
  );

  it.each(turns)("is so too where a rule binds the node itself (S7.8): $old to $next", (turn) => {
    const compiler = new NodeCompiler(optionsFor("here"), enforced);
    const [from, to] = [80, 81].map((port, i) => {
      const { cluster, tiers } = readState([{ file: "test.yaml", text: bindingTheNode(port) }]);
      return frame(compiler.compile(cluster, tiers), optionsFor("here"), [turn.old, turn.next][i]!);
    });
    for (const destinationPort of [79, 80, 81, 90]) {
      const packet = { ...fromTheNode, destinationPort };
      expect(expectOneOfBoth(from!, to!, packet, turn)).toBeGreaterThan(2);
      expect(expectOneOfBoth(atRest(from!), to!, packet, turn)).toBeGreaterThan(2);
    }
  });

  it("does not notice that they come to rest", () => {
    fc.assert(
      fc.property(anyHistory, fc.constantFrom("node-1", "node-2"), ([moment], node) => {
        const { cluster, tiers } = moment!;
        const program = new NodeCompiler(optionsFor(node), enforced).compile(cluster, tiers);
        const from = frame(program, optionsFor(node), usual.old);
        for (const packet of packetsAt(moment!, node, usual)) {
          const { verdict, mark, priority, steps } = walkRuleset(from, packet);
          for (let before = 1; before <= steps; before++)
            expect(walkDuring({ from, to: atRest(from), before }, packet)).toMatchObject({
              verdict,
              mark,
              priority,
            });
        }
      }),
      { numRuns: 10 },
    );
  });
});

const fromTheNode: Packet = {
  hook: "output",
  source: parseAddress("192.168.0.1")!,
  destination: parseAddress("10.0.0.1")!,
  protocol: "TCP",
  sourcePort: 40_000,
  connection: { state: "new", isReply: false, mark: 0 },
};

const bindingTheNode = (
  port: number,
): string => `${nodeYaml("here", "192.168.0.1")}${podYaml("shop/web", "10.0.0.1")}---
apiVersion: cilium.io/v2
kind: CiliumNetworkPolicy
metadata: { name: probes, namespace: shop }
spec:
  endpointSelector: {}
  ingressDeny: [{ fromEntities: [host], toPorts: [{ ports: [{ port: "${port}", protocol: TCP }, { port: "90", protocol: TCP }] }] }]
`;

/** First packets of connections, and packets of connections that the old rules, or earlier ones, allowed. */
function* packetsAt(moment: ClusterMoment, node: string, { old }: Turn): Iterable<Packet> {
  let seen = 0;
  for (const { packet } of connectionsAt(moment, node)) {
    // A share of them: each is sent as often as it takes steps.
    if (seen++ % 7 !== 0) continue;
    yield packet;
    for (const generation of [earlier, old])
      yield { ...packet, connection: { state: "established", isReply: false, mark: stampOf(generation) } };
  }
}

function expectOneOfBoth(from: Ruleset, to: Ruleset, packet: Packet, turn: Turn): number {
  const [byOld, byNew] = [walkRuleset(from, packet), walkRuleset(to, packet)];
  const { steps } = byOld;
  for (let before = 1; before <= steps; before++) {
    const said = walkDuring({ from, to, before }, packet);
    const fault = faultOf(said, byOld, byNew, turn);
    if (fault !== undefined && !mayBeLost(said, packet, turn))
      expect({ fault, before, packet }).toBeUndefined();
  }
  return steps;
}

/**
 * Rules that stamp nothing judge packets of the node itself twice, and after the second time there is no further base chain: one
 * packet is lost then, and its sender repeats it.
 */
function mayBeLost({ verdict }: Journey, { hook }: Packet, { old }: Turn): boolean {
  return verdict === "drop" && hook === "output" && stampOf(old) === 0;
}

function faultOf(said: Journey, byOld: Journey, byNew: Journey, { next }: Turn): string | undefined {
  if (said.verdict !== byOld.verdict && said.verdict !== byNew.verdict)
    return `${said.verdict}, where old and new rules both ${byOld.verdict}`;
  if (said.verdict !== "accept") return undefined;
  // What is remembered of a connection holds for all packets that follow.
  if (said.mark !== 0 && said.mark === stampOf(next) && byNew.verdict !== "accept")
    return "stamped as allowed by the new rules";
  if (said.priority.startsWith("ffff:")) return `goes on with the priority ${said.priority}`;
  return undefined;
}
