import { ChangedParts } from "../../engine/changed-parts.js";
import { compileBoth } from "../../engine/compile-both.js";
import type { Engine } from "../../engine/engine.js";
import { type LaneReader, readLanes } from "../../engine/lanes.js";
import type { Row } from "../../engine/tier-rows.js";
import type { Flow } from "../../evaluate/flow.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Direction, PolicyRef, Rule, TierName, Tiers } from "../../policy/model.js";
import type { StateChanges } from "../changes/changes.js";
import { gatherChanges } from "../changes/compare.js";
import type { EditedState, ObjectEdit } from "../edited-state.js";
import type { Grain } from "../party.js";
import { type OrderConflict, OrderConflicts } from "../proof/order-conflicts.js";
import { type Intent, type Override, Overrides } from "../proof/overridden.js";
import { type CutOff, cutOff, Losers } from "./cut-off.js";
import { type NewlyIsolated, newlyIsolated } from "./isolation.js";
import { type Lockouts, lockouts } from "./lockouts.js";

/** What an edit would do, before it is done. */
export interface Preview {
  readonly edits: readonly ObjectEdit[];
  readonly changes: StateChanges;
  /** Policies of tier network-policy whose traffic rules of the applied policies decide otherwise. */
  readonly overrides: readonly Overruling[];
  /** The other way round: rules that were there and decide otherwise than applied policies of tier network-policy. */
  readonly overriddenBy: readonly Overruling[];
  readonly ambiguous: readonly Ambiguity[];
  readonly lockouts: Lockouts;
  readonly isolated: readonly NewlyIsolated[];
  readonly cutOff: readonly CutOff[];
}

/** A rule of a tier before network-policy that decides otherwise than a policy there would. */
export interface Overruling {
  readonly policy: PolicyRef;
  readonly direction: Direction;
  /** What the policy would do to the traffic. */
  readonly intent: Intent;
  readonly rule: Rule;
  readonly tier: TierName;
  /** Ordered pairs of pods and nodes, in each address family by itself. */
  readonly connections: number;
  /** Whether external addresses are concerned. */
  readonly external: boolean;
  readonly example: Flow;
}

/** An applied policy and one of the same priority that disagree: only the order of their names decides (S1.13). */
export interface Ambiguity {
  readonly tier: TierName;
  /** In the order of evaluation. */
  readonly first: PolicyRef;
  readonly second: PolicyRef;
  readonly direction: Direction;
  /** A connection that gets another verdict, in that direction, if the two change places. */
  readonly example: Flow;
  readonly asOrdered: Verdict;
  readonly swapped: Verdict;
}

export function preview(edited: EditedState, by: Grain = "workload"): Preview {
  return previewBetween(compileBoth(edited.before, edited.after), edited.edits, by);
}

/** The same where somebody has compiled the states already. */
export function previewBetween(
  engines: readonly [before: Engine, after: Engine],
  edits: readonly ObjectEdit[],
  by: Grain = "workload",
): Preview {
  const parts = new ChangedParts(...engines);
  const losers = new Losers(parts.difference.ends);
  const changes = gatherChanges(parts, by, (part) => losers.add(part));
  const isDeleted = ({ what }: ObjectEdit) => what === "deleted";
  const applied = new Set(edits.flatMap((edit) => (isDeleted(edit) ? [] : (edit.policy ?? []))));
  const isApplied = (policy: PolicyRef) => applied.has(policy);
  const found = proofsAbout(engines[1], isApplied);
  const overrulings = found.overrides
    .flatMap((override) => overrulingsOf(override, engines[1].tiers))
    .toSorted((a, b) => b.connections - a.connections);
  return {
    edits,
    changes,
    overrides: overrulings.filter(({ rule }) => isApplied(rule.origin.policy)),
    overriddenBy: overrulings.filter(
      ({ policy, rule }) => isApplied(policy) && !isApplied(rule.origin.policy),
    ),
    ambiguous: found.conflicts
      .filter(({ first, second }) => isApplied(first) || isApplied(second))
      .map(ambiguityOf),
    lockouts: lockouts(...engines, changes.rows, by),
    isolated: newlyIsolated(...engines, by),
    cutOff: cutOff(engines[1], losers, by),
  };
}

function overrulingsOf({ policy, direction, intent, by }: Override, tiers: Tiers): readonly Overruling[] {
  const tierOf = (rule: Rule) => tiers[direction].find(({ rules }) => rules.includes(rule))!.name;
  return by.map(({ rule, pairs, external, example }) => ({
    policy,
    direction,
    intent,
    rule,
    tier: tierOf(rule),
    connections: pairs,
    external,
    example: example(),
  }));
}

function ambiguityOf({ shared, first, second, direction, example }: OrderConflict): Ambiguity {
  const { flow, asOrdered, swapped } = example();
  const verdicts = { asOrdered: asOrdered.verdict, swapped: swapped.verdict };
  return { tier: shared.tier, first, second, direction, example: flow, ...verdicts };
}

/** Looks only at walks that some of these policies have a say in. */
function proofsAbout(
  engine: Engine,
  isMeant: (policy: PolicyRef) => boolean,
): { readonly overrides: readonly Override[]; readonly conflicts: readonly OrderConflict[] } {
  const [overrides, conflicts] = [new Overrides(engine), new OrderConflicts(engine)];
  const speaksOf = ({ rules, isolation }: Row) =>
    rules.some(({ origin }) => isMeant(origin.policy)) ||
    isolation.some(({ origin }) => origin.kind === "policy" && isMeant(origin.policy));
  const concerned = (reader: LaneReader): LaneReader => ({
    wants: (rows, direction) => rows.some(speaksOf) && reader.wants(rows, direction),
    read: (lane) => reader.read(lane),
  });
  readLanes(engine, [overrides, conflicts].map(concerned));
  return { overrides: overrides.all(), conflicts: conflicts.all() };
}

/** What `--fail-on` can name. */
export const failures = ["newly-denied", "newly-allowed", "overrides", "lockout", "ambiguity"] as const;
export type Failure = (typeof failures)[number];

/** Which of these an edit would bring about. */
export function failuresIn(preview: Preview): readonly Failure[] {
  const { changes, overrides: overruled, overriddenBy, lockouts: lost, ambiguous } = preview;
  const isSo: Readonly<Record<Failure, boolean>> = {
    "newly-denied": changes.totals.Deny.connections > 0,
    "newly-allowed": changes.totals.Allow.connections > 0,
    overrides: overruled.length + overriddenBy.length > 0,
    lockout: lost.found.length > 0,
    ambiguity: ambiguous.length > 0,
  };
  return failures.filter((failure) => isSo[failure]);
}
