import { formatAddress, type State } from "@tierwall/core";
import type { Shape } from "../generate/shape.js";
import type { Pod } from "../generate/parsed.js";
import { median } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { type AllowedPair, checkedPair, nodeCluster, onBenchNode, type Policy } from "./cluster.js";
import { ProgrammedNode } from "./programmed-node.js";
import { Wires } from "./wires.js";

/*
 * What rules cost the traffic of a node. Each ruleset has a node of its own, so that none has to be loaded while it is
 * measured; they take turns, a fifth of a second each, and only figures of one round are compared: whatever else the machine does, it
 * does to all of them.
 */

/** Rules that only let established connections go on: what any ruleset costs. */
const emptyRuleset = `table inet empty {
  chain forward { type filter hook forward priority 0; policy accept;
    ct state established,related accept
  }
}
`;

const rulesets = ["empty", "no policies", "few policies", "all policies"] as const;
type RulesetName = (typeof rulesets)[number];
type Rates = Record<"connect" | "echo", number>;

export async function measureTraffic(
  shape: Shape,
  seed: number,
  rounds: number,
): Promise<Omit<RowResult, "row">> {
  const { state } = nodeCluster(shape, seed);
  const pair = checkedPair(state);
  const { client, server, port } = pair;
  const cluster = onBenchNode(state.cluster, [client, server]);
  const states: Record<Exclude<RulesetName, "empty">, State> = {
    "no policies": state.withDefinitions([]),
    "few policies": fewPolicies(state, pair),
    "all policies": state,
  };
  const sites: Site[] = [];
  try {
    for (const [i, name] of rulesets.entries()) {
      const wires = new Wires({ client: addressesOf(client), server: addressesOf(server) }, `${i}`);
      const site: Site = { name, wires, node: undefined };
      sites.push(site);
      if (name === "empty") wires.load(emptyRuleset);
      else {
        site.node = await ProgrammedNode.open(wires.node);
        await site.node.enforce(cluster, states[name].tiers);
      }
      await wires.serve(port);
    }
    const measured: Record<RulesetName, Rates>[] = [];
    // The first round finds caches cold.
    for (let round = 0; round <= rounds; round++) {
      const rates = {} as Record<RulesetName, Rates>;
      // Who is first in one round is last in another.
      for (let i = 0; i < sites.length; i++) {
        const { name, wires } = sites[(i + round) % sites.length]!;
        rates[name] = ratesOf(wires, port);
      }
      if (round > 0) measured.push(rates);
    }
    const share = (name: RulesetName, what: keyof Rates) =>
      median(measured.map((rates) => rates[name][what] / rates.empty[what]));
    const [few, all] = [share("few policies", "connect"), share("all policies", "connect")];
    return {
      figures: [
        { what: "new connections, share of the rate", measured: all, unit: "share", bar: { atLeast: 0.93 } },
        { what: "the same with 10 policies", measured: few, unit: "share", bar: { atLeast: 0.93 } },
        { what: "apart", measured: Math.abs(few - all), unit: "share", bar: { atMost: 0.02 } },
        {
          what: "established round trips, share of the rate",
          measured: share("all policies", "echo"),
          unit: "share",
          bar: { atLeast: 0.99 },
        },
        {
          what: "new connections without policies",
          measured: share("no policies", "connect"),
          unit: "share",
        },
      ],
      notes: [
        `a second under the empty ruleset: ${thousands(median(measured.map((r) => r.empty.connect)))} connections, ` +
          `${thousands(median(measured.map((r) => r.empty.echo)))} round trips; medians of ${rounds} rounds`,
      ],
    };
  } finally {
    for (const { wires, node } of sites) {
      await node?.close();
      wires.close();
    }
  }
}

/** A node with one of the rulesets. */
interface Site {
  readonly name: RulesetName;
  readonly wires: Wires;
  node: ProgrammedNode | undefined;
}

const seconds = 0.2;

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
