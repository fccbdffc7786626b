import type { Chain, NamedSet } from "../ruleset/ruleset.js";
import { contentName } from "./content-name.js";

interface Stored {
  readonly chain: Chain;
  /** Chains that its rules go on to, and maps that they look up. */
  readonly chains: readonly string[];
  readonly maps: readonly string[];
}

/**
 * Chains by what they hold. A chain never changes: other rules make another chain, so that what a packet walks through
 * stays as it was when it began.
 */
export class ChainStore {
  private readonly stored = new Map<string, Stored>();

  /** The name of the chain with these rules. */
  add(prefix: string, rules: readonly string[]): string {
    const name = contentName(prefix, rules.join("\n"));
    if (!this.stored.has(name))
      this.stored.set(name, {
        chain: { rules },
        chains: rules.flatMap((rule) => targetOf(rule) ?? []),
        maps: rules.flatMap((rule) => /\bvmap @(\S+)$/.exec(rule)?.[1] ?? []),
      });
    return name;
  }

  /** What is reached from the verdicts of the first maps; everything else is forgotten once it is too much. */
  reachedFrom(
    first: readonly NamedSet[],
    mapNamed: (name: string) => NamedSet | undefined,
  ): { readonly chains: ReadonlyMap<string, Chain>; readonly maps: ReadonlyMap<string, NamedSet> } {
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
      if (map.elements !== "learned")
        for (const verdict of new Set(map.elements.values())) visit(targetOf(verdict));
    };
    for (const map of first) visitMap(map);
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
    if (this.stored.size > 2 * chains.size + 1000)
      for (const name of this.stored.keys()) if (!chains.has(name)) this.stored.delete(name);
    return { chains, maps };
  }
}

/** Where a rule or a verdict leads: the chain behind `goto` or `jump`. */
function targetOf(text: string): string | undefined {
  return /\b(?:goto|jump) (\S+)$/.exec(text)?.[1];
}
