import type { AddressRange, DecidedDirection } from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { PortGroup } from "../matrix/port-groups.js";
import type { Grain, Party } from "../endpoints/party.js";
import type { ForeignChange } from "./foreign-changes.js";

/** What two states allow differently. */
export interface StateChanges {
  readonly by: Grain;
  /** Most connections first. */
  readonly rows: readonly ChangeRow[];
  /** By what connections become; each counts once, however many of its ports change. */
  readonly totals: Readonly<Record<Verdict, Total>>;
  /** Pods and nodes that only one of the states has. Their connections are not compared. */
  readonly appeared: readonly Endpoint[];
  readonly disappeared: readonly Endpoint[];
  /** Objects that are not evaluated, where they differ: verdicts do not show what that changes. */
  readonly foreign: readonly ForeignChange[];
  /** All parties that exist in both states, to distinguish "every workload" from a list. */
  readonly parties: readonly Party[];
}

/** Connections whose verdict changed alike, by the same rules: each of `from` with each of `to`, except with itself. */
export interface ChangeRow {
  readonly from: ChangedEndpoints;
  readonly to: ChangedEndpoints;
  readonly ports: readonly PortGroup[];
  readonly before: Verdict;
  readonly after: Verdict;
  /** Who decides, in the directions that brought the change about. */
  readonly decided: readonly DecidedDirection[];
  /** Undefined if the endpoints do not determine the family (S1.15). */
  readonly families: readonly (Family | undefined)[];
  /** Ordered pairs of pods and nodes, in each address family by itself; all that is outside counts as one end. */
  readonly connections: number;
  /** Whether it is only some of their pods. */
  readonly partly: boolean;
  /** As it is asked about the state after. */
  readonly example: Flow;
}

export type ChangedEndpoints =
  | { readonly kind: "parties"; readonly parties: readonly Party[] }
  | { readonly kind: "external"; readonly ranges: readonly AddressRange[] };

export interface Total {
  readonly connections: number;
  /** By the namespace that the connections come from, or `nodes`, or `outside`. */
  readonly bySource: ReadonlyMap<string, number>;
}

/** Whether anything is different at all. */
export function isChanged({ rows, appeared, disappeared, foreign }: StateChanges): boolean {
  return rows.length + appeared.length + disappeared.length + foreign.length > 0;
}
