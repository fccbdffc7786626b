import type { Tier } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import type { TierRows } from "./tier-rows.js";
import type { TierTable } from "./tier-table.js";

/** A tier of one direction, compiled: who is subject to what, and what that says to pods and hosts, and to addresses. */
export interface Layer {
  readonly tier: Tier;
  readonly rows: TierRows;
  readonly inside: TierTable;
  readonly outside: TierTable;
}

/** How the node of a pod and a host stand to each other (S1.6). */
export const allNearness = ["other-node", "own-node", "unknown-node"] as const;
export type Nearness = (typeof allNearness)[number];

/** From the names of the nodes that two endpoints run on, or are, if these are known. */
export function nearnessOfNodes(one: string | undefined, other: string | undefined): Nearness {
  if (one === undefined || other === undefined) return "unknown-node";
  return one === other ? "own-node" : "other-node";
}

/** The other end of a walk. */
export type Other =
  | { readonly kind: "pod"; readonly end: EndClass }
  | { readonly kind: "host"; readonly end: EndClass; readonly nearness: Nearness }
  | { readonly kind: "external"; readonly atom: number };

export function columnOf(other: Exclude<Other, { kind: "external" }>): number {
  return other.kind === "host" && other.nearness === "own-node" ? other.end.ownColumn : other.end.column;
}

/** Every nearness that is possible between a pod and a host of these classes. */
export const nearnessBetween = (pod: EndClass, host: EndClass): readonly Nearness[] =>
  pod.placed && host.placed ? ["own-node", "other-node"] : ["unknown-node"];
