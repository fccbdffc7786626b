import type { Peer } from "../../policy/model.js";
import type { AdminApi } from "./admin-api.js";
import { type Draft, type DraftRule, mapRules, type Sourced } from "./draft.js";

/**
 * One draft for each policy that is needed to keep within the limits of the API, in the order in which they are to be
 * evaluated. Many peers or ports make several rules, which mean the same; many rules make several policies.
 */
export function withinLimits(draft: Draft, { limit }: AdminApi): readonly Draft[] {
  const rules = mapRules(draft.rules, (rule) => splitRule(rule, limit));
  const count = Math.ceil(Math.max(rules.ingress.length, rules.egress.length) / limit.rules);
  if (count <= 1) return [{ ...draft, rules }];
  return Array.from({ length: count }, (_, i) => {
    const part = (list: readonly DraftRule[]) => list.slice(i * limit.rules, (i + 1) * limit.rules);
    return {
      ...draft,
      suffixes: [...draft.suffixes, `part-${i + 1}`],
      rules: { ingress: part(rules.ingress), egress: part(rules.egress) },
    };
  });
}

function splitRule(rule: DraftRule, limit: AdminApi["limit"]): readonly DraftRule[] {
  const peers = chunks(
    rule.peers.flatMap((peer) => splitPeer(peer, limit.entries)),
    limit.peers,
  );
  const ports = rule.ports === "every" ? [rule.ports] : chunks(rule.ports, limit.ports);
  const parts = peers.flatMap((some) => ports.map((of) => ({ ...rule, peers: some, ports: of })));
  if (parts.length === 1) return parts;
  return parts.map((part, i) => ({ ...part, name: rule.name && numberedName(rule.name, i + 1) }));
}

/** Several rules of one name stay apart in reports; names have at most 100 characters (S3.8). */
export const numberedName = (name: string, number: number): string => `${name.slice(0, 95)}-${number}`;

function splitPeer(peer: Sourced<Peer>, most: number): readonly Sourced<Peer>[] {
  const { what, from } = peer;
  if (what.kind === "networks")
    return chunks(distinct(what.cidrs), most).map((cidrs) => ({ what: { ...what, cidrs }, from }));
  if (what.kind === "domains")
    return chunks(distinct(what.patterns), most).map((patterns) => ({ what: { ...what, patterns }, from }));
  return [peer];
}

/** S3.8: a list has no duplicates. */
function distinct<T extends object>(list: readonly T[]): readonly T[] {
  const keyOf = (item: T) => Object.values(item).map(String).join();
  return [...new Map(list.map((item) => [keyOf(item), item])).values()];
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) =>
    list.slice(i * size, (i + 1) * size),
  );
}
