import type { EndRules, TierRules } from "../analysis/lookup/lookup.js";
import type { Fate } from "../engine/fates.js";
import { formatRule } from "../policy/describe.js";
import type { Direction, Rule } from "../policy/model.js";
import { isolatorText } from "./rule-text.js";

const directions = ["ingress", "egress"] as const;

/** What is otherwise for some pods of a workload than for others, a line each: who isolates, then rules. */
export function differencesFrom(first: EndRules, other: EndRules): readonly string[] {
  const isolation = directions.flatMap((direction) => {
    const text = isolationText(other, direction);
    return text === isolationText(first, direction) ? [] : [text];
  });
  const ownRules = ({ asSubject }: EndRules) => directions.flatMap((side) => asSubject?.[side].tiers ?? []);
  const otherRules = ({ asPeer }: EndRules) => directions.flatMap((side) => asPeer[side]);
  return [
    ...isolation,
    ...changedFates(ownRules(first), ownRules(other), "does not apply"),
    ...changedFates(otherRules(first), otherRules(other), "does not mention it"),
  ];
}

function isolationText({ asSubject }: EndRules, direction: Direction): string {
  const by = (asSubject?.[direction].tiers ?? []).flatMap(({ isolation }) => isolation?.by ?? []);
  const whom = by.map(({ origin }) => isolatorText(origin)).join(", ");
  return `${direction}: ${by.length === 0 ? "not isolated" : `isolated by ${whom}`}`;
}

const fateWords = { decides: "decides", "may-decide": "may decide", never: "never decides" } as const;

function changedFates(
  first: readonly TierRules[],
  other: readonly TierRules[],
  absent: string,
): readonly string[] {
  const [before, now] = [fatesIn(first), fatesIn(other)];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((rule) => {
    const fate = now.get(rule);
    if (fate === before.get(rule)) return [];
    return [`${formatRule(rule.origin)}: ${fate === undefined ? absent : fateWords[fate]}`];
  });
}

const fatesIn = (tiers: readonly TierRules[]): ReadonlyMap<Rule, Fate["kind"]> =>
  new Map(tiers.flatMap(({ rules }) => rules.map(({ rule, fate }) => [rule, fate.kind] as const)));
