import { getOrInsert } from "../../collections/maps.js";
import type { Cluster } from "../../cluster/model.js";
import {
  type EndClass,
  type EndGroup,
  endpointOf,
  type Member,
  type Nearness,
  nodeOf,
} from "../../engine/index.js";
import { compareParties, type Grain, type Party, partyKey, partyOf } from "../endpoints/party.js";
import type { EndpointFilter } from "./endpoint-filter.js";

/** The parties of a cluster, in the order in which they are shown, and who belongs to which. */
export class Parties {
  readonly list: readonly Party[];
  private readonly indexes = new Map<Member, number>();
  private readonly members: ReadonlyMap<Party, readonly Member[]>;

  constructor(cluster: Cluster, grain: Grain, takesPart: (member: Member) => boolean) {
    const found = new Map<string, { readonly party: Party; readonly members: Member[] }>();
    const add = (member: Member, party: Party) => {
      const key = partyKey(party);
      getOrInsert(found, key, () => ({ party, members: [] })).members.push(member);
    };
    for (const pod of cluster.pods.values())
      if (takesPart(pod)) add(pod, partyOf({ kind: "pod", pod, namespace: noNamespace }, grain));
    for (const node of cluster.nodes.values())
      if (takesPart(node)) add(node, partyOf({ kind: "node", node }, grain));
    const sorted = [...found.values()].toSorted((a, b) => compareParties(a.party, b.party));
    this.list = sorted.map(({ party }) => party);
    this.members = new Map(sorted.map(({ party, members }) => [party, members]));
    for (const [i, { members }] of sorted.entries())
      for (const member of members) this.indexes.set(member, i);
  }

  membersOf(party: Party): readonly Member[] {
    return this.members.get(party) ?? [];
  }

  indexOf(member: Member): number {
    return this.indexes.get(member)!;
  }
}

/** Parties go by the namespace's name, never by its labels. */
const noNamespace = { name: "", labels: {} };

/** The members of one party within a group of ends that behave alike. */
export interface PartyPart {
  readonly party: number;
  readonly members: readonly Member[];
  /** Where they run, as far as that is known. */
  readonly nodes: ReadonlySet<string>;
}

/** One side of the connections: the ends that take part, as parties. */
export class MatrixSide {
  private readonly known = new Map<EndGroup, readonly PartyPart[]>();

  constructor(
    private readonly cluster: Cluster,
    private readonly parties: Parties,
    readonly filter: EndpointFilter,
  ) {}

  partsOf(group: EndGroup): readonly PartyPart[] {
    return getOrInsert(this.known, group, () => this.partsOfClasses(group.classes));
  }

  partsOfClasses(classes: readonly EndClass[]): readonly PartyPart[] {
    const found = new Map<number, { party: number; members: Member[]; nodes: Set<string> }>();
    for (const end of classes)
      for (const member of [...end.pods, ...end.nodes]) {
        if (!takesPart(this.filter, member)) continue;
        const party = this.parties.indexOf(member);
        const known = getOrInsert(found, party, () => ({ party, members: [], nodes: new Set<string>() }));
        known.members.push(member);
        const node = nodeOf(endpointOf(this.cluster, end, member));
        if (node !== undefined) known.nodes.add(node);
      }
    return [...found.values()];
  }
}

export function takesPart(filter: EndpointFilter, member: Member): boolean {
  return "namespace" in member ? filter.pod(member) : filter.node(member);
}

/** Whether there are two different ends, one of each, that stand to each other in this way (S1.6). */
export function havePair(a: PartyPart, b: PartyPart, nearness: Nearness | undefined): boolean {
  switch (nearness) {
    case undefined:
      return a.party !== b.party || new Set([...a.members, ...b.members]).size > 1;
    case "own-node":
      return [...a.nodes].some((node) => b.nodes.has(node));
    case "other-node":
      return new Set([...a.nodes, ...b.nodes]).size > 1;
    case "unknown-node":
      return true;
  }
}
