import type { Ambiguity, Overruling } from "../../analysis/preview/precedence.js";
import type { Preview } from "../../analysis/preview/preview.js";
import type { Lockout } from "../../analysis/preview/lockouts.js";
import { changesFields, saidJson } from "../changes/changes-json.js";
import {
  apiVersion,
  flowJson,
  isolatorJson,
  type JsonFields,
  type JsonValue,
  policyJson,
  ruleJson,
} from "../explanation/explanation-json.js";
import { portGroupJson } from "../port-groups-text.js";

export function previewJson(preview: Preview): JsonFields {
  const { edits, changes, overrides, overriddenBy, ambiguous, lockouts, isolated, cutOff } = preview;
  return {
    apiVersion,
    kind: "Preview",
    edits: edits.map(({ what, object, policy }) => ({ what, object, policy: policy && policyJson(policy) })),
    ...changesFields(changes),
    overrides: overrides.map(overrulingJson),
    overriddenBy: overriddenBy.map(overrulingJson),
    ambiguous: ambiguous.map(ambiguityJson),
    lockouts: lockouts.found.map(lockoutJson),
    unchecked: lockouts.unchecked,
    newlyIsolated: isolated.map(({ direction, tier, by, parties, pods }) => ({
      direction,
      tier,
      parties: parties.map((party) => ({ ...party })),
      pods,
      by: by.map(isolatorJson),
    })),
    cutOff: cutOff.map((found) => ({ ...found })),
  };
}

const overrulingJson = ({ policy, rule, tier, example, ...rest }: Overruling): JsonValue => ({
  policy: policyJson(policy),
  direction: rest.direction,
  intent: rest.intent,
  rule: ruleJson(rule, tier),
  connections: rest.connections,
  external: rest.external,
  example: flowJson(example),
});

const ambiguityJson = (found: Ambiguity): JsonValue => ({
  ...found,
  first: policyJson(found.first),
  second: policyJson(found.second),
  example: flowJson(found.example),
});

function lockoutJson({ from, after, parties, connections, ports, decided, example }: Lockout): JsonValue {
  return {
    from,
    after,
    parties: parties.map((party) => ({ ...party })),
    connections,
    ports: ports.map(portGroupJson),
    decidedAfter: Object.fromEntries(
      decided.map(({ direction, said }): [string, JsonValue] => [direction, saidJson(direction, said)]),
    ),
    example: flowJson(example),
  };
}
