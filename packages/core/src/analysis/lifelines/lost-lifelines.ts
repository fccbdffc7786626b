import { getOrInsert } from "../../collections/maps.js";
import type { Pod } from "../../cluster/model.js";
import {
  type AddressRange,
  canTalk,
  type EndInBoth,
  type EndsInBoth,
  type Member,
} from "../../engine/index.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import { flowBetween } from "../endpoints/example-flow.js";
import type { LifelineTarget } from "./lifelines.js";

/** A pod that could reach a server, and no longer can, or may not. */
export interface LostLifeline {
  readonly target: LifelineTarget;
  readonly pod: Pod;
  readonly family: Family | undefined;
  readonly after: "Deny" | "Undecided";
}

/** Connections whose verdicts changed alike, from an update or a difference. */
export interface ChangedConnectionSet {
  readonly from: readonly Member[];
  readonly to: { readonly members: readonly Member[] } | AddressRange;
  readonly family: Family | undefined;
  /** The verdict that replaces Allow at a port; undefined where it was another one or stays. */
  readonly instead: (target: LifelineTarget) => Verdict | undefined;
  /** Whether a pair of the two sides is one of those that changed. */
  readonly isMeant: (pod: Pod, server: Endpoint) => boolean;
}

/** Finds the connections to lifelines among those that changed. */
export class LostLifelines {
  /** Targets among the members of a list: the same lists come in many sets. */
  private readonly found = new Map<readonly Member[], readonly LifelineTarget[]>();

  constructor(private readonly targets: readonly LifelineTarget[]) {}

  *in({ from, to, family, instead, isMeant }: ChangedConnectionSet): Iterable<LostLifeline> {
    for (const target of this.targetsIn(to)) {
      const after = instead(target);
      if (after === undefined || after === "Allow") continue;
      const server = memberOf(target.end);
      for (const member of from) {
        if (!("hostNetwork" in member) || member === server || !uses(member, target)) continue;
        if (isMeant(member, target.end)) yield { target, pod: member, family, after };
      }
    }
  }

  private targetsIn(to: ChangedConnectionSet["to"]): readonly LifelineTarget[] {
    if (!("members" in to)) return this.targets.filter(({ end }) => isWithin(end, to));
    return getOrInsert(this.found, to.members, () => {
      const members = new Set(to.members);
      return this.targets.filter(({ end }) => members.has(memberOf(end)!));
    });
  }
}

const uses = ({ hostNetwork, node }: Pod, { onlyOnNode }: LifelineTarget): boolean =>
  !hostNetwork && (onlyOnNode === undefined || onlyOnNode === node);

/**
 * What is lost where the address families of a pod or a server change. Verdicts are compared family by family (S1.15),
 * so the changed connections do not contain these: such a pod loses a server that some family allowed before, when none
 * of the families that they have in common now allows it.
 */
export function* lostWithFamilies(
  ends: EndsInBoth,
  target: LifelineTarget,
  server: EndInBoth,
): Iterable<LostLifeline> {
  const familiesAt = (when: "before" | "after") => {
    const end = server[when];
    return end.kind === "external" ? [end.address.family] : (ends[when].ends.classOf(end)?.families ?? []);
  };
  const families = { before: familiesAt("before"), after: familiesAt("after") };
  for (const joint of ends.classes) {
    if (
      isSameList(families.before, families.after) &&
      isSameList(joint.before.families, joint.after.families)
    )
      continue;
    const inCommon = (when: "before" | "after") =>
      ([4, 6, undefined] as const).filter((family) => canTalk(family, joint[when].families, families[when]));
    for (const end of ends.membersOf(joint)) {
      if (end.after.kind !== "pod" || !uses(end.after.pod, target)) continue;
      if (end.after.pod === memberOf(server.after)) continue;
      const verdicts = (when: "before" | "after") =>
        inCommon(when).map((family) => ({
          family,
          verdict: ends[when].explain(flowBetween(end[when], server[when], target, family)).verdict,
        }));
      if (!verdicts("before").some(({ verdict }) => verdict === "Allow")) continue;
      const now = verdicts("after");
      if (now.some(({ verdict }) => verdict === "Allow")) continue;
      const lost = now.find(({ verdict }) => verdict === "Undecided") ?? now[0];
      if (lost === undefined || lost.verdict === "Allow") continue;
      yield { target, pod: end.after.pod, family: lost.family, after: lost.verdict };
    }
  }
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean => a.join() === b.join();

export const memberOf = (end: Endpoint): Member | undefined =>
  end.kind === "pod" ? end.pod : end.kind === "node" ? end.node : undefined;

const isWithin = (end: Endpoint, { family, first, last }: AddressRange): boolean =>
  end.kind === "external" &&
  end.address.family === family &&
  first <= end.address.value &&
  end.address.value <= last;
