import type { Chain, NamedSet } from "../../ruleset/ruleset.js";
import { contentName } from "../content-name.js";

interface Stored {
  readonly chain: Chain;
  /** The chains that its rules lead to, and the maps that they look up. */
  readonly chains: readonly string[];
  readonly maps: readonly string[];
}

/** Everything that packets can reach. */
export interface Reached {
  readonly chains: ReadonlyMap<string, Chain>;
  readonly maps: ReadonlyMap<string, NamedSet>;
}

/**
 * Chains by their contents. A chain never changes: other rules give another chain, so the chains that a packet passes stay the
 * same during its evaluation.
 */
export class ChainStore {
  private readonly stored = new Map<string, Stored>();
  private readonly names = new Map<string, string>();
  /** The distinct targets of the verdicts of a map, cached: maps are large and change rarely. */
  private readonly targets = new WeakMap<NamedSet, readonly string[]>();

  /** The name of the chain with these rules. */
  add(prefix: string, rules: readonly string[]): string {
    const text = `${prefix}\n${rules.join("\n")}`;
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const name = contentName(prefix, text);
    this.names.set(text, name);
    this.stored.set(name, {
      chain: { rules },
      chains: rules.flatMap((rule) => targetOf(rule) ?? []),
      maps: rules.flatMap((rule) => /\bvmap @(\S+)$/.exec(rule)?.[1] ?? []),
    });
    return name;
  }

  /** Follows all rules and maps. */
  reachedFrom(starts: Iterable<NamedSet>, mapNamed: (name: string) => NamedSet | undefined): Reached {
    const chains = new Map<string, Chain>();
    const maps = new Map<string, NamedSet>();
    const waiting: string[] = [];
    const visit = (name: string | undefined) => {
      const found = name === undefined || chains.has(name) ? undefined : this.stored.get(name);
      if (name === undefined || found === undefined) return;
      chains.set(name, found.chain);
      waiting.push(name);
    };
    const visitMap = (map: NamedSet) => {
      for (const target of this.targetsOf(map)) visit(target);
    };
    for (const start of starts) visitMap(start);
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const found = this.stored.get(name)!;
      for (const next of found.chains) visit(next);
      for (const mapName of found.maps) {
        const map = maps.has(mapName) ? undefined : mapNamed(mapName);
        if (map === undefined) continue;
        maps.set(mapName, map);
        visitMap(map);
      }
    }
    return { chains, maps };
  }

  private targetsOf(map: NamedSet): readonly string[] {
    const known = this.targets.get(map);
    if (known !== undefined) return known;
    const verdicts = map.elements === "learned" ? [] : map.elements.values();
    const found = [...new Set(verdicts)].flatMap((verdict) => targetOf(verdict) ?? []);
    this.targets.set(map, found);
    return found;
  }
}

/** Where a rule or a verdict leads: the chain after `goto` or `jump`. */
function targetOf(text: string): string | undefined {
  return /\b(?:goto|jump) (\S+)$/.exec(text)?.[1];
}
