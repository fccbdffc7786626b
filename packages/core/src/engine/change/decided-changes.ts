import type { Verdict } from "../../evaluate/evaluate.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { ChangedPorts, Pair } from "./changed-block.js";
import { type DecidedPorts, Deciders } from "../walk/deciders.js";
import type { EndClass } from "../classes/ends.js";
import type { Compared } from "./ends-in-both.js";
import { type DirectionExplanation, noWalk } from "../walk/explanation.js";
import type { Other } from "../compile/layer.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { SharedExplanations } from "../walk/shared-explanations.js";

/** Who decides in one direction before and after. The same objects wherever the same decide. */
export interface DecidedDirection {
  readonly direction: Direction;
  readonly before: DirectionExplanation;
  readonly after: DirectionExplanation;
}

/** Ports whose verdict changed from the same to the same, decided by the same. */
export interface DecidedChange {
  readonly ports: PortSetId;
  readonly before: Verdict;
  readonly after: Verdict;
  /** Without directions in which nothing is another way for any port. */
  readonly decided: readonly DecidedDirection[];
}

export type When = "before" | "after";

/** What is walked in one direction; nothing at an end that has no policies (S1.4). */
export type Walks = Readonly<
  Record<Direction, { readonly subject: EndClass; readonly other: Other } | undefined>
>;

/** Takes changed ports apart by who decides about them before and after. */
export class DecidedChanges {
  private readonly deciders = { before: new Map<unknown, Deciders>(), after: new Map<unknown, Deciders>() };
  private readonly explanations = new SharedExplanations();
  /** Where changed ports are known. */
  private readonly ports: PortSets;

  constructor(private readonly engines: Readonly<Record<When, Compared>>) {
    this.ports = engines.after.answers.ports;
  }

  /** `pair` is asked for only where facts are missing. */
  of(
    family: Family | undefined,
    changed: readonly ChangedPorts[],
    pair: () => Pair,
    walks: (when: When) => Walks,
  ): readonly DecidedChange[] {
    const [was, is] = [walks("before"), walks("after")];
    const asked = directions.filter((one) => !this.isSettled(family, one, was[one], is[one]));
    return changed.flatMap(([before, after, ports]) => {
      let parts: readonly Part[] = [{ ports, decided: [] }];
      for (const direction of asked) {
        const then = this.say("before", family, direction, was[direction], ports, pair);
        const now = this.say("after", family, direction, is[direction], ports, pair);
        parts = this.refine(parts, direction, then, now);
      }
      return this.merged(parts).map((part) => ({ ...part, before, after }));
    });
  }

  /** Fast check for the common case: a direction has the same answer before and after, and no facts are missing. */
  private isSettled(
    family: Family | undefined,
    direction: Direction,
    was: Walks[Direction],
    is: Walks[Direction],
  ): boolean {
    if (was === undefined || is === undefined) return was === is;
    const { before, after } = this.engines;
    if (before.answers !== after.answers || was.other.kind !== "pod" || is.other.kind !== "pod") return false;
    if (was.subject.kind === "host" || is.subject.kind === "host") return false;
    const then = before.view(family).answerAt(direction, was.subject, was.other.end.column);
    return (
      then !== undefined && then === after.view(family).answerAt(direction, is.subject, is.other.end.column)
    );
  }

  private say(
    when: When,
    family: Family | undefined,
    direction: Direction,
    walk: Walks[Direction],
    wanted: PortSetId,
    pair: () => Pair,
  ): readonly DecidedPorts[] {
    if (walk === undefined) return [{ ports: wanted, said: noWalk }];
    const engine = this.engines[when];
    let deciders = this.deciders[when].get(family);
    if (deciders === undefined) {
      deciders = new Deciders(engine.view(family), engine.cluster, this.explanations);
      this.deciders[when].set(family, deciders);
    }
    const ends = () => {
      const { source, destination } = pair();
      return { source: source[when], destination: destination[when] };
    };
    const own = engine.answers.ports;
    if (own === this.ports) return deciders.of(direction, walk.subject, walk.other, wanted, ends);
    // Two engines that were compiled apart know port sets by different numbers.
    const asked = own.import(this.ports.bordersOf(wanted));
    return deciders
      .of(direction, walk.subject, walk.other, asked, ends)
      .map(({ ports, said }) => ({ said, ports: this.ports.import(own.bordersOf(ports)) }));
  }

  private refine(
    parts: readonly Part[],
    direction: Direction,
    then: readonly DecidedPorts[],
    now: readonly DecidedPorts[],
  ): readonly Part[] {
    const found: Part[] = [];
    for (const part of parts)
      for (const was of then) {
        const left = this.ports.intersect(part.ports, was.ports);
        if (left === noPorts) continue;
        for (const is of now) {
          const ports = this.ports.intersect(left, is.ports);
          if (ports === noPorts) continue;
          const one = { direction, before: was.said, after: is.said };
          found.push({ ports, decided: [...part.decided, one] });
        }
      }
    return found;
  }

  /** A rule can decide ports of two of its peers, and is still one decider. */
  private merged(parts: readonly Part[]): readonly Part[] {
    if (parts.length === 1) return parts;
    const found: Part[] = [];
    for (const part of parts) {
      const at = found.findIndex(({ decided }) => decided.every((one, i) => isSame(one, part.decided[i]!)));
      if (at === -1) found.push(part);
      else found[at] = { ...part, ports: this.ports.union(found[at]!.ports, part.ports) };
    }
    return found;
  }
}

const directions = ["egress", "ingress"] as const;

type Part = Pick<DecidedChange, "ports" | "decided">;

const isSame = (a: DecidedDirection, b: DecidedDirection): boolean =>
  a.before === b.before && a.after === b.after;
