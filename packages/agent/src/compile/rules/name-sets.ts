import type { DomainPattern, Peer } from "@tierwall/core/model";
import type { NamedSet } from "../../ruleset/ruleset.js";
import type { NameSet } from "../../ruleset/program.js";
import { contentName } from "../content-name.js";

export type DomainsPeer = Extract<Peer, { kind: "domains" }>;

/** The sets in the kernel for one list of domain names, which several rules can share. */
export type NameSets = Pick<NameSet, "patterns" | "fresh" | "kept">;

export function nameSetsOf({ patterns }: DomainsPeer): NameSets {
  const sorted = patterns.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  const name = (prefix: string) => contentName(prefix, sorted.map(textOf).join("\n"));
  return {
    patterns: sorted,
    fresh: { 4: name("fresh4"), 6: name("fresh6") },
    kept: { 4: name("kept4"), 6: name("kept6") },
  };
}

const textOf = ({ kind, text }: DomainPattern): string => `${kind} ${text}`;

/** Enough for all pods of a node with a hundred addresses each (S8.4). */
const size = 65535;

export function kernelSets({ fresh, kept }: NameSets): readonly (readonly [string, NamedSet])[] {
  return ([4, 6] as const).flatMap((family) => {
    const type = `ipv${family}_addr . ipv${family}_addr`;
    const set: NamedSet = { kind: "set", type, flags: ["timeout"], size, elements: "learned" };
    return [
      [fresh[family], set],
      [kept[family], set],
    ] as const;
  });
}
