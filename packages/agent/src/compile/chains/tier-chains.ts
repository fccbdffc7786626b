import { editedMap, getOrInsert } from "@tierwall/core/state";
import type { BookEntry } from "../../ruleset/program.js";
import { contentName } from "../content-name.js";
import type { End } from "../endpoints/end-store.js";
import type { PortChains } from "./port-chains.js";
import type { Item, RuleReach } from "../rules/rule-reach.js";
import type { Ending } from "./terminals.js";

/** A tier for some pods of this node. */
export interface TierChain {
  /** The name of the map from identities to verdicts. It depends on the rules only, not on the ends. */
  readonly map: string;
  readonly verdicts: ReadonlyMap<End, string>;
  /** For all other ends; undefined: the tier does not decide. */
  readonly otherwise: string | undefined;
  /** The version it was made from, and the ends whose verdict may differ. Weak, so that earlier versions can be freed. */
  readonly grown?: { readonly from: WeakRef<TierChain>; readonly changed: ReadonlySet<End> };
}

/** A tier of rules, and its chain for the current ends. */
export interface Tier {
  readonly reaches: readonly RuleReach[];
  readonly isolation: readonly BookEntry[];
  readonly ending: Ending | undefined;
  readonly chain: TierChain;
}

/** Ends that the rules treat alike: a path of the rules that treat them differently from all other ends. */
interface Step {
  readonly before: Step | undefined;
  /** The rule that treats them differently, and what it does instead. */
  readonly index: number;
  readonly item: Item | undefined;
  readonly next: Map<Item | number, Step>;
}

export class TierChains {
  private readonly found = new Map<string, Tier & { chain: TierChain }>();

  constructor(private readonly ports: PortChains) {}

  /** `ending`: where an Allow leads, if not to the default. */
  of(reaches: readonly RuleReach[], isolation: readonly BookEntry[], ending?: Ending): Tier {
    const key = keyOf(reaches, isolation, ending);
    const known = this.found.get(key);
    if (known !== undefined) return known;
    const made = { reaches, isolation, ending, chain: this.compute(reaches, isolation, ending) };
    this.found.set(key, made);
    return made;
  }

  /** Updates these for the ends that were added or removed, and forgets all others. */
  grow(inUse: ReadonlySet<Tier>): void {
    for (const [key, tier] of this.found)
      if (inUse.has(tier)) tier.chain = this.grown(tier);
      else this.found.delete(key);
  }

  private grown({ chain, reaches, isolation, ending }: Tier): TierChain {
    if (reaches.every(({ changed }) => changed.length === 0)) return chain;
    const changed = new Set(reaches.flatMap((reach) => reach.changed));
    const changes = new Map<End, string | undefined>();
    for (const end of changed) if (chain.verdicts.has(end)) changes.set(end, undefined);
    for (const [end, verdict] of this.exceptions(reaches, isolation, ending, reaches.map(comeTo)))
      changes.set(end, verdict);
    const verdicts = changes.size === 0 ? chain.verdicts : editedMap(chain.verdicts, changes);
    return { ...chain, verdicts, grown: { from: new WeakRef(chain), changed } };
  }

  private compute(
    reaches: readonly RuleReach[],
    isolation: readonly BookEntry[],
    ending: Ending | undefined,
  ): TierChain {
    const all = reaches.map(({ listed }) => listed);
    const content = [
      ...reaches.map(({ key }) => key),
      idsOf(isolation),
      ...(ending === undefined ? [] : [ending]),
    ];
    return {
      map: contentName("tier", content.join("\n")),
      verdicts: new Map(this.exceptions(reaches, isolation, ending, all)),
      otherwise: this.verdictOf(usualIn(reaches), isolation, ending),
    };
  }

  /** The ends in the lists, one per rule, whose verdict is not the default. */
  private *exceptions(
    reaches: readonly RuleReach[],
    isolation: readonly BookEntry[],
    ending: Ending | undefined,
    lists: readonly List[],
  ): Iterable<[End, string]> {
    const usual = usualIn(reaches);
    const otherwise = this.verdictOf(usual, isolation, ending) ?? "return";
    const verdictsOf = new Map<Step, string>();
    for (const [end, last] of pathsOf(lists)) {
      const verdict = getOrInsert(
        verdictsOf,
        last,
        () => this.verdictOf(itemsAt(last, usual), isolation, ending) ?? "return",
      );
      if (verdict !== otherwise) yield [end, verdict];
    }
  }

  private verdictOf(
    items: readonly (Item | undefined)[],
    isolation: readonly BookEntry[],
    ending: Ending | undefined,
  ): string | undefined {
    return this.ports.verdictFor(
      items.filter((item) => item !== undefined),
      isolation,
      ending,
    );
  }
}

/** What a rule does for some ends. */
type List = Iterable<readonly [End, Item | undefined]>;

const comeTo = ({ changed, listed }: RuleReach): List =>
  changed.filter((end) => listed.has(end)).map((end) => [end, listed.get(end)] as const);

const usualIn = (reaches: readonly RuleReach[]): readonly (Item | undefined)[] =>
  reaches.map(({ otherwise }) => otherwise);

const idsOf = (isolation: readonly BookEntry[]): string => isolation.map(({ id }) => id).join();

const keyOf = (
  reaches: readonly RuleReach[],
  isolation: readonly BookEntry[],
  ending: Ending | undefined,
): string => `${reaches.map(({ number }) => number).join()} ${idsOf(isolation)} ${ending ?? ""}`;

function pathsOf(lists: readonly List[]): ReadonlyMap<End, Step> {
  const start: Step = { before: undefined, index: -1, item: undefined, next: new Map() };
  const at = new Map<End, Step>();
  for (const [index, list] of lists.entries())
    for (const [end, item] of list) {
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
