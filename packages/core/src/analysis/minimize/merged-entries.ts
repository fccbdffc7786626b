import { isObject, type Json, type JsonObject } from "../../manifest/document.js";
import { type Cidr, covers, formatCidr, parseCidr } from "../../net/cidr.js";
import { contentKey } from "./shape.js";

/*
 * The same peers and ports in fewer entries: equal ones once, adjacent and overlapping ranges of ports as one, CIDRs that are halves of
 * another as that one. Lists that cannot be shorter stay as they are.
 */

export function mergedPorts(items: readonly Json[]): readonly Json[] {
  const ranges = items.map((item) => rangeOf(item));
  const merged: WrittenRange[] = [];
  for (const range of ranges.filter((one) => one !== undefined).toSorted((a, b) => a.first - b.first)) {
    const at = merged.findIndex(
      (one) => one.form === range.form && one.protocol === range.protocol && one.last + 1 >= range.first,
    );
    const known = merged[at];
    if (known === undefined) merged.push(range);
    else if (range.last > known.last)
      merged[at] = range.first === known.first ? range : { ...known, last: range.last, item: undefined };
  }
  const others = unique(items.filter((_, i) => ranges[i] === undefined));
  const result = [...merged.map((range) => range.item ?? written(range)), ...others];
  return result.length < items.length ? result : items;
}

interface WrittenRange {
  readonly form: Form;
  readonly protocol: string;
  readonly first: number;
  readonly last: number;
  /** Whether the protocol is written. */
  readonly named: boolean;
  /** As it is written, if it is written as one. */
  readonly item: Json | undefined;
}

/** S2.4, S5.5: a port of NetworkPolicy and others; S7.6: of Cilium; S3.1: as in NPEP-285; as released. */
type Form = "number" | "text" | "admin" | "released";

function rangeOf(item: Json): WrittenRange | undefined {
  if (!isObject(item)) return undefined;
  const made = (form: Form, protocol: Json | undefined, first: Json | undefined, last: Json | undefined) => {
    const known = protocol ?? (form === "text" ? "ANY" : "TCP");
    if (typeof known !== "string" || typeof first !== "number" || typeof last !== "number") return undefined;
    return { form, protocol: known, first, last, named: protocol !== undefined, item };
  };
  const { portNumber, portRange, port, endPort, protocol } = item;
  if (isObject(portNumber)) return made("admin", portNumber.protocol, portNumber.port, portNumber.port);
  if (isObject(portRange)) return made("admin", portRange.protocol, portRange.start, portRange.end);
  for (const name of ["tcp", "udp", "sctp"]) {
    const transport = item[name];
    const destination = isObject(transport) ? transport.destinationPort : undefined;
    if (!isObject(destination)) continue;
    const { number, range } = destination;
    return isObject(range)
      ? made("released", name, range.start, range.end)
      : made("released", name, number, number);
  }
  if (typeof port === "number") return made("number", protocol, port, endPort ?? port);
  // S7.6, S7.11: port 0 is every port, and an end that is not larger is ignored.
  if (typeof port !== "string" || !/^[1-9]\d*$/.test(port)) return undefined;
  const first = Number(port);
  return made("text", protocol, first, typeof endPort === "number" && endPort > first ? endPort : first);
}

function written({ form, protocol, first, last, named: isNamed }: WrittenRange): Json {
  const named = isNamed ? { protocol } : {};
  switch (form) {
    case "number":
      return { ...named, port: first, endPort: last };
    case "text":
      return { ...named, port: String(first), endPort: last };
    case "admin":
      return { portRange: { ...named, start: first, end: last } };
    case "released":
      return { [protocol]: { destinationPort: { range: { start: first, end: last } } } };
  }
}

/** Equal for lists that mean the same: in another order, or with a default protocol that only one of them writes. */
export const entriesKey = (items: readonly Json[]): string =>
  items
    .map((item) => {
      const range = rangeOf(item);
      if (range === undefined) return contentKey(item);
      const { form, protocol, first, last } = range;
      return contentKey([form, protocol, first, last]);
    })
    .toSorted()
    .join();

