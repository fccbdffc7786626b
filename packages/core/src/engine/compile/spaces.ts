import type { Cluster } from "../../cluster/model.js";
import type { Family } from "../../net/address.js";
import type { Direction, Tier } from "../../policy/model.js";
import type { EndClass, Ends } from "../classes/ends.js";
import type { Layer } from "./layer.js";
import type { CellStates } from "../walk/cell-states.js";
import { OutsideSets } from "../classes/outside-sets.js";
import { PeerSets } from "../classes/peer-sets.js";
import { ofHost, ofPod, ownHost, RuleItems, type Space } from "./rule-items.js";
import type { RulePorts } from "./rule-ports.js";
import { TierRows } from "./tier-rows.js";
import { TierTable } from "./tier-table.js";

/** The rules of namespaces look at few columns each, those of the cluster at most. */
const isLocal = ({ name }: Tier): boolean => name === "network-policy";

/** What rules may look at, in connections of one address family, and how tiers are compiled against it. */
export class Spaces {
  private readonly peers: PeerSets;
  readonly inside: Space;
  private readonly outside: Space;

  constructor(
    cluster: Cluster,
    private readonly ends: Ends,
    private readonly ports: RulePorts,
    family: Family | undefined,
  ) {
    const peers = new PeerSets(cluster, ends, family);
    const addresses = new OutsideSets(cluster, ends.vocabulary);
    this.peers = peers;
    this.inside = {
      get columns() {
        return ends.columns;
      },
      sets: peers.sets,
      of: (peer, subject) => peers.of(peer, subject),
      portNamings: () => ends.portNamings(),
      portNamingAt: (column) => ends.portNaming(ends.classes[ends.classOfColumn[column]!]!),
      kinds: 3,
      kindOf: (column) => kindAt(ends, column),
      ownHosts: () => ends.hostClasses.map((index) => ends.classes[index]!.ownColumn),
    };
    this.outside = {
      columns: ends.vocabulary.atoms.count,
      sets: addresses.sets,
      of: (peer, subject) => addresses.of(peer, subject),
      portNamings: () => [undefined],
      portNamingAt: () => undefined,
      kinds: 1,
      kindOf: () => ofPod,
      ownHosts: () => [],
    };
  }

  compile(direction: Direction, tier: Tier, states: CellStates): Layer {
    const rows = TierRows.of(tier, direction, this.ends, this.peers.selections);
    const table = (space: Space, grouped: boolean) => {
      const items = new RuleItems(direction, space, this.ports, (end) => this.ends.portNaming(end));
      return new TierTable(rows, direction, space, items, states, grouped);
    };
    return {
      tier,
      rows,
      inside: table(this.inside, !isLocal(tier)),
      outside: table(this.outside, false),
    };
  }

  /** A class of pods that was added later than all others. */
  addClass(end: EndClass): void {
    this.peers.addClass(end);
  }
}

function kindAt(ends: Ends, column: number): number {
  if (ends.classes[ends.classOfColumn[column]!]!.kind === "pod") return ofPod;
  return ends.isOwnColumn[column]! ? ownHost : ofHost;
}
