import type { Path } from "../../diagnostics/place.js";
import { isObject, type Json, type JsonObject } from "../../manifest/document.js";
import type { DialectId } from "../../policy/model.js";

/** How the policies of an API are written, as far as rules can be merged. */
export interface Shape {
  /** Where the lists of rules are. */
  readonly lists: (value: JsonObject) => readonly Path[];
  /**
   * Which rules of a list can change places: `in runs`, those between which all have the same action; `by action`, all that have the same one; `any`,
   * if a list has one action.
   */
  readonly exchange: "in runs" | "by action" | "any";
  /** Parts of a rule that are lists of alternatives: rules that differ in one of them can be one rule. */
  readonly alternatives: readonly Path[];
}

const sections: Shape["lists"] = () => [
  ["spec", "ingress"],
  ["spec", "egress"],
];

const ciliumSections = ["ingress", "egress", "ingressDeny", "egressDeny"] as const;

/** S7.1: `spec`, and each of `specs`. */
const ciliumLists: Shape["lists"] = ({ spec, specs }) => [
  ...(isObject(spec) ? ciliumSections.map((section) => ["spec", section]) : []),
  ...(Array.isArray(specs)
    ? specs.flatMap((_, i) => ciliumSections.map((section) => ["specs", i, section]))
    : []),
];

const peers: readonly Path[] = [["from"], ["to"]];

const ciliumPeers = [
  "fromEndpoints",
  "fromCIDR",
  "fromCIDRSet",
  "fromEntities",
  "toEndpoints",
  "toCIDR",
  "toCIDRSet",
  "toEntities",
  "toFQDNs",
];

/** S1.12, S6.1, S7.1: what the order of rules means in each API. */
const shapes: Readonly<Record<Exclude<DialectId, "foreign">, Shape>> = {
  "network-policy": { lists: sections, exchange: "any", alternatives: [...peers, ["ports"]] },
  "cluster-network-policy": {
    lists: sections,
    exchange: "in runs",
    alternatives: [...peers, ["ports"], ["protocols"]],
  },
  "admin-network-policy": { lists: sections, exchange: "in runs", alternatives: [...peers, ["ports"]] },
  "kep-2091": { lists: sections, exchange: "in runs", alternatives: [...peers, ["l4Selector", "ports"]] },
  "first-draft": { lists: sections, exchange: "by action", alternatives: [...peers, ["ports"]] },
  cilium: {
    lists: ciliumLists,
    exchange: "any",
    alternatives: [...ciliumPeers.map((field) => [field]), ["toPorts"]],
  },
};

/** Foreign objects are never policies of a state (S9.7). */
export const shapeOf = (dialect: DialectId): Shape =>
  shapes[dialect === "foreign" ? "network-policy" : dialect];

/** Equal for values that differ in the order of their keys only. */
export const contentKey = (value: Json | undefined): string =>
  JSON.stringify(value, (_key, item: Json) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  ) ?? "";

/** The value with another one at this path; undefined takes the field away. */
export function withValueAt(value: Json | undefined, path: Path, put: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (typeof step === "number") {
    const items: readonly Json[] = Array.isArray(value) ? value : [];
    return items.with(step, withValueAt(items[step], rest, put)!);
  }
  const fields = isObject(value) ? value : {};
  const inner = withValueAt(fields[step], rest, put);
  if (inner !== undefined) return { ...fields, [step]: inner };
  const { [step]: _, ...others } = fields;
  return others;
}
