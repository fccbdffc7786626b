import type { BookEntry } from "../ruleset/program.js";
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

/** Ends for whom the same rules do the same things: a path of what is not as for everybody else. */
interface Step {
  readonly items: readonly (Item | undefined)[];
  readonly next: Map<Item | undefined, Step>[];
}

export class TierChains {
  private found = new Map<string, TierChain>();
  private wanted = new Map<string, TierChain>();

  constructor(private readonly ports: PortChains) {}

  update(): void {
    this.found = this.wanted;
    this.wanted = new Map();
  }

  of(reaches: readonly RuleReach[], isolation: readonly BookEntry[]): TierChain {
    const who = isolation.map(({ id }) => id).join();
    const key = `${reaches.map(({ number }) => number).join()} ${who}`;
    const known = this.wanted.get(key) ?? this.found.get(key) ?? this.compute(reaches, isolation, who);
    this.wanted.set(key, known);
    return known;
  }

  private compute(reaches: readonly RuleReach[], isolation: readonly BookEntry[], who: string): TierChain {
    const verdictOf = ({ items }: Step) =>
      this.ports.verdictFor(
        items.filter((item) => item !== undefined),
        isolation,
      );
    const start = step(reaches.map(({ otherwise }) => otherwise));
    const otherwise = verdictOf(start);
    const verdictsOf = new Map<Step, string>();
    const verdicts = new Map<End, string>();
    for (const [end, last] of pathsOf(reaches, start)) {
      const verdict = verdictsOf.get(last) ?? verdictOf(last) ?? "return";
      verdictsOf.set(last, verdict);
      if (verdict !== (otherwise ?? "return")) verdicts.set(end, verdict);
    }
    const map = contentName("tier", `${reaches.map(({ key }) => key).join("\n")}\n${who}`);
    return { map, verdicts, otherwise };
  }
}

function pathsOf(reaches: readonly RuleReach[], start: Step): ReadonlyMap<End, Step> {
  const at = new Map<End, Step>();
  for (const [i, { listed }] of reaches.entries())
    for (const [end, item] of listed) {
      const from = at.get(end) ?? start;
      const known = (from.next[i] ??= new Map()).get(item);
      const to = known ?? step(from.items.with(i, item));
      from.next[i].set(item, to);
      at.set(end, to);
    }
  return at;
}

const step = (items: Step["items"]): Step => ({ items, next: [] });
