import type { DnsRecord, Inventory } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import {
  frame,
  type NameSet,
  NodeCompiler,
  type NodeOptions,
  type Ruleset,
  rulesetText,
} from "@tierwall/agent";
import { domainMatches } from "../../packages/core/src/evaluate/domain.js";
import { formatAddress, parseAddress } from "../../packages/core/src/net/address.js";
import type { Lab } from "./lab/lab.js";

export interface Enforcement {
  readonly generation?: number;
  readonly options?: (node: string) => Partial<NodeOptions>;
  /** A possible mistake. */
  readonly plant?: (ruleset: Ruleset) => Ruleset;
}

const table = "tierwall";

export const usualOptions: Omit<NodeOptions, "node"> = {
  connectionMask: 0xffff0000,
  deny: "drop",
  unknownPods: "deny",
  localRanges: [],
  shadow: false,
};

const noModes = () => ({ audit: "denied", shadow: false }) as const;

/** Puts on each node of a lab what the agent would, in one transaction, and forgets the connections of before. */
export async function enforce(lab: Lab, state: State): Promise<void> {
  await program(lab, state);
  await lab.forgetConnections();
}

/** The same for a lab in which connections live on. */
export async function program(lab: Lab, state: State, enforcement: Enforcement = {}): Promise<void> {
  await load(lab, tablesOf(lab, state, enforcement));
}

/** By node, the text that puts its table in the place of the one that is there. */
export function tablesOf(
  lab: Lab,
  state: State,
  { generation = 1, options, plant = (ruleset) => ruleset }: Enforcement = {},
): ReadonlyMap<string, string> {
  return new Map(
    lab.plan.nodes.map(({ name }) => {
      const own = { ...usualOptions, ...options?.(name), node: name };
      return [name, tableOf(state, own, generation, plant)];
    }),
  );
}

export async function load(lab: Lab, tables: ReadonlyMap<string, string>): Promise<void> {
  await Promise.all([...tables].map(([node, text]) => lab.load(node, text)));
}

function tableOf(
  { cluster, tiers }: State,
  options: NodeOptions,
  generation: number,
  plant: (ruleset: Ruleset) => Ruleset,
): string {
  const compiled = new NodeCompiler(options, noModes).compile(withoutNames(cluster), tiers);
  const text = rulesetText(plant(frame(compiled, options, generation)), table);
  const learned = compiled.names.flatMap((names) => elementsOf(names, cluster.facts.dns ?? []));
  return [`table inet ${table}`, `delete table inet ${table}`, text, ...learned, ""].join("\n");
}

/** A node has no facts about names: it learns their addresses when pods query them. */
export function withoutNames(cluster: Inventory): Inventory {
  const { dns: _, ...facts } = cluster.facts;
  return { ...cluster, facts };
}

function elementsOf(names: NameSet, records: readonly DnsRecord[]): readonly string[] {
  return [...resolvedPairs(names, records)].flatMap(([family, pairs]) =>
    [names.fresh[family], names.kept[family]].map(
      (set) => `add element inet ${table} ${set} { ${pairs.map((pair) => `${pair} timeout 1h`).join(", ")} }`,
    ),
  );
}

/** `10.0.0.1 . 203.0.113.9`, as if every pod had asked for every name there is: the facts of a state hold for all. */
export function resolvedPairs(
  { patterns, pods }: NameSet,
  records: readonly DnsRecord[],
): ReadonlyMap<4 | 6, readonly string[]> {
  const resolved = records
    .filter(({ name }) => patterns.some((pattern) => domainMatches(pattern, name)))
    .flatMap(({ addresses }) => addresses);
  const pairs = new Map<4 | 6, string[]>();
  for (const pod of pods) {
    const { family } = parseAddress(pod)!;
    const own = new Set(resolved.filter((address) => address.family === family).map(formatAddress));
    if (own.size > 0)
      pairs.set(family, [...(pairs.get(family) ?? []), ...[...own].map((to) => `${pod} . ${to}`)]);
  }
  return pairs;
}
