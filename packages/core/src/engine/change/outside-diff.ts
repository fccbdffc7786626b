import type { Family } from "../../net/address.js";
import type { AnswerId } from "../compile/answers.js";
import { ChangedBlock } from "./changed-block.js";
import type { EndsInBoth, JointClass, Touched } from "./ends-in-both.js";
import { type AddressRange, OutsideAnswers, type OutsideRun } from "../pairs/outside-runs.js";
import { canTalk } from "../classes/talking.js";
import type { Translation } from "./translation.js";

const directions = ["egress", "ingress"] as const;

/** Changes between pods and external addresses, in one address family. */
export function* outsideChanges(
  ends: EndsInBoth,
  family: Family,
  translation: Translation,
  touched: Touched = { egress: ends.classes, ingress: ends.classes },
): Iterable<ChangedBlock> {
  // S1.15; S1.4: hosts have no policies.
  const isConcerned = ({ before, after }: JointClass) =>
    [before, after].every(({ families }) => canTalk(family, families, [family])) &&
    (before.kind === "pod" || after.kind === "pod");
  const concerned = new Map(
    directions.map((direction) => [direction, touched[direction].filter(isConcerned)]),
  );
  if ([...concerned.values()].every(({ length }) => length === 0)) return;
  const before = new OutsideAnswers(ends.before.view(family), family);
  const after = new OutsideAnswers(ends.after.view(family), family);
  const numbers = new Map<string, number>();
  const numberOf = (key: string) => {
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  };
  for (const direction of directions) {
    const groups = ends.group(concerned.get(direction)!, (joint) => {
      const was = numberOf(before.of(direction, joint.before).key);
      return `${was} ${numberOf(after.of(direction, joint.after).key)}`;
    });
    for (const group of groups) {
      const pods = { kind: "ends", groups: [group] } as const;
      const runs = [before.of(direction, group.before).runs, after.of(direction, group.after).runs] as const;
      for (const { ranges, ...answers } of changedRanges(...runs, translation)) {
        const addresses = { kind: "external", ranges } as const;
        const [from, to] = direction === "egress" ? [pods, addresses] : [addresses, pods];
        const count = group.size * ranges.length;
        yield new ChangedBlock(ends, family, from, to, undefined, answers, count);
      }
    }
  }
}

interface ChangedRanges {
  readonly before: AnswerId;
  readonly after: AnswerId;
  readonly ranges: AddressRange[];
}

/** Walks both lists of runs at once; they begin and end at the same addresses. */
function changedRanges(
  before: readonly OutsideRun[],
  after: readonly OutsideRun[],
  translation: Translation,
): Iterable<ChangedRanges> {
  const found = new Map<string, ChangedRanges>();
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    const [was, is] = [before[i]!, after[j]!];
    const first = was.range.first > is.range.first ? was.range.first : is.range.first;
    const last = was.range.last < is.range.last ? was.range.last : is.range.last;
    if (!translation.isSame(was.answer, is.answer)) {
      const answers = { before: translation.of(was.answer), after: is.answer };
      const key = `${answers.before} ${answers.after}`;
      const known = found.get(key) ?? { ...answers, ranges: [] };
      known.ranges.push({ family: was.range.family, first, last });
      found.set(key, known);
    }
    if (was.range.last === last) i++;
    if (is.range.last === last) j++;
  }
  return found.values();
}
