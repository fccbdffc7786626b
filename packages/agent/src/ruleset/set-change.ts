import { getOrInsert } from "@tierwall/core/state";
import type { NodeOptions } from "./program.js";
import type { NamedSet } from "./ruleset.js";

/** Changes of elements with a timeout, in sets and maps. */
export type SetChange =
  /** Adds the element, or renews its timeout. */
  | { readonly kind: "renew"; readonly set: string; readonly element: TimedElement }
  /** Removes the element, if it exists. */
  | { readonly kind: "forget"; readonly set: string; readonly key: string }
  /** Replaces all elements of the set or map. */
  | {
      readonly kind: "replace";
      readonly set: string;
      readonly holds: "set" | "map";
      readonly elements: readonly TimedElement[];
    };

export interface TimedElement {
  readonly key: string;
  /** In a map. */
  readonly value?: string;
  readonly milliseconds: number;
}

/** The lines of a transaction for `nft -f -`. */
export function changesText(changes: readonly SetChange[], table: string): string {
  const renewed = new Map<string, Map<string, TimedElement>>();
  const lines: string[] = [];
  for (const change of changes)
    switch (change.kind) {
      case "renew":
        renew(renewed, change.set, change.element);
        break;
      case "forget":
        lines.push(...removing(table, change.set, change.key));
        break;
      case "replace":
        lines.push(`flush ${change.holds} inet ${table} ${change.set}`);
        if (change.elements.length > 0) lines.push(adding(table, change.set, change.elements));
        break;
    }
  for (const [set, byKey] of renewed) {
    const elements = [...byKey.values()];
    const keys = elements
      .map(({ key, value }) => (value === undefined ? key : `${key} : ${value}`))
      .join(", ");
    // Kernels before 6.12 do not change the timeout of an existing element: remove it and add it again.
    lines.push(...removing(table, set, keys), adding(table, set, elements));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** If two answers with the same address share a transaction, the longer lifetime counts. */
function renew(renewed: Map<string, Map<string, TimedElement>>, set: string, element: TimedElement): void {
  const byKey = getOrInsert(renewed, set, () => new Map());
  const other = byKey.get(element.key);
  if (other === undefined || other.milliseconds < element.milliseconds) byKey.set(element.key, element);
}

/** Deleting an element that does not exist fails, and it may expire at any moment: so it is added first. */
function removing(table: string, set: string, keys: string): readonly string[] {
  return [`add element inet ${table} ${set} { ${keys} }`, `delete element inet ${table} ${set} { ${keys} }`];
}

function adding(table: string, set: string, elements: readonly TimedElement[]): string {
  const texts = elements.map(
    ({ key, value, milliseconds }) =>
      `${key} timeout ${Math.max(1, Math.round(milliseconds))}ms${value === undefined ? "" : ` : ${value}`}`,
  );
  return `add element inet ${table} ${set} { ${texts.join(", ")} }`;
}

/*
 * A set that contains both families for a limited time. A rule checks it with `meta nfproto @SET`, and the kernel expires it,
 * whatever happened to the agent.
 */

export const timedSwitch: NamedSet = {
  kind: "set",
  type: "nf_proto",
  flags: ["timeout"],
  elements: "learned",
};

/** By number: IPv4 and IPv6, as nft prints them. */
const families = ["2", "10"] as const;

/** The lines that switch it on for this long. */
export const switchOn = (table: string, set: string, milliseconds: number): string =>
  changesText(
    families.map((key) => ({ kind: "renew", set, element: { key, milliseconds } })),
    table,
  );

/*
 * Unknown pods are denied until the agent has rules for them. If no agent runs, that would be forever. Operators can choose to allow
 * them after no agent has run for a while: the rules that deny them use a timed set, which the agent renews while it runs. The
 * kernel expires it, whatever happened to the agent:
 *
 *     ip saddr 10.244.1.0/24 meta nfproto @present goto unknown_egress
 */

export const presentSet = "present";

/** The condition of rules that deny unknown pods; empty if they are denied forever. */
export const whilePresent = ({ unknownPodsPassAfter }: NodeOptions): string =>
  unknownPodsPassAfter === undefined ? "" : `meta nfproto @${presentSet} `;

export function presentSets({ unknownPodsPassAfter }: NodeOptions): readonly (readonly [string, NamedSet])[] {
  if (unknownPodsPassAfter === undefined) return [];
  return [[presentSet, timedSwitch]];
}
