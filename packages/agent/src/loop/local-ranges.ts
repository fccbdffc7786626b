import { type Cidr, parseCidr } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";

/** Where pods of a node get their addresses from: as configured, or else as the Node object says. */
export function localRanges(
  node: string,
  configured: readonly Cidr[],
  { podRanges }: Pick<State, "podRanges">,
): readonly Cidr[] {
  if (configured.length > 0) return configured;
  return (podRanges.get(node) ?? []).flatMap((text) => parseCidr(text) ?? []);
}

export function sameRanges(a: readonly Cidr[], b: readonly Cidr[]): boolean {
  return a.length === b.length && a.every((cidr, i) => sameRange(cidr, b[i]!));
}

const sameRange = (a: Cidr, b: Cidr): boolean =>
  a.family === b.family && a.first === b.first && a.prefix === b.prefix;
