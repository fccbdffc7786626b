import type { Verdict } from "../../evaluate/evaluate.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Family } from "../../net/address.js";
import type { AnswerId, Answers } from "../compile/answers.js";
import type { EndInBoth, EndsInBoth, JointGroup } from "./ends-in-both.js";
import type { FlowExplanation } from "../walk/explanation.js";
import type { Nearness } from "../compile/layer.js";
import { nearnessOf } from "../classes/members.js";
import type { AddressRange } from "../pairs/outside-runs.js";
import { cutAt, everyPort, noPorts, portAt, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { realPorts } from "./translation.js";

/** One side of changed connections. */
export type ChangedSide =
  | { readonly kind: "ends"; readonly groups: readonly JointGroup[] }
  | { readonly kind: "external"; readonly ranges: readonly AddressRange[] };

export const groupsOf = (side: ChangedSide): readonly JointGroup[] =>
  side.kind === "ends" ? side.groups : [];

/** How a pod and a host stand to each other before and after; undefined where that is no pod and host (S1.6). */
export interface NearnessInBoth {
  readonly before: Nearness | undefined;
  readonly after: Nearness | undefined;
}

export interface Pair {
  readonly source: EndInBoth;
  readonly destination: EndInBoth;
}

/** What is said of the ports of a pair; the others are denied. */
export interface Ports {
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;
}

/** Ports whose verdict changed from the same to the same, decided by the same. */
export interface Change {
  readonly ports: PortSetId;
  readonly before: Verdict;
  readonly after: Verdict;
  readonly decidedBefore: FlowExplanation;
  readonly decidedAfter: FlowExplanation;
}

/**
 * Connections whose verdicts changed in the same way: from each endpoint of `from` to each of `to`, except to itself.
 * Updates and differences between two states consist of such blocks.
 */
export class ChangedBlock {
  /** Numbers of `ports`, which are those of the engine after. */
  private readonly ports: PortSets;
  private readonly found: Change[] = [];

  constructor(
    readonly ends: EndsInBoth,
    /** The address family of the connections, if the endpoints determine it (S1.15). */
    readonly family: Family | undefined,
    readonly from: ChangedSide,
    readonly to: ChangedSide,
    /** Which of their pairs are meant, where a pod and a host are concerned. */
    readonly nearness: NearnessInBoth | undefined,
    /** As numbers of the engine after. */
    readonly answers: { readonly before: AnswerId; readonly after: AnswerId },
    /** How many ordered pairs; a range of addresses counts as one end. */
    readonly count: number,
  ) {
    this.ports = ends.after.answers.ports;
  }

  get before(): Ports {
    return this.portsIn(this.answers.before);
  }

  get after(): Ports {
    return this.portsIn(this.answers.after);
  }

  private portsIn(answer: AnswerId): Ports {
    const { answers } = this.ends.after;
    return { allowed: answers.allowed(answer), undecided: answers.undecided(answer) };
  }

  /** The pairs one by one. */
  *pairs(): Iterable<Pair> {
    for (const source of endsOf(this.from))
      for (const destination of endsOf(this.to)) {
        const pair = { source, destination };
        if (this.isMeant(pair)) yield pair;
      }
  }

  /** The change, with who decides before and after about the first of the pairs. */
  get changes(): readonly Change[] {
    if (this.found.length > 0) return this.found;
    const [sample] = this.pairs();
    if (sample !== undefined) this.found.push(...this.changesOf(sample));
    return this.found;
  }

  /** The change, with who decides before and after about this pair of the block. */
  *changesOf(pair: Pair): Iterable<Change> {
    const { before, after } = this.ends;
    const flow = (when: "before" | "after", point: number) => ({
      source: pair.source[when],
      destination: pair.destination[when],
      ...portAt(point),
      ...(this.family === undefined ? {} : { family: this.family }),
    });
    const points = [...before.pointsBetween(flow("before", 0)), ...after.pointsBetween(flow("after", 0))];
    const keys = new DeciderKeys();
    for (const [was, is, changed] of this.changedPorts()) {
      const parts = new Map<
        string,
        { decidedBefore: FlowExplanation; decidedAfter: FlowExplanation; ports: PortSetId }
      >();
      for (const [first, behind] of cutAt(this.ports.bordersOf(changed), points)) {
        const decidedBefore = before.explain(flow("before", first));
        const decidedAfter = after.explain(flow("after", first));
        const key = `${keys.of(decidedBefore)} ${keys.of(decidedAfter)}`;
        const ports = this.ports.import(Uint32Array.of(first, behind));
        const part = parts.get(key) ?? { decidedBefore, decidedAfter, ports: noPorts };
        parts.set(key, { ...part, ports: this.ports.union(part.ports, ports) });
      }
      for (const part of parts.values()) yield { ...part, before: was, after: is };
    }
  }

  /** Without the deciders: which ports got another verdict. */
  changedPorts(): Iterable<ChangedPorts> {
    return changedPorts(this.answers.before, this.answers.after, this.ends.after.answers);
  }

  /** Whether the connection between these two endpoints is one of those that changed. */
  isMeant({ source, destination }: Pair): boolean {
    const { nearness } = this;
    if (isSameEnd(source, destination)) return false;
    if (nearness === undefined) return true;
    const fits = (when: "before" | "after") =>
      nearness[when] === undefined || nearness[when] === nearnessOf(source[when], destination[when]);
    return fits("before") && fits("after");
  }
}

const verdicts = ["Allow", "Deny", "Undecided"] as const;

export type ChangedPorts = readonly [before: Verdict, after: Verdict, ports: PortSetId];

/** Which ports get another verdict from the second answer. */
export function* changedPorts(before: AnswerId, after: AnswerId, answers: Answers): Iterable<ChangedPorts> {
  const { ports } = answers;
  const real = realPorts(ports);
  const portsOf = (answer: AnswerId): Readonly<Record<Verdict, PortSetId>> => {
    const [allowed, undecided] = [answers.allowed(answer), answers.undecided(answer)];
    const rest = ports.subtract(everyPort, ports.union(allowed, undecided));
    return { Allow: allowed, Deny: rest, Undecided: undecided };
  };
  const [was, is] = [portsOf(before), portsOf(after)];
  for (const then of verdicts)
    for (const now of verdicts) {
      const changed = ports.intersect(real, ports.intersect(was[then], is[now]));
      if (then !== now && changed !== noPorts) yield [then, now, changed];
    }
}

function* endsOf(side: ChangedSide): Iterable<EndInBoth> {
  if (side.kind === "ends") for (const group of side.groups) yield* group.members();
  else
    for (const { family, first } of side.ranges) {
      const end = { kind: "external", address: { family, value: first } } as const;
      yield { before: end, after: end };
    }
}

/** Whether it is one and the same pod or node. */
export function isSameEnd({ after: a }: EndInBoth, { after: b }: EndInBoth): boolean {
  if (a.kind === "pod") return b.kind === "pod" && a.pod === b.pod;
  return a.kind === "node" && b.kind === "node" && a.node === b.node;
}

/** One text for explanations by the same deciders. */
class DeciderKeys {
  private readonly numbers = new Map<object, number>();

  of({ egress, ingress }: FlowExplanation): string {
    return [egress, ingress].map(({ deciders }) => deciders.map((one) => this.ofOne(one)).join()).join(" / ");
  }

  private ofOne(decider: Decider): string {
    switch (decider.kind) {
      case "rule":
        return `rule ${this.numberOf(decider.rule)}`;
      case "isolation":
        return `isolation ${decider.isolation.map((entry) => this.numberOf(entry)).join("+")}`;
      case "default":
      case "no-walk":
      case "own-address":
      case "own-node":
        return decider.kind;
    }
  }

  private numberOf(thing: object): number {
    const known = this.numbers.get(thing) ?? this.numbers.size;
    this.numbers.set(thing, known);
    return known;
  }
}
