import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { AnswerId } from "../compile/answers.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import { type AddressRange, OutsideAnswers, type OutsideRuns } from "./outside-runs.js";
import type { PortSetId } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";
import type { View } from "../compile/view.js";

/** Pods and external addresses that get the same answer: each of the pods with each of the addresses. */
export interface ExternalBlock {
  /** Of the connections, seen from the pods. */
  readonly direction: Direction;
  readonly family: Family;
  readonly classes: readonly EndClass[];
  /** How many pods. */
  readonly size: number;
  /** Ascending, and none next to another. */
  readonly ranges: readonly AddressRange[];
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;
}

/** All pods against all external addresses of a family. Pods that treat all addresses alike are in the same blocks. */
export function* externalPairsIn(view: View, family: Family): Iterable<ExternalBlock> {
  const outside = new OutsideAnswers(view, family);
  const pods = view.ends.classes.filter(
    (end) => end.kind === "pod" && sizeOf(end) > 0 && canTalk(family, end.families, [family]),
  );
  for (const direction of ["egress", "ingress"] as const) {
    const groups = new Map<string, { readonly runs: OutsideRuns["runs"]; readonly classes: EndClass[] }>();
    for (const end of pods) {
      const { key, runs } = outside.of(direction, end);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { runs, classes: [end] });
      else known.classes.push(end);
    }
    for (const { runs, classes } of groups.values()) {
      const size = classes.reduce((sum, end) => sum + sizeOf(end), 0);
      for (const [answer, ranges] of rangesByAnswer(runs)) {
        const [allowed, undecided] = [view.answers.allowed(answer), view.answers.undecided(answer)];
        yield { direction, family, classes, size, ranges, allowed, undecided };
      }
    }
  }
}

export function rangesByAnswer(runs: OutsideRuns["runs"]): ReadonlyMap<AnswerId, readonly AddressRange[]> {
  const found = new Map<AnswerId, AddressRange[]>();
  for (const { range, answer } of runs) {
    const known = found.get(answer);
    if (known === undefined) found.set(answer, [range]);
    else known.push(range);
  }
  return found;
}
