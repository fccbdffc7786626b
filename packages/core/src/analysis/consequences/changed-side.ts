import { countsOf } from "../../collections/maps.js";
import type { Cluster } from "../../cluster/model.js";
import type { JointGroup, Member, Nearness } from "../../engine/index.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { partyKey, partyOf } from "../endpoints/party.js";
import type { Reader } from "../endpoints/reader.js";

/** What is worth knowing of the pods and nodes at one side of changed pairs. */
export interface CountedSide {
  /** Those that the reader may see come first. */
  readonly members: readonly Member[];
  readonly shown: Counted;
  /** By partyKey; of pods only. */
  readonly workloads: ReadonlySet<string>;
  readonly all: Counted;
}

/** How many they are, and on which nodes. */
interface Counted {
  readonly count: number;
  readonly on: ReadonlyMap<string | undefined, number>;
}

/** Computes each group once for all its pairs: in a large cluster, a group is in thousands of pairs. */
export class ChangedSides {
  private readonly known = new Map<JointGroup, CountedSide>();

  constructor(
    private readonly cluster: Cluster,
    private readonly reader: Reader,
  ) {}

  of(group: JointGroup): CountedSide {
    const known = this.known.get(group);
    if (known !== undefined) return known;
    const [shown, hidden]: [Member[], Member[]] = [[], []];
    const workloads = new Set<string>();
    for (const member of group.membersAfter) {
      const end = this.endpointOf(member);
      if (end.kind === "pod") workloads.add(partyKey(partyOf(end, "workload")));
      (this.reader.maySee(end) ? shown : hidden).push(member);
    }
    const members = hidden.length === 0 ? shown : [...shown, ...hidden];
    const all = countedOf(members);
    const made = { members, workloads, all, shown: hidden.length === 0 ? all : countedOf(shown) };
    this.known.set(group, made);
    return made;
  }

  /** How many pairs of different ends two sides make, that stand so to each other; and how many of those are shown in full. */
  pairsBetween(
    from: JointGroup,
    to: JointGroup,
    nearness: Nearness | undefined,
  ): { readonly all: number; readonly shown: number } {
    const [a, b] = [this.of(from), this.of(to)];
    const isSame = from === to;
    const all = pairsOf(a.all, b.all, isSame, nearness);
    const isShown = a.shown === a.all && b.shown === b.all;
    return { all, shown: isShown ? all : pairsOf(a.shown, b.shown, isSame, nearness) };
  }

  endpointOf(member: Member): Exclude<Endpoint, { kind: "external" }> {
    if (!("hostNetwork" in member)) return { kind: "node", node: member };
    const namespace = this.cluster.namespaces.get(member.namespace);
    return { kind: "pod", pod: member, namespace: namespace ?? { name: member.namespace, labels: {} } };
  }
}

function countedOf(members: readonly Member[]): Counted {
  const nodes = members.map((member) => ("hostNetwork" in member ? member.node : member.name));
  return { count: members.length, on: countsOf(nodes) };
}

function pairsOf(a: Counted, b: Counted, isSame: boolean, nearness: Nearness | undefined): number {
  const all = a.count * b.count - (isSame ? a.count : 0);
  if (nearness === undefined || nearness === "unknown-node") return all;
  let own = 0;
  for (const [node, count] of a.on) own += count * (b.on.get(node) ?? 0);
  return nearness === "own-node" ? own : all - own;
}
