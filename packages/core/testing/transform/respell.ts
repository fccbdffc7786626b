import { formatCidr, parseCidr } from "../../src/net/cidr.js";
import { bitsOf } from "../../src/net/address.js";
import { isObject } from "../../src/manifest/document.js";
import type { Manifest } from "../arbitrary/arbitrary-vocabulary.js";

type Json = Readonly<Record<string, unknown>>;

/** The same Cilium policy with some of its peers and ports written in another way: it matches the same connections. */
export function respellPolicy(policy: Manifest, roll: () => number): Manifest {
  if (!policy.kind.startsWith("Cilium")) return policy;
  const respelled = (spec: unknown) => (isObject(spec) ? respellSpec(spec, roll) : spec);
  return {
    ...policy,
    ...(policy.spec === undefined ? {} : { spec: respelled(policy.spec) }),
    ...(policy.specs === undefined ? {} : { specs: policy.specs.map(respelled) }),
  };
}

const respellSpec = (spec: Json, roll: () => number): Json =>
  Object.fromEntries(
    Object.entries(spec).map(([key, value]) =>
      /^(in|e)gress/.test(key) && Array.isArray(value)
        ? [key, value.map((item: Json) => respellItem(item, roll))]
        : [key, value],
    ),
  );

function respellItem(item: Json, roll: () => number): Json {
  const perhaps = <T>(one: T, other: (value: T) => readonly T[]): readonly T[] =>
    roll() % 2 === 0 ? other(one) : [one];
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => {
      if (!Array.isArray(value)) return [key, value];
      if (/^(from|to)CIDR$/.test(key)) return [key, value.flatMap((text: string) => perhaps(text, halves))];
      if (/^(from|to)Entities$/.test(key))
        return [key, value.flatMap((name: string) => perhaps(name, entities))];
      if (/^(from|to)Endpoints$/.test(key))
        return [key, value.flatMap((selector: Json) => perhaps(selector, repeated))];
      return key === "toPorts"
        ? [key, value.map((entry: Json) => ({ ...entry, ...portsOf(entry, perhaps) }))]
        : [key, value];
    }),
  );
}

function halves(text: string): readonly string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined || cidr.prefix === bitsOf(cidr.family)) return [text];
  const prefix = cidr.prefix + 1;
  const second = cidr.first + (1n << BigInt(bitsOf(cidr.family) - prefix));
  return [cidr.first, second].map((first) => formatCidr({ ...cidr, first, prefix }));
}

const entities = (name: string): readonly string[] => (name === "all" ? ["cluster", "world"] : [name]);

/** With a requirement that follows from one that it has, or from nothing. */
function repeated(selector: Json): readonly Json[] {
  const expressions = (selector.matchExpressions ?? []) as readonly Json[];
  const [label] = Object.entries((selector.matchLabels ?? {}) as Json);
  const added = label === undefined ? expressions : [{ key: label[0], operator: "In", values: [label[1]] }];
  return [{ ...selector, ...(added.length === 0 ? {} : { matchExpressions: [...expressions, ...added] }) }];
}

function portsOf(
  { ports }: Json,
  perhaps: (port: Json, other: (value: Json) => readonly Json[]) => readonly Json[],
): Json {
  if (!Array.isArray(ports)) return {};
  const each = (port: Json): readonly Json[] =>
    port.protocol === undefined && typeof port.port === "string" && /^[a-z]/i.test(port.port)
      ? ["TCP", "UDP", "SCTP"].map((protocol) => ({ ...port, protocol }))
      : [port];
  return { ports: (ports as readonly Json[]).flatMap((port) => perhaps(port, each)) };
}
