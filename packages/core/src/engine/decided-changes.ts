import type { Verdict } from "../evaluate/evaluate.js";
import type { Family } from "../net/address.js";
import type { Direction } from "../policy/model.js";
import type { ChangedPorts, Pair } from "./changed-block.js";
import { type DecidedPorts, Deciders } from "./deciders.js";
import type { EndClass } from "./ends.js";
import type { Compared } from "./ends-in-both.js";
import { type DirectionExplanation, noWalk } from "./explain-flow.js";
import type { Other } from "./layer.js";
import { noPorts, type PortSetId, type PortSets } from "./port-sets.js";
import { Sayings } from "./sayings.js";

/** Who decides in one direction before and after. The same object wherever the same decide. */
export interface SaidInBoth {
  readonly before: DirectionExplanation;
  readonly after: DirectionExplanation;
}

/** Ports whose verdict changed from the same to the same, decided by the same. */
export interface DecidedChange extends Readonly<Record<Direction, SaidInBoth>> {
  readonly ports: PortSetId;
  readonly before: Verdict;
  readonly after: Verdict;
}

export type When = "before" | "after";

/** What is walked in one direction; nothing at an end that has no policies (S1.4). */
export type Walks = Readonly<
  Record<Direction, { readonly subject: EndClass; readonly other: Other } | undefined>
>;

/** Takes changed ports apart by who decides about them before and after. */
export class DecidedChanges {
  private readonly deciders = { before: new Map<unknown, Deciders>(), after: new Map<unknown, Deciders>() };
  private readonly sayings = new Sayings();
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
    return changed.flatMap(([before, after, ports]) => {
      let parts: readonly Part[] = [{ ports, said: [] }];
      for (const direction of ["egress", "ingress"] as const) {
        parts = this.refine(parts, this.say("before", family, direction, was[direction], ports, pair));
        parts = this.refine(parts, this.say("after", family, direction, is[direction], ports, pair));
      }
      return this.merged(parts).map(({ ports: its, said: [a, b, c, d] }) => ({
        ports: its,
        before,
        after,
        egress: { before: a!, after: b! },
        ingress: { before: c!, after: d! },
      }));
    });
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
      deciders = new Deciders(engine.view(family), engine.cluster, this.sayings);
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

  private refine(parts: readonly Part[], by: readonly DecidedPorts[]): readonly Part[] {
    const [only] = by;
    if (by.length === 1) return parts.map(({ ports, said }) => ({ ports, said: [...said, only!.said] }));
    return parts.flatMap((part) =>
      by.flatMap(({ ports, said }) => {
        const common = this.ports.intersect(part.ports, ports);
        return common === noPorts ? [] : { ports: common, said: [...part.said, said] };
      }),
    );
  }

  /** A rule may decide about ports of two of its peers: it is one decider all the same. */
  private merged(parts: readonly Part[]): readonly Part[] {
    if (parts.length === 1) return parts;
    const found: Part[] = [];
    for (const part of parts) {
      const at = found.findIndex(({ said }) => said.every((one, i) => one === part.said[i]));
      if (at === -1) found.push(part);
      else found[at] = { ...part, ports: this.ports.union(found[at]!.ports, part.ports) };
    }
    return found;
  }
}

interface Part {
  readonly ports: PortSetId;
  /** Egress before and after, ingress before and after. */
  readonly said: readonly DirectionExplanation[];
}
