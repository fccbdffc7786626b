import { ChangedParts, compileBoth, type Engine } from "../../engine/index.js";
import type { StateChanges } from "../changes/changes.js";
import { gatherChanges } from "../changes/compare.js";
import { foreignChanges } from "../changes/foreign-changes.js";
import type { EditedState, ObjectEdit } from "../../state/edit/edited-state.js";
import { type Grain, type Party, partiesOfPods } from "../endpoints/party.js";
import { type CutOff, cutOff, Losers } from "./cut-off.js";
import { type Lockouts, LockoutSearch } from "./lockouts.js";
import { type Precedence, precedenceOf } from "./precedence.js";
import { type Pod, podKey } from "../../cluster/model.js";
import type { Direction, Isolation, TierName } from "../../policy/model.js";

/** The effects of an edit, before it is applied. */
export interface Preview extends Precedence {
  readonly edits: readonly ObjectEdit[];
  readonly changes: StateChanges;
  readonly lockouts: Lockouts;
  readonly isolated: readonly NewlyIsolated[];
  readonly cutOff: readonly CutOff[];
}

export function preview(edited: EditedState, by: Grain = "workload"): Preview {
  const { before, after } = edited;
  const found = previewBetween(compileBoth(before, after), edited.edits, by);
  const foreign = foreignChanges(before.foreign, after.foreign);
  return { ...found, changes: { ...found.changes, foreign } };
}

/** The same for states that have been compiled. */
export function previewBetween(
  engines: readonly [before: Engine, after: Engine],
  edits: readonly ObjectEdit[],
  by: Grain = "workload",
): Preview {
  const parts = new ChangedParts(...engines);
  const losers = new Losers(parts.difference.ends);
  const search = new LockoutSearch(parts);
  const changes = gatherChanges(parts, by, (part) => {
    losers.add(part);
    search.add(part);
  });
  const isDeleted = ({ what }: ObjectEdit) => what === "deleted";
  const applied = new Set(edits.flatMap((edit) => (isDeleted(edit) ? [] : (edit.policy ?? []))));
  return {
    edits,
    changes,
    ...precedenceOf(engines[1], applied),
    lockouts: search.all(engines[1], changes.rows, by),
    isolated: newlyIsolated(...engines, by),
    cutOff: cutOff(engines[1], losers, by),
  };
}

/** What `--fail-on` can name. */
export const failures = ["newly-denied", "newly-allowed", "overrides", "lockout", "ambiguity"] as const;
export type Failure = (typeof failures)[number];

/** Which of these an edit would cause. */
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

/** Pods that were not isolated in a direction, and now are, by the same policies (S1.2). */
export interface NewlyIsolated {
  readonly direction: Direction;
  readonly tier: TierName;
  readonly by: readonly Isolation[];
  readonly parties: readonly Party[];
  readonly pods: number;
}

function newlyIsolated(before: Engine, after: Engine, grain: Grain): readonly NewlyIsolated[] {
  const known = new Set<string>();
  for (const { direction, classes } of before.isolated())
    for (const { pods } of classes) for (const pod of pods) known.add(`${direction} ${podKey(pod)}`);
  const isNew = (direction: Direction) => (pod: Pod) =>
    before.cluster.pods.has(podKey(pod)) && !known.has(`${direction} ${podKey(pod)}`);
  return Array.from(after.isolated(), ({ direction, tier, isolation, classes }) => {
    const pods = classes.flatMap((end) => end.pods.filter(isNew(direction)));
    return { direction, tier, by: isolation, parties: partiesOfPods(pods, grain), pods: pods.length };
  }).filter(({ pods }) => pods > 0);
}
