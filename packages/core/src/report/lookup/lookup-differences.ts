import type { EndpointRules, TierRules } from "../../analysis/lookup/lookup.js";
import type { DeciderEffect } from "../../engine/index.js";
import { formatRule } from "../../policy/describe.js";
import type { Direction, Rule } from "../../policy/model.js";
import { isolatorText } from "../explanation/rule-text.js";

const directions = ["ingress", "egress"] as const;

/** How some pods of a workload differ from others, one line per difference: isolation first, then rules. */
export function differencesFrom(first: EndpointRules, other: EndpointRules): readonly string[] {
  const isolation = directions.flatMap((direction) => {
    const text = isolationText(other, direction);
    return text === isolationText(first, direction) ? [] : [text];
  });
  const ownRules = ({ asSubject }: EndpointRules) =>
    directions.flatMap((side) => asSubject?.[side].tiers ?? []);
  const otherRules = ({ asPeer }: EndpointRules) => directions.flatMap((side) => asPeer[side]);
  return [
    ...isolation,
    ...changedEffects(ownRules(first), ownRules(other), "does not apply"),
    ...changedEffects(otherRules(first), otherRules(other), "does not mention it"),
  ];
}

function isolationText({ asSubject }: EndpointRules, direction: Direction): string {
  const by = (asSubject?.[direction].tiers ?? []).flatMap(({ isolation }) => isolation?.by ?? []);
  const isolators = by.map(({ origin }) => isolatorText(origin)).join(", ");
  return `${direction}: ${by.length === 0 ? "not isolated" : `isolated by ${isolators}`}`;
}

const effectWords = { decides: "decides", "may-decide": "may decide", never: "never decides" } as const;

function changedEffects(
  first: readonly TierRules[],
  other: readonly TierRules[],
  absent: string,
): readonly string[] {
  const [before, now] = [effectsIn(first), effectsIn(other)];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((rule) => {
    const effect = now.get(rule);
    if (effect === before.get(rule)) return [];
    return [`${formatRule(rule.origin)}: ${effect === undefined ? absent : effectWords[effect]}`];
  });
}

const effectsIn = (tiers: readonly TierRules[]): ReadonlyMap<Rule, DeciderEffect["kind"]> =>
  new Map(tiers.flatMap(({ rules }) => rules.map(({ rule, effect }) => [rule, effect.kind] as const)));
