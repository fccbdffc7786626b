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

/** What a row was before some ends came and went. */
export interface Before {
  readonly tier: TierChain;
  readonly reaches: readonly RuleReach[];
  readonly come: ReadonlySet<End>;
  readonly gone: ReadonlySet<End>;
}

const isGrownFrom = (now: readonly RuleReach[], before: readonly RuleReach[]): boolean =>
  now.length === before.length &&
  now.every(({ number, grownFrom }, i) => number === before[i]!.number || grownFrom === before[i]!.number);

/** Ends for whom the same rules do the same: a path of what is not as for everybody else. */
interface Step {
  readonly before: Step | undefined;
  /** Of the rule that is not as for everybody else here, and what it does instead. */
  readonly index: number;
  readonly item: Item | undefined;
  readonly next: Map<Item | number, Step>;
}

export class TierChains {
  private found = new Map<string, TierChain>();
  private wanted = new Map<string, TierChain>();

  constructor(
    private readonly ports: PortChains,
    chains: ChainStore,
  ) {
    chains.whenForgetting(() => {
      this.found = new Map();
      this.wanted = new Map();
    });
  }

  update(): void {
    this.found = this.wanted;
    this.wanted = new Map();
  }

  /** `before`: what the same rules made of other ends, from which these came and went. */
  of(reaches: readonly RuleReach[], isolation: readonly BookEntry[], before?: Before): TierChain {
    const who = isolation.map(({ id }) => id).join();
    const key = `${reaches.map(({ number }) => number).join()} ${who}`;
    const known = this.wanted.get(key) ?? this.found.get(key);
    const made =
      known ??
      (before !== undefined && isGrownFrom(reaches, before.reaches)
        ? this.grow(before, reaches, isolation)
        : this.compute(reaches, isolation, who));
    this.wanted.set(key, made);
    return made;
  }

  private grow(
    { tier, come, gone }: Before,
    reaches: readonly RuleReach[],
    isolation: readonly BookEntry[],
  ): TierChain {
    const verdicts = new Map(tier.verdicts);
    for (const end of gone) verdicts.delete(end);
    for (const end of come) {
      const items = reaches.flatMap(
        ({ listed, otherwise }) => (listed.has(end) ? listed.get(end) : otherwise) ?? [],
      );
      const verdict = this.ports.verdictFor(items, isolation) ?? "return";
      if (verdict !== (tier.otherwise ?? "return")) verdicts.set(end, verdict);
    }
    return { ...tier, verdicts };
  }

  private compute(reaches: readonly RuleReach[], isolation: readonly BookEntry[], who: string): TierChain {
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
    const map = contentName("tier", `${reaches.map(({ key }) => key).join("\n")}\n${who}`);
    return { map, verdicts, otherwise };
  }
}

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
