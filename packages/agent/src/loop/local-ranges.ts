import { type Cidr, parseCidr } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";

/** The ranges of a node's pods: the configured ones, otherwise those of the Node object. */
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
