import { formatAddress, parseCidr, type State } from "@tierwall/core";
import type { Shape } from "../generate/shape.js";
import type { Pod } from "../generate/parsed.js";
import { median } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { type AllowedPair, checkedPair, nodeCluster, onBenchNode, type Policy } from "./cluster.js";
import { ProgrammedNode } from "./programmed-node.js";
import { Wires } from "./wires.js";

/*
 * What rules cost the traffic of a node. All rulesets stand in one node, each in a table of its own, and one of them is awake: so
 * they are compared on the very same wires, and none has to be loaded while it is measured. They take turns, a twentieth of a second
 * each, and only figures of one round are compared: whatever else the machine does, it does to all of them. Where in memory
 * the kernel put the parts of a node makes a difference of a few points, too; so several nodes are built. They take turns as well:
 * were one measured after the other, a bad minute of the machine would look like a bad node.
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

type Rates = Record<"connect" | "echo", number>;
type Round = Record<RulesetName, Rates>;

export interface Repeats {
  readonly nodes: number;
  readonly rounds: number;
}

export async function measureTraffic(
  shape: Shape,
  seed: number,
  { nodes, rounds }: Repeats,
): Promise<Omit<RowResult, "row">> {
  const { state } = nodeCluster(shape, seed);
  const pair = checkedPair(state);
  const cluster = onBenchNode(state.cluster, [pair.client, pair.server]);
  const tiers: Programs["tiers"] = {
    none: state.withDefinitions([]).tiers,
    few: fewPolicies(state, pair).tiers,
    all: state.tiers,
  };
  const measured = await measureNodes(pair, { cluster, tiers }, { nodes, rounds });
  for (const [node, one] of measured.entries())
    process.stderr.write(
      `  node ${node + 1} of ${nodes}: ${shareOf([one], "all", "connect").toFixed(3)} of new connections\n`,
    );
  const share = (name: RulesetName, what: keyof Rates) => shareOf(measured, name, what);
  const [few, all] = [share("few", "connect"), share("all", "connect")];
  const rate = (what: keyof Rates) => thousands(median(measured.flat().map(({ empty }) => empty[what])));
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
        `shares are means over ${nodes} nodes of the medians of ${rounds} rounds`,
    ],
  };
}

/** What the nodes agree on: the median of each, and their geometric mean. */
function shareOf(measured: readonly (readonly Round[])[], name: RulesetName, what: keyof Rates): number {
  const medians = measured.map((rounds) =>
    median(rounds.map((rates) => rates[name][what] / rates.empty[what])),
  );
  return Math.exp(medians.reduce((sum, share) => sum + Math.log(share), 0) / medians.length);
}

interface Programs {
  readonly cluster: State["cluster"];
  readonly tiers: Readonly<Record<Exclude<RulesetName, "empty">, State["tiers"]>>;
}

async function measureNodes(
  pair: AllowedPair,
  programs: Programs,
  { nodes, rounds }: Repeats,
): Promise<readonly (readonly Round[])[]> {
  const laid: Wires[] = [];
  try {
    for (let node = 0; node < nodes; node++) {
      const wires = new Wires(
        { client: addressesOf(pair.client), server: addressesOf(pair.server) },
        `${node}`,
      );
      laid.push(wires);
      await program(wires, programs, node);
      await wires.serve(pair.port);
    }
    const measured = laid.map((): Round[] => []);
    // The first round finds caches cold.
    for (let round = 0; round <= rounds; round++)
      for (const [node, wires] of laid.entries()) {
        const rates = roundOf(wires, pair.port, round + node);
        if (round > 0) measured[node]!.push(rates);
      }
    return measured;
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

function roundOf(wires: Wires, port: number, turn: number): Round {
  const rates = {} as Round;
  for (const name of turned(rulesets, turn)) {
    wires.wake(tableOf(name), rulesets.map(tableOf));
    rates[name] = ratesOf(wires, port);
  }
  return rates;
}

/** Who is first in one turn is last in another. */
function turned<T>(list: readonly T[], turn: number): readonly T[] {
  const from = turn % list.length;
  const next = [...list.slice(from), ...list.slice(0, from)];
  return Math.floor(turn / list.length) % 2 === 0 ? next : next.toReversed();
}

/** Both pods are in there, as pods of a node are: where nothing else is to be done, both are looked up. */
const podRanges = [parseCidr("10.0.0.0/8")!, parseCidr("fd00:10::/32")!];

const seconds = 0.05;

/** Of both families, taken together. */
function ratesOf(wires: Wires, port: number): Rates {
  const both = (what: keyof Rates) =>
    ([4, 6] as const).reduce((sum, family) => sum + wires.rate(what, family, port, seconds), 0) / 2;
  return { connect: both("connect"), echo: both("echo") };
}

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