/** Peers of a rule: its CIDRs together, everything else once. */
export function mergedPeers(items: readonly Json[]): readonly Json[] {
  const blocks = items.map((item) => blockOf(item));
  const cidrs = mergedCidrs(blocks.flatMap((block) => block ?? []));
  const lists = ["networks", "domainNames"].flatMap((field) => {
    const own = items.flatMap((item) => listOf(item, field) ?? []);
    return own.length === 0 ? [] : [{ [field]: field === "networks" ? mergedCidrs(own) : unique(own) }];
  });
  const isOther = (item: Json, i: number) =>
    blocks[i] === undefined &&
    listOf(item, "networks") === undefined &&
    listOf(item, "domainNames") === undefined;
  const result = [
    ...unique(items.filter(isOther)),
    ...cidrs.map((cidr) => ({ ipBlock: { cidr } })),
    ...lists,
  ];
  return entryCount(result) < entryCount(items) ? result : items;
}

/** What people count: the networks of a peer are entries too. */
const entryCount = (items: readonly Json[]): number =>
  items.reduce<number>((sum, item) => sum + 1 + (listOf(item, "networks")?.length ?? 0), 0);

/** The CIDR of an ipBlock that has nothing else. */
function blockOf(item: Json): string | undefined {
  const block = isObject(item) ? item.ipBlock : undefined;
  if (!isObject(block) || typeof block.cidr !== "string") return undefined;
  const { cidr, except } = block;
  return except === undefined || (Array.isArray(except) && except.length === 0) ? cidr : undefined;
}

function listOf(item: Json, field: string): readonly string[] | undefined {
  const list = isObject(item) ? item[field] : undefined;
  return Array.isArray(list) ? (list as readonly string[]) : undefined;
}

export function mergedCidrs(texts: readonly string[]): readonly string[] {
  const parsed = texts.map((text) => parseCidr(text));
  // A single address of Cilium's is not a CIDR.
  if (parsed.includes(undefined)) return unique(texts) as readonly string[];
  const known = new Map(parsed.map((cidr, i) => [formatCidr(cidr!), texts[i]!]));
  let left = [...known.keys()].map((text) => parseCidr(text)!);
  for (let before = Infinity; left.length < before; ) {
    before = left.length;
    left = left.filter((cidr) => !left.some((other) => other !== cidr && covers(other, cidr)));
    left = joinedHalves(left);
  }
  const result = left.map((cidr) => known.get(formatCidr(cidr)) ?? formatCidr(cidr));
  return result.length < texts.length ? result : texts;
}

function joinedHalves(cidrs: readonly Cidr[]): Cidr[] {
  const around = (cidr: Cidr) => parseCidr(`${formatCidr(cidr).split("/")[0]!}/${cidr.prefix - 1}`)!;
  const halves = new Map<string, Cidr[]>();
  for (const cidr of cidrs) {
    const key = cidr.prefix === 0 ? formatCidr(cidr) : `in ${formatCidr(around(cidr))}`;
    halves.set(key, [...(halves.get(key) ?? []), cidr]);
  }
  return [...halves.values()].flatMap((both) => (both.length === 2 ? [around(both[0]!)] : both));
}

/** S7.3: ports of Cilium's entries without anything else, as one entry. */
export function mergedPortRules(items: readonly Json[]): readonly Json[] {
  const isPlain = (item: Json): item is JsonObject =>
    isObject(item) && Object.keys(item).join() === "ports" && Array.isArray(item.ports);
  const ports = items.filter(isPlain).flatMap((item) => item.ports as readonly Json[]);
  const merged = mergedPorts(ports);
  if (items.filter(isPlain).length < 2 && merged.length === ports.length) return items;
  return [{ ports: merged }, ...items.filter((item) => !isPlain(item))];
}

export const unique = (items: readonly Json[]): readonly Json[] => [
  ...new Map(items.map((item) => [contentKey(item), item])).values(),
];
