import type {
  EndpointRules,
  Lookup,
  RuleEffect,
  SubjectWalk,
  TierRules,
} from "../../analysis/lookup/lookup.js";
import type { DeciderEffect } from "../../engine/index.js";
import type { Direction } from "../../policy/model.js";
import {
  apiVersion,
  deciderJson,
  endpointJson,
  type JsonFields,
  type JsonValue,
  isolatorJson,
  ruleJson,
} from "../explanation/explanation-json.js";
import { ruleContentJson } from "../rule-json.js";

/** The stable JSON of a lookup. Fields are only ever added within a version. */
export function lookupJson({ label, answers }: Lookup): JsonValue {
  return { apiVersion, kind: "Lookup", of: label, answers: answers.map(answerJson) };
}

function answerJson({ ends, asSubject, asPeer }: EndpointRules): JsonValue {
  return {
    ends: ends.map(endpointJson),
    asSubject: asSubject && {
      ingress: walkJson("ingress", asSubject.ingress),
      egress: walkJson("egress", asSubject.egress),
    },
    asPeer: {
      ingress: { rules: asPeer.ingress.flatMap((tier) => rulesJson("ingress", tier)) },
      egress: { rules: asPeer.egress.flatMap((tier) => rulesJson("egress", tier)) },
    },
  };
}

function walkJson(direction: Direction, { tiers, rest }: SubjectWalk): JsonValue {
  const isolation = tiers.flatMap(({ tier, isolation: found }) =>
    found === undefined
      ? []
      : [{ tier, by: found.by.map(isolatorJson), ...effectJson(direction, found.effect) }],
  );
  return {
    isolated: isolation.length > 0,
    isolation,
    rules: tiers.flatMap((tier) => rulesJson(direction, tier)),
    default: effectJson(direction, rest),
  };
}

/** In evaluation order. */
function rulesJson(direction: Direction, { tier, rules }: TierRules): readonly JsonValue[] {
  return rules.map(({ rule, effect }: RuleEffect) => ({
    ...ruleJson(rule, tier),
    priority: rule.origin.policy.priority,
    ...ruleContentJson(rule),
    ...effectJson(direction, effect),
  }));
}

function effectJson(direction: Direction, effect: DeciderEffect): JsonFields {
  if (effect.kind !== "never") return { decides: effect.kind === "decides" ? "yes" : "maybe" };
  return { decides: "never", takenBy: effect.takenBy.map((by) => deciderJson(direction, { by })) };
}
