import type { State } from "../state/state.js";
import type { Direction, Tier } from "../policy/model.js";
import {
  apiVersion,
  isolatorJson,
  type JsonFields,
  type JsonValue,
  policyJson,
  ruleJson,
} from "./explanation/explanation-json.js";
import { ruleContentJson } from "./rule-json.js";

/** The stable JSON of all policies: one by one, and their rules in evaluation order. Fields are only ever added. */
export function policiesJson({ policies, tiers }: Pick<State, "policies" | "tiers">): JsonFields {
  return {
    apiVersion,
    kind: "PolicyList",
    policies: policies.map((policy) => ({ ...policyJson(policy), priority: policy.priority })),
    tiers: {
      ingress: tiers.ingress.map((tier) => tierJson("ingress", tier)),
      egress: tiers.egress.map((tier) => tierJson("egress", tier)),
    },
  };
}

function tierJson(direction: Direction, { name, rules, isolation }: Tier): JsonValue {
  return {
    tier: name,
    direction,
    rules: rules.map((rule) => ({
      ...ruleJson(rule, name),
      priority: rule.origin.policy.priority,
      ...ruleContentJson(rule),
    })),
    isolatedBy: isolation.map(isolatorJson),
  };
}
