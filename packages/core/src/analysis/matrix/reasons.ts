import { getOrInsert } from "../../collections/maps.js";
import {
  canTalk,
  type DecidedPorts,
  Deciders,
  type DirectionExplanation,
  type EndClass,
  endpointOf,
  type Engine,
  type Member,
  nearnessOf,
  nodeOf,
  noWalk,
  type Other,
  realPorts,
  SharedExplanations,
} from "../../engine/index.js";
import type { PortSetId } from "../../sets/port-sets.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import { externalAt } from "../endpoints/example-flow.js";
import type { Party } from "../endpoints/party.js";
import type { Connection, Matrix, MatrixEnd } from "./matrix.js";
import { type PortGroup, portGroups } from "./port-groups.js";
import { takesPart } from "./sides.js";

/** What decides about one pair of endpoints of a cell. */
export interface Reason {
  readonly source: Endpoint;
  readonly destination: Endpoint;
  readonly family: Family | undefined;
  readonly egress: DirectionReason;
  readonly ingress: DirectionReason;
}

/** Who decides in one direction, for all ports. The same object wherever it is the same. */
export interface DirectionReason {
  readonly parts: readonly { readonly ports: readonly PortGroup[]; readonly said: DirectionExplanation }[];
}

/** An end that is asked about, with its class where it has one. */
interface Asked {
  readonly end: Endpoint;
  readonly member?: Member;
  readonly class?: EndClass;
}

/** The maximum number of different reasons reported for one cell, and of pairs searched for them. */
const mostReasons = 4;
const mostPairs = 200;

/** Why the cells of a matrix have their values: explained for pairs of endpoints that represent the others. */
export class Reasons {
  private readonly explanations = new SharedExplanations();
  private readonly deciders = new Map<Family | undefined, Deciders>();
  private readonly ends = new Map<Party, readonly Asked[]>();
  private readonly known = new Map<string, DirectionReason>();
  private readonly numbers = new Map<DirectionExplanation, number>();
  private readonly groups = new Map<PortSetId, readonly PortGroup[]>();
  private readonly real: PortSetId;

  constructor(
    private readonly engine: Engine,
    private readonly matrix: Matrix,
  ) {
    this.real = realPorts(engine.ports);
  }

  /** Each different one once. */
  of({ from, to }: Connection): readonly Reason[] {
    const found: Reason[] = [];
    const seen = new Set<string>();
    let looked = 0;
    for (const source of this.endsOf(from))
      for (const destination of this.endsOf(to)) {
        if (!this.isMeant(source, destination)) continue;
        for (const family of familiesOf(source, destination)) {
          const key = `${source.class?.index} ${destination.class?.index} ${family} ${nearnessOf(source.end, destination.end)}`;
          if (seen.has(key)) continue;
          seen.add(key);
          const reason = this.between(source, destination, family);
          if (!found.some(({ egress, ingress }) => egress === reason.egress && ingress === reason.ingress))
            found.push(reason);
          if (found.length === mostReasons) return found;
        }
        if (++looked >= mostPairs && found.length > 0) return found;
      }
    return found;
  }

  private endsOf(end: MatrixEnd): readonly Asked[] {
    if (end.kind === "external") return [{ end: externalAt(end.range) }];
    return getOrInsert(this.ends, end, () => this.standingFor(end));
  }

  /** Two members that nothing distinguishes are enough: one connects to the other. */
  private standingFor(party: Party): readonly Asked[] {
    const counts = new Map<string, number>();
    return this.matrix.members.membersOf(party).flatMap((member) => {
      const found = this.engine.ends.classOfMember(member)!;
      const end = endpointOf(this.engine.cluster, found, member);
      const lenses = this.matrix.lenses.map(
        ({ from, to }) => `${takesPart(from.filter, member)} ${takesPart(to.filter, member)}`,
      );
      const key = `${found.index} ${nodeOf(end)} ${lenses.join()}`;
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      return count < 2 ? [{ end, member, class: found }] : [];
    });
  }

  /** Whether this pair is one of those that the cell adds up. */
  private isMeant(source: Asked, destination: Asked): boolean {
    const { member } = source;
    const isTemplate = member !== undefined && "fromTemplate" in member && member.fromTemplate;
    if (member !== undefined && member === destination.member && !isTemplate) return false;
    return this.matrix.lenses.some(
      ({ from, to }) =>
        (member === undefined || takesPart(from.filter, member)) &&
        (destination.member === undefined || takesPart(to.filter, destination.member)),
    );
  }

  private between(source: Asked, destination: Asked, family: Family | undefined): Reason {
    return {
      source: source.end,
      destination: destination.end,
      family,
      egress: this.inDirection("egress", source, destination, family),
      ingress: this.inDirection("ingress", source, destination, family),
    };
  }

  private inDirection(
    direction: Direction,
    source: Asked,
    destination: Asked,
    family: Family | undefined,
  ): DirectionReason {
    const [subject, other] = direction === "egress" ? [source, destination] : [destination, source];
    if (subject.class === undefined) return this.shared([{ ports: this.real, said: noWalk }]);
    const ends = () => ({ source: source.end, destination: destination.end });
    const seen = this.seenBy(subject, other);
    return this.shared(this.decidersIn(family).of(direction, subject.class, seen, this.real, ends));
  }

  private seenBy(subject: Asked, { end, class: found }: Asked): Other {
    if (end.kind === "external")
      return { kind: "external", atom: this.engine.ends.vocabulary.atoms.indexOf(end.address) };
    return found!.kind === "pod"
      ? { kind: "pod", end: found! }
      : { kind: "host", end: found!, nearness: nearnessOf(subject.end, end) };
  }

  private decidersIn(family: Family | undefined): Deciders {
    return getOrInsert(
      this.deciders,
      family,
      () => new Deciders(this.engine.view(family), this.engine.cluster, this.explanations),
    );
  }

  private shared(decided: readonly DecidedPorts[]): DirectionReason {
    const numberOf = (said: DirectionExplanation) => getOrInsert(this.numbers, said, () => this.numbers.size);
    const key = decided.map(({ ports, said }) => `${ports} ${numberOf(said)}`).join();
    return getOrInsert(this.known, key, () => ({
      parts: decided.map(({ ports, said }) => ({ ports: this.groupsOf(ports), said })),
    }));
  }

  private groupsOf(ports: PortSetId): readonly PortGroup[] {
    return getOrInsert(this.groups, ports, () => portGroups(this.engine.ports, ports, this.real));
  }
}

// S1.15
function familiesOf(source: Asked, destination: Asked): readonly (Family | undefined)[] {
  const known = ({ end, class: found }: Asked): readonly Family[] =>
    end.kind === "external" ? [end.address.family] : found!.families;
  return ([4, 6, undefined] as const).filter((family) => canTalk(family, known(source), known(destination)));
}
