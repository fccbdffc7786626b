import type { Chain, NamedSet } from "../ruleset/ruleset.js";
import { contentName } from "./content-name.js";

interface Stored {
  readonly text: string;
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
  private readonly names = new Map<string, string>();
  /** The verdicts of a map, each once: maps are large, and stay as they are for long. */
  private readonly targets = new WeakMap<NamedSet, readonly string[]>();

  /** The name of the chain with these rules. */
  add(prefix: string, rules: readonly string[]): string {
    const text = `${prefix}\n${rules.join("\n")}`;
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const name = contentName(prefix, text);
    this.names.set(text, name);
    this.stored.set(name, {
      text,
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
      for (const target of this.targetsOf(map)) visit(target);
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
    if (this.stored.size > 2 * chains.size + 1000) this.forgetAllBut(chains);
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

  private forgetAllBut(chains: ReadonlyMap<string, Chain>): void {
    for (const [name, { text }] of this.stored)
      if (!chains.has(name)) {
        this.stored.delete(name);
        this.names.delete(text);
      }
  }
}

/** Where a rule or a verdict leads: the chain behind `goto` or `jump`. */
function targetOf(text: string): string | undefined {
  return /\b(?:goto|jump) (\S+)$/.exec(text)?.[1];
}
