import { formatAddress, parseCidr } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import type { Shape } from "../generate/shape.js";
import type { Pod } from "../generate/parsed.js";
import { median } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { type AllowedPair, checkedPair, nodeCluster, onBenchNode, type Policy } from "./cluster.js";
import { ProgrammedNode } from "./programmed-node.js";
import { Wires } from "./wires.js";

/*
 * What rules cost the traffic of a node. As many nodes are built as there are rulesets. Each holds all of them, a table each, of
 * which one is awake: nothing has to be loaded while it is measured. Nodes are measured at the same time, and take turns of a few
 * milliseconds: whatever else the machine does, it does to all of them. Where in memory the kernel put the parts of a node
 * makes a difference, too. So rulesets change places until each was awake once in each node, and all that is compared are
 * the means over such a square, in which every ruleset met every node, and every moment, as often as the others.
 */

const rulesets = ["empty", "none", "few", "all"] as const;
type RulesetName = (typeof rulesets)[number];
/** Some of the names are words of nft. */
const tableOf = (name: RulesetName): string => `with_${name}`;

/** Rules that only let established connections go on: what any ruleset costs. */
const emptyRuleset = `table inet ${tableOf("empty")} {
  chain forward { type filter hook forward priority 0; policy accept;
    ct state established,related accept
  }
}
`;

type Traffic = "connect" | "echo";
/** Rates of a square by ruleset, a node each. */
type Square = Readonly<Record<Traffic, Readonly<Record<RulesetName, readonly number[]>>>>;

export async function measureTraffic(
  shape: Shape,
  seed: number,
  squares: number,
): Promise<Omit<RowResult, "row">> {
  const { state } = nodeCluster(shape, seed);
  const pair = checkedPair(state);
  const cluster = onBenchNode(state.cluster, [pair.client, pair.server]);
  const tiers: Programs["tiers"] = {
    none: state.withDefinitions([]).tiers,
    few: fewPolicies(state, pair).tiers,
    all: state.tiers,
  };
  const measured = await measureSquares(pair, { cluster, tiers }, squares);
  const share = (name: RulesetName, what: Traffic) => shareOf(measured, name, what);
  const [few, all] = [share("few", "connect"), share("all", "connect")];
  const rate = (what: Traffic) => thousands(median(measured.flatMap((square) => square[what].empty)));
  return {
    figures: [
      { what: "new connections, share of the rate", measured: all, unit: "share", bar: { atLeast: 0.93 } },
      { what: "the same with 10 policies", measured: few, unit: "share", bar: { atLeast: 0.93 } },
      { what: "apart", measured: Math.abs(few - all), unit: "share", bar: { atMost: 0.02 } },
      {
        what: "established round trips, share of the rate",
        measured: share("all", "echo"),
        unit: "share",
        bar: { atLeast: 0.99 },
      },
      {
        what: "new connections without policies",
        measured: share("none", "connect"),
        unit: "share",
        bar: { atLeast: 0.99 },
      },
      {
        what: "established round trips without policies",
        measured: share("none", "echo"),
        unit: "share",
        bar: { atLeast: 0.99 },
      },
    ],
    notes: [
      `a second under the empty ruleset: ${rate("connect")} connections, ${rate("echo")} round trips; ` +
        `shares are means over ${squares} squares of ${rulesets.length} nodes; ` +
        `new connections in each of them: ${measured.map((one) => shareOf([one], "all", "connect").toFixed(3)).join(", ")}`,
    ],
  };
}

/** The mean of its rate as a share of the mean under the empty ruleset, where twice as fast and half as fast weigh the same. */
function shareOf(squares: readonly Square[], name: RulesetName, what: Traffic): number {
  const meanLog = (of: RulesetName) => mean(squares.flatMap((square) => square[what][of].map(Math.log)));
  return Math.exp(meanLog(name) - meanLog("empty"));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface Programs {
  readonly cluster: State["cluster"];
  readonly tiers: Readonly<Record<Exclude<RulesetName, "empty">, State["tiers"]>>;
}

async function measureSquares(
  pair: AllowedPair,
  programs: Programs,
  squares: number,
): Promise<readonly Square[]> {
  const laid: Wires[] = [];
  try {
    for (let node = 0; node < rulesets.length; node++) {
      const wires = new Wires(
        { client: addressesOf(pair.client), server: addressesOf(pair.server) },
        `${node}`,
      );
      laid.push(wires);
      await program(wires, programs, node);
      await wires.serve(pair.port);
    }
    return Array.from({ length: squares }, (_, number) => squareOf(laid, pair.port, number));
  } finally {
    for (const wires of laid) wires.close();
  }
}

/** Who is loaded first in one node is loaded last in another. */
async function program(wires: Wires, { cluster, tiers }: Programs, number: number): Promise<void> {
  for (const name of turned(rulesets, number)) {
    if (name === "empty") wires.load(emptyRuleset);
    else {
      const node = await ProgrammedNode.open(wires.node, tableOf(name), { localRanges: podRanges });
      await node.enforce(cluster, tiers[name]);
      await node.leave();
    }
  }
}

/** The order matters as well: in every other square it is reversed. */
function squareOf(laid: readonly Wires[], port: number, number: number): Square {
  const nodes = number % 2 === 0 ? laid : laid.toReversed();
  const square: Record<Traffic, Record<RulesetName, number[]>> = { connect: noRates(), echo: noRates() };
  for (let turn = 0; turn < rulesets.length; turn++) {
    const awake = turned(rulesets, number + turn);
    for (const [node, wires] of laid.entries()) wires.wake(tableOf(awake[node]!), rulesets.map(tableOf));
    for (const what of ["connect", "echo"] as const)
      for (const family of [4, 6] as const) {
        const rates = Wires.rates(what, { wires: nodes, family, port, seconds });
        for (const [i, rate] of rates.entries()) square[what][awake[laid.indexOf(nodes[i]!)]!].push(rate);
      }
  }
  return square;
}

const noRates = (): Record<RulesetName, number[]> => ({ empty: [], none: [], few: [], all: [] });

function turned<T>(list: readonly T[], turn: number): readonly T[] {
  const from = turn % list.length;
  return [...list.slice(from), ...list.slice(0, from)];
}

/** Both pods are in there, as pods of a node are: where nothing else is to be done, both are looked up. */
const podRanges = [parseCidr("10.0.0.0/8")!, parseCidr("fd00:10::/32")!];

/** Of each node, each time. */
const seconds = 0.25;

/** Ten of them, among which those that decide about the two pods, and others of theirs: the measured walk is the same. */
function fewPolicies(state: State, { client, server, by }: AllowedPair): State {
  const rank = ({ namespace, name, kind }: Policy) => {
    if (by.some((policy) => policy.kind === kind && policy.name === name && policy.namespace === namespace))
      return 0;
    return namespace === client.namespace || namespace === server.namespace ? 1 : 2;
  };
  const ranked = state.definitions.toSorted((a, b) => rank(a.policy) - rank(b.policy));
  return state.withDefinitions(ranked.slice(0, 10));
}

function addressesOf({ addresses }: Pod): { readonly 4: string; readonly 6: string } {
  const [four, six] = ([4, 6] as const).map(
    (family) => addresses.find((address) => address.family === family)!,
  );
  return { 4: formatAddress(four!), 6: formatAddress(six!) };
}

const thousands = (value: number): string => Math.round(value).toLocaleString("en");
