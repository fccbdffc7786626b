import type { Manifest } from "../arbitrary/arbitrary-vocabulary.js";

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

/** `toPorts: [{ports: [a, b]}]` as two items; only where the outer list holds one entry. */
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

/** One rule for each peer and port: S2.2, S3.1, S4.1, S5.5, S6.3, S6.5, S7.3. */
export function splitPolicy(policy: Manifest): Manifest {
  const isCilium = policy.kind.startsWith("Cilium");
  return {
    ...policy,
    ...(policy.spec === undefined ? {} : { spec: splitSpec(policy.spec, isCilium) }),
    ...(policy.specs === undefined ? {} : { specs: policy.specs.map((spec) => splitSpec(spec, isCilium)) }),
  };
}
