import { setTimeout as sleep } from "node:timers/promises";
import { formatAddress, type State } from "@tierwall/core";
import type { Shape } from "../generate/shape.js";
import type { Pod } from "../generate/parsed.js";
import { median } from "../report/figure.js";
import type { RowResult } from "../report/results.js";
import { type AllowedPair, checkedPair, nodeCluster, onBenchNode, type Policy } from "./cluster.js";
import { ProgrammedNode } from "./programmed-node.js";
import { Wires } from "./wires.js";

/*
 * What rules cost the traffic of a node. Each round measures all rulesets one after the other, and only figures of one
 * round are compared: whatever else the machine does, it does to all of them.
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
  const wires = new Wires({ client: addressesOf(client), server: addressesOf(server) });
  const states: Record<Exclude<RulesetName, "empty">, State> = {
    "no policies": state.withDefinitions([]),
    "few policies": fewPolicies(state, pair),
    "all policies": state,
  };
  try {
    await wires.serve(port);
    const measured: Record<RulesetName, Rates>[] = [];
    // The first round finds caches cold.
    for (let round = 0; round <= rounds; round++) {
      const rates = {} as Record<RulesetName, Rates>;
      for (const name of rulesets)
        rates[name] = await under(wires, name === "empty" ? undefined : { ...states[name], cluster }, port);
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
    wires.close();
  }
}

async function under(wires: Wires, state: State | undefined, port: number): Promise<Rates> {
  if (state === undefined) {
    wires.load(emptyRuleset);
    const rates = await ratesOf(wires, port);
    wires.load("delete table inet empty\n");
    return rates;
  }
  const node = await ProgrammedNode.open(wires.node);
  try {
    await node.enforce(state.cluster, state.tiers);
    return await ratesOf(wires, port);
  } finally {
    await node.close();
  }
}

const seconds = 0.6;

/** Of both families, taken together. First the kernel, and this process, must be done with the rulesets of before. */
async function ratesOf(wires: Wires, port: number): Promise<Rates> {
  await sleep(1500);
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
