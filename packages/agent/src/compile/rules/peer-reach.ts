import {
  AddressAtoms,
  explore,
  namedNamespaces,
  namespaceFits,
  peerKey,
  peerMatches,
  type SettledPeer,
  settlePeer,
} from "@tierwall/core/engine";
import {
  type Address,
  type Cidr,
  contains,
  type Endpoint,
  type Inventory,
  type Peer,
} from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import { type End, type Population, removeAll } from "../endpoints/end-store.js";
import type { Ends } from "../endpoints/ends.js";
import { blocksOfPeer } from "../endpoints/address-vocabulary.js";
import { sameList } from "../../ruleset/equality.js";
import type { Subject } from "./subjects.js";

/** `maybe`: a fact is missing (S9.1). */
export type Membership = "yes" | "maybe" | "no";

/** The ends that a peer matches: the listed ones, and a default for all others. */
export interface PeerReach {
  /** For addresses that no rule mentions. */
  readonly otherwise: Membership;
  /** Only the ends that differ from it. */
  readonly listed: ReadonlyMap<End, Membership>;
  /** Those that the last update added. */
  readonly come: readonly End[];
}

interface Found {
  readonly peer: Peer;
  readonly settled: SettledPeer;
  readonly subject: Subject;
  readonly reach: PeerReach & { readonly listed: Map<End, Membership>; come: readonly End[] };
}

/** Finds the ends that the peers of rules match, with the evaluator. Results are updated when ends are added or removed. */
export class PeerReaches {
  private readonly found = new Map<string, Found>();

  constructor(
    private cluster: Inventory,
    private readonly ends: Ends,
  ) {}

  /** Whether the results hold for another state of the cluster, except for endpoints that were added or removed. */
  holdFor(cluster: Inventory): boolean {
    const isStale = staleIn(this.cluster, cluster, this.ends.namespacesChanged);
    for (const { peer } of this.found.values()) if (isStale(peer)) return false;
    return true;
  }

  /** Updates the results for a state for which `holdFor` is true. */
  update(cluster: Inventory): void {
    this.cluster = cluster;
    const isSame = this.ends.come.isEmpty && this.ends.gone.size === 0;
    for (const found of this.found.values()) {
      if (!isSame) removeAll(this.ends.gone, found.reach.listed);
      found.reach.come = isSame ? [] : this.list(this.ends.come, found, found.reach);
    }
  }

  /** Peers that mean the same match the same ends, whatever the subject. */
  of(peer: Peer, subject: Subject): PeerReach {
    const settled = settlePeer(peer, subject);
    return getOrInsert(this.found, peerKey(settled), () => this.find(peer, settled, subject)).reach;
  }

  private find(peer: Peer, settled: SettledPeer, subject: Subject): Found {
    const otherwise = this.otherwise(peer, settled, subject);
    const reach = { otherwise, listed: new Map<End, Membership>(), come: [] };
    const found = { peer, settled, subject, reach };
    this.list(this.ends.all, found, reach);
    return found;
  }

  /** Adds the ends to the list that differ from the default. */
  private list(
    population: Population,
    { peer, settled, subject }: Pick<Found, "peer" | "settled" | "subject">,
    { otherwise, listed }: Found["reach"],
  ): readonly End[] {
    const come: End[] = [];
    for (const end of candidatesIn(population, settled, otherwise)) {
      const membership = this.membershipOfAll([peer], subject, end);
      if (membership === otherwise) continue;
      listed.set(end, membership);
      come.push(end);
    }
    return come;
  }

  /** For an address outside of all blocks of the peer. */
  private otherwise(peer: Peer, settled: SettledPeer, subject: Subject): Membership {
    if (settled.kind === "pods" || settled.kind === "nothing") return "no";
    const address = addressOutside(blocksOfPeer(this.cluster, peer));
    return this.ask(peer, subject, { kind: "external", address }, address.family);
  }

  /** S1.16, S1.17: certain if it is the same for each of the endpoints, whichever peer matches. */
  membershipOfAll(
    peers: readonly Peer[],
    subject: Subject,
    { sample, alternatives, family }: End,
  ): Membership {
    const [first, ...others] = [sample, ...alternatives].map((one) =>
      strongest(peers.map((peer) => this.ask(peer, subject, one, family))),
    );
    return others.every((other) => other === first) ? first! : "maybe";
  }

  /** The answer of the evaluator, over all combinations of missing facts. */
  ask(peer: Peer, { sample: subject }: Subject, other: Endpoint, family: Address["family"]): Membership {
    const flow = { source: other, destination: other, protocol: "TCP", port: 0, family } as const;
    const { cluster } = this;
    const runs = explore((unknowns) => peerMatches(peer, subject, other, { flow, cluster, unknowns }));
    if (runs.every((run) => run.value)) return "yes";
    return runs.some((run) => run.value) ? "maybe" : "no";
  }
}

export function strongest(memberships: readonly Membership[]): Membership {
  if (memberships.includes("yes")) return "yes";
  return memberships.includes("maybe") ? "maybe" : "no";
}

/** Whether a peer depends on something other than ends, and it changed. */
function staleIn(before: Inventory, after: Inventory, namespacesChanged: boolean): (peer: Peer) => boolean {
  const stale = new Set<Peer["kind"]>();
  if (before.facts !== after.facts) stale.add("entity").add("domains");
  if (!sameList(before.cidrGroups, after.cidrGroups)) stale.add("cidr-group");
  if (!sameList(before.services, after.services)) stale.add("endpoints");
  if (namespacesChanged) stale.add("pods");
  return ({ kind }) => stale.has(kind);
}

/** Most selectors name their namespace, and most CIDRs contain few ends; then only these are candidates. */
function* candidatesIn(population: Population, settled: SettledPeer, otherwise: Membership): Iterable<End> {
  if (settled.kind === "nothing" || settled.kind === "everything") return;
  if (settled.kind === "pods") {
    const { podsIn, ambiguous } = population;
    const { namespaces } = settled.choice;
    yield* ambiguous;
    for (const name of namedNamespaces(namespaces) ?? podsIn.keys()) {
      const ends = podsIn.get(name) ?? [];
      const [one] = ends;
      if (one?.sample.kind === "pod" && namespaceFits(namespaces, one.sample.namespace)) yield* ends;
    }
    // Outside of its blocks such a peer matches nothing.
  } else if (settled.kind === "networks" && otherwise === "no") yield* population.inAnyOf(settled.cidrs);
  else yield* population;
}

function addressOutside(blocks: readonly Cidr[]): Address {
  const atoms = new AddressAtoms(blocks);
  for (let atom = 0; atom < atoms.count; atom++) {
    const first = atoms.firstOf(atom);
    if (!blocks.some((block) => contains(block, first))) return first;
  }
  return atoms.firstOf(0);
}
