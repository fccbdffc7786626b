/*
 * The content of an nftables table, as data. Everything has the exact form in which `nft -s -nn list table` prints it, so that the
 * kernel can be compared with the wanted rules by text. Parts that did not change between two rulesets are the same objects.
 */
export interface Ruleset {
  readonly chains: ReadonlyMap<string, Chain>;
  readonly sets: ReadonlyMap<string, NamedSet>;
  /** Names of counters. */
  readonly counters: ReadonlySet<string>;
}

export interface Chain {
  /** Of a base chain: `type filter hook forward priority -10; policy accept;`. */
  readonly hook?: string;
  /** One line each. */
  readonly rules: readonly string[];
}

/** Chains that packets reach from others, by name. */
export type RulesByChain = Readonly<Record<string, readonly string[]>>;

export const chainsOf = (rules: RulesByChain): readonly (readonly [string, Chain])[] =>
  Object.entries(rules).map(([name, own]) => [name, { rules: own }]);

export interface NamedSet {
  readonly kind: "map" | "set";
  /** `ipv4_addr : classid`, `ipv4_addr . ipv4_addr`. */
  readonly type: string;
  /** `interval`, `timeout`. */
  readonly flags: readonly string[];
  readonly size?: number;
  /** Key → value, and `""` for sets. `learned`: filled while the agent runs, and not compared. */
  readonly elements: ReadonlyMap<string, string> | "learned";
}
