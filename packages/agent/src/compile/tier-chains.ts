import type { BookEntry } from "../ruleset/program.js";
import type { ChainStore } from "./chain-store.js";
import { contentName } from "./content-name.js";
import type { End } from "./ends.js";
import type { PortChains } from "./port-chains.js";
import type { Item, RuleReach } from "./rule-reach.js";

/** A tier as some pods of this node meet it. */
export interface TierChain {
  /** Of the map from identities to verdicts; stays while rules are the same, whoever comes and goes. */
  readonly map: string;
  readonly verdicts: ReadonlyMap<End, string>;
  /** For everybody else; undefined: nothing to say. */
  readonly otherwise: string | undefined;
}

/** A tier of rules, and what it is with the present ends. */
export interface Tier {
  readonly reaches: readonly RuleReach[];
  readonly isolation: readonly BookEntry[];
  readonly chain: TierChain;
}

/** Ends for whom the same rules do the same: a path of what is not as for everybody else. */
interface Step {
  readonly before: Step | undefined;
  /** Of the rule that is not as for everybody else here, and what it does instead. */
  readonly index: number;
  readonly item: Item | undefined;
  readonly next: Map<Item | number, Step>;
}

export class TierChains {
  private found = new Map<string, Tier & { chain: TierChain }>();

  constructor(
    private readonly ports: PortChains,
    chains: ChainStore,
  ) {
    chains.whenForgetting(() => {
      this.found = new Map();
    });
  }

  of(reaches: readonly RuleReach[], isolation: readonly BookEntry[]): Tier {
    const key = keyOf(reaches, isolation);
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const made = { reaches, isolation, chain: this.compute(reaches, isolation) };
    this.found.set(key, made);
    return made;
  }

  /** Brings these up to date with the ends that came and went, and forgets all others. */
  grow(inUse: Iterable<Tier>): void {
    this.keepOnly(inUse);
    for (const tier of this.found.values()) tier.chain = this.grown(tier);
  }

  keepOnly(inUse: Iterable<Tier>): void {
    this.found = new Map(
      [...new Set(inUse)].map((tier) => [keyOf(tier.reaches, tier.isolation), tier] as const),
    );
  }

  private grown({ chain, reaches, isolation }: Tier): TierChain {
    const changed = new Set<End>();
    for (const reach of reaches) for (const end of reach.changed) changed.add(end);
    if (changed.size === 0) return chain;
    const verdicts = new Map(chain.verdicts);
    for (const end of changed) {
      const items = reaches.flatMap(
        ({ listed, otherwise }) => (listed.has(end) ? listed.get(end) : otherwise) ?? [],
      );
      const verdict = this.ports.verdictFor(items, isolation) ?? "return";
      if (verdict === (chain.otherwise ?? "return")) verdicts.delete(end);
      else verdicts.set(end, verdict);
    }
    return { ...chain, verdicts };
  }

  private compute(reaches: readonly RuleReach[], isolation: readonly BookEntry[]): TierChain {
    const usual = reaches.map(({ otherwise }) => otherwise);
    const verdictOf = (items: readonly (Item | undefined)[]) =>
      this.ports.verdictFor(
        items.filter((item) => item !== undefined),
        isolation,
      );
    const otherwise = verdictOf(usual);
    const verdictsOf = new Map<Step, string>();
    const verdicts = new Map<End, string>();
    for (const [end, last] of pathsOf(reaches)) {
      const verdict = verdictsOf.get(last) ?? verdictOf(itemsAt(last, usual)) ?? "return";
      verdictsOf.set(last, verdict);
      if (verdict !== (otherwise ?? "return")) verdicts.set(end, verdict);
    }
    const map = contentName("tier", `${reaches.map(({ key }) => key).join("\n")}\n${idsOf(isolation)}`);
    return { map, verdicts, otherwise };
  }
}

const idsOf = (isolation: readonly BookEntry[]): string => isolation.map(({ id }) => id).join();

const keyOf = (reaches: readonly RuleReach[], isolation: readonly BookEntry[]): string =>
  `${reaches.map(({ number }) => number).join()} ${idsOf(isolation)}`;

function pathsOf(reaches: readonly RuleReach[]): ReadonlyMap<End, Step> {
  const start: Step = { before: undefined, index: -1, item: undefined, next: new Map() };
  const at = new Map<End, Step>();
  for (const [index, { listed }] of reaches.entries())
    for (const [end, item] of listed) {
      const before = at.get(end) ?? start;
      const known = before.next.get(item ?? index);
      const step = known ?? { before, index, item, next: new Map() };
      if (known === undefined) before.next.set(item ?? index, step);
      at.set(end, step);
    }
  return at;
}

function itemsAt(last: Step, usual: readonly (Item | undefined)[]): readonly (Item | undefined)[] {
  const items = [...usual];
  for (let step: Step | undefined = last; step !== undefined && step.index >= 0; step = step.before)
    items[step.index] = step.item;
  return items;
}
