import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluatedKinds } from "../../testing/arbitrary/arbitrary-policies.js";
import type { Manifest } from "../../testing/arbitrary/arbitrary-vocabulary.js";
import { anyScenario, stateIn, verdictsIn } from "../../testing/arbitrary/scenario.js";

type Json = Readonly<Record<string, unknown>>;

/** One copy of the object for each item of the list in this field; lists of none or one stay as they are. */
function splitBy(object: Json, field: string): readonly Json[] {
  const list = object[field];
  return Array.isArray(list) && list.length > 1
    ? list.map((item: unknown) => ({ ...object, [field]: [item] }))
    : [object];
}

const splitByAll = (object: Json, fields: readonly string[]): readonly Json[] =>
  fields.reduce<readonly Json[]>((parts, field) => parts.flatMap((part) => splitBy(part, field)), [object]);

/** KEP rules have their ports one level down. */
function splitRule(rule: Json): readonly Json[] {
  const parts = splitByAll(rule, ["from", "to", "ports", "protocols"]);
  return parts.flatMap((part) =>
    part.l4Selector === undefined
      ? [part]
      : splitBy(part.l4Selector as Json, "ports").map((l4Selector) => ({ ...part, l4Selector })),
  );
}

const peerFields = ["Endpoints", "CIDR", "CIDRSet", "Entities", "Services", "FQDNs", "Groups"].flatMap(
  (kind) => [`from${kind}`, `to${kind}`],
);

function splitItem(item: Json): readonly Json[] {
  return splitByAll(item, [...peerFields, "toPorts", "icmps"])
    .flatMap((part) => splitBelow(part, "toPorts", "ports"))
    .flatMap((part) => splitBelow(part, "icmps", "fields"));
}

/** `toPorts: [{ports: [a, b]}]` as two items; only if the outer list has one entry. */
function splitBelow(item: Json, outer: string, inner: string): readonly Json[] {
  const list = item[outer];
  if (!Array.isArray(list) || list.length !== 1) return [item];
  return splitBy(list[0] as Json, inner).map((entry) => ({ ...item, [outer]: [entry] }));
}

function splitSpec(spec: unknown, isCilium: boolean): Json {
  const split = isCilium ? splitItem : splitRule;
  return Object.fromEntries(
    Object.entries(spec as Json).map(([key, list]) =>
      /^(in|e)gress/.test(key) && Array.isArray(list)
        ? [key, list.flatMap((rule: Json) => split(rule))]
        : [key, list],
    ),
  );
}

function splitPolicy(policy: Manifest): Manifest {
  const isCilium = policy.kind.startsWith("Cilium");
  return {
    ...policy,
    ...(policy.spec === undefined ? {} : { spec: splitSpec(policy.spec, isCilium) }),
    ...(policy.specs === undefined ? {} : { specs: policy.specs.map((spec) => splitSpec(spec, isCilium)) }),
  };
}

const statements: Readonly<Record<(typeof evaluatedKinds)[number], string>> = {
  NetworkPolicy: "S2.2",
  "seed ClusterNetworkPolicy": "S3.1",
  "released ClusterNetworkPolicy": "S3.1",
  AdminNetworkPolicy: "S4.1",
  BaselineAdminNetworkPolicy: "S4.1",
  "KEP AdminNetworkPolicy": "S5.5",
  "first draft": "S6.3",
  "default policy": "S6.5",
  Cilium: "S7.3",
};

describe("splitting", () => {
  it.each(evaluatedKinds.map((kind) => [statements[kind], kind] as const))(
    "%s: a rule of a %s into one rule for each peer and port changes no verdict",
    (_statement, kind) => {
      const kinds = [kind, kind, "NetworkPolicy"] as const;
      fc.assert(
        fc.property(anyScenario({ kinds, minLength: 1, maxLength: 3 }), (scenario) => {
          const split = stateIn(scenario, scenario.policies.map(splitPolicy));
          expect(verdictsIn(split, scenario.questions)).toEqual(
            verdictsIn(stateIn(scenario), scenario.questions),
          );
        }),
        { numRuns: 30 },
      );
    },
  );
});
