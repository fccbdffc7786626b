import {
  AddressAtoms,
  explore,
  isRelative,
  namespaceFits,
  peerKey,
  peerMatches,
  type SettledPeer,
  settlePeer,
  type Unknowns,
} from "@tierwall/core/engine";
import {
  type Address,
  type Cidr,
  contains,
  type Endpoint,
  type Inventory,
  type Peer,
} from "@tierwall/core/model";
import type { End, Ends } from "./ends.js";
import { EndsInBlocks } from "./ends-in-blocks.js";
import { blocksOfPeer } from "./landmarks.js";
import { namesIn } from "./namespaces.js";
import { type Population, removeAll } from "./population.js";
import type { Subject } from "./subjects.js";

/** `maybe`: something that would have to be known is not (S9.1). */
export type Membership = "yes" | "maybe" | "no";

/** Whom a peer means: the ends listed, and all others alike. */
export interface PeerReach {
  /** For addresses that no rule mentions. */
  readonly otherwise: Membership;
  /** Only those for whom it is not the same. */
  readonly listed: ReadonlyMap<End, Membership>;
  /** Those of them who came with the last update. */
  readonly come: readonly End[];
}

interface Found {
  readonly peer: Peer;
  readonly settled: SettledPeer;
  readonly subject: Subject;
  readonly reach: PeerReach & { readonly listed: Map<End, Membership>; come: readonly End[] };
  isWanted: boolean;
}

/**
 * Finds whom the peers of rules mean, with the evaluator's own words for it. What was found is kept, and brought up to
 * date with the ends that came and went.
 */
export class PeerReaches {
  private readonly found = new Map<string, Found>();
  /** Of peers that are not relative. */
  private ofPeer = new WeakMap<Peer, Found>();
  private cluster: Inventory | undefined;
  private namespacesInUse: ReadonlySet<string> = new Set();
  private all: Crowd;

  constructor(private readonly ends: Ends) {
    this.all = new Crowd(ends.all);
  }

  /** Whether all that was found still holds; or does but for the ends that came and went; or does not. */
  update(cluster: Inventory): "same" | "ends" | "other" {
    const stale = this.cluster === undefined ? new Set() : this.staleKinds(this.cluster, cluster);
    this.cluster = cluster;
    this.namespacesInUse = new Set(this.ends.all.podsIn.keys());
    this.all = new Crowd(this.ends.all);
    const come = new Crowd(this.ends.come);
    const isSame = this.ends.come.isEmpty && this.ends.gone.size === 0;
    for (const [key, found] of this.found)
      if (stale.has(found.peer.kind)) this.forget(key);
      else if (isSame) found.reach.come = [];
      else this.bringUpToDate(found, come);
    if (stale.size > 0) return "other";
    return isSame ? "same" : "ends";
  }

  /** Lets `use` ask for all peers that there are; what was not asked for is forgotten. */
  renew<T>(use: () => T): T {
    for (const found of this.found.values()) found.isWanted = false;
    const made = use();
    for (const [key, { isWanted }] of this.found) if (!isWanted) this.forget(key);
    return made;
  }

  private forget(key: string): void {
    this.found.delete(key);
    this.ofPeer = new WeakMap();
  }

  /** Kinds of peers that look at something else than ends, and it changed. */
  private staleKinds(before: Inventory, after: Inventory): ReadonlySet<Peer["kind"]> {
    const stale = new Set<Peer["kind"]>();
    if (before.facts !== after.facts) stale.add("entity").add("domains");
    if (!isSameList(before.cidrGroups, after.cidrGroups)) stale.add("cidr-group");
    if (!isSameList(before.services, after.services)) stale.add("endpoints");
    const isOther = (name: string) => before.namespaces.get(name) !== after.namespaces.get(name);
    if ([...this.namespacesInUse].some(isOther)) stale.add("pods");
    return stale;
  }

  /** Peers that are not relative mean the same whichever pod of this node is the subject. */
  of(peer: Peer, subject: Subject): PeerReach {
    const same = isRelative(peer) ? undefined : this.ofPeer.get(peer);
    if (same !== undefined) {
      same.isWanted = true;
      return same.reach;
    }
    const settled = settlePeer(peer, subject);
    const key = peerKey(settled);
    const known = this.found.get(key);
    if (known !== undefined) {
      known.isWanted = true;
      this.ofPeer.set(peer, known);
      return known.reach;
    }
    const otherwise = this.otherwise(peer, settled, subject);
    const listed = new Map<End, Membership>();
    this.list(this.all, { peer, settled, subject }, otherwise, listed);
    const reach = { otherwise, listed, come: [] };
    const made = { peer, settled, subject, reach, isWanted: true };
    this.found.set(key, made);
    this.ofPeer.set(peer, made);
    return reach;
  }

  private bringUpToDate({ peer, settled, subject, reach }: Found, crowd: Crowd): void {
    const { otherwise, listed } = reach;
    removeAll(this.ends.gone, listed);
    reach.come = this.list(crowd, { peer, settled, subject }, otherwise, listed);
  }

  /** Puts into the list whoever does not belong there like all others. */
  private list(
    crowd: Crowd,
    { peer, settled, subject }: Pick<Found, "peer" | "settled" | "subject">,
    otherwise: Membership,
    listed: Map<End, Membership>,
  ): readonly End[] {
    const come: End[] = [];
    for (const group of crowd.candidates(settled, otherwise)) {
      let who: string | undefined;
      let membership = otherwise;
      for (const end of group) {
        // The ends of a pod stand side by side, and selectors do not look at addresses.
        if (settled.kind !== "pods" || end.kind === "ambiguous" || end.who !== who)
          membership = this.membership(peer, settled, otherwise, subject, end);
        who = end.who;
        if (membership === otherwise) continue;
        listed.set(end, membership);
        come.push(end);
      }
    }
    return come;
  }

  /** Of an address that lies in none of the blocks that the peer looks at. */
  private otherwise(peer: Peer, settled: SettledPeer, subject: Subject): Membership {
    if (settled.kind === "pods" || settled.kind === "nobody") return "no";
    const address = addressOutside(blocksOfPeer(this.cluster!, peer));
    return this.ask(peer, subject, { kind: "external", address }, address.family);
  }

  private membership(
    peer: Peer,
    settled: SettledPeer,
    otherwise: Membership,
    subject: Subject,
    end: End,
  ): Membership {
    if (end.kind === "ambiguous") return this.membershipOfAll([peer], subject, end);
    if (settled.kind === "pods") {
      if (end.kind !== "pod" || end.sample.kind !== "pod") return "no";
      return this.holdsPod(peer, subject, end) ? "yes" : "no";
    } else if (otherwise === "no" && end.kind === "pod" && !mayHoldPod(settled, end)) return "no";
    if (settled.kind === "networks" && hasOneAddress(end))
      return this.holdsPod(peer, subject, end) ? "yes" : "no";
    return this.ask(peer, subject, end.sample, end.family);
  }

  /** S1.16, S1.17: what holds of each of them is certain, whichever of the peers it holds by. */
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

  /** Of labels everything is known, and of a single address. */
  private holdsPod(peer: Peer, { sample: subject }: Subject, { sample: other, family }: End): boolean {
    const flow = { source: other, destination: other, protocol: "TCP", port: 0, family } as const;
    return peerMatches(peer, subject, other, { flow, cluster: this.cluster!, unknowns: nothingUnknown });
  }

  /** What the evaluator says, over all that is not known. */
  ask(peer: Peer, { sample: subject }: Subject, other: Endpoint, family: Address["family"]): Membership {
    const flow = { source: other, destination: other, protocol: "TCP", port: 0, family } as const;
    const cluster = this.cluster!;
    const runs = explore((unknowns) => peerMatches(peer, subject, other, { flow, cluster, unknowns }));
    if (runs.every((run) => run.value)) return "yes";
    return runs.some((run) => run.value) ? "maybe" : "no";
  }
}

export function strongest(memberships: readonly Membership[]): Membership {
  if (memberships.includes("yes")) return "yes";
  return memberships.includes("maybe") ? "maybe" : "no";
}

/** Ends among whom a peer looks for those it may hold. */
class Crowd {
  private inBlocks: EndsInBlocks | undefined;

  constructor(private readonly population: Population) {}

  /** Most selectors name their namespace, and most CIDRs hold few; then no others need to be looked at. */
  candidates(settled: SettledPeer, otherwise: Membership): readonly Iterable<End>[] {
    if (settled.kind === "nobody" || settled.kind === "everything") return [];
    if (settled.kind === "pods") return this.pods(settled);
    // Outside of its blocks such a peer holds nobody.
    if (settled.kind === "networks" && otherwise === "no")
      return [(this.inBlocks ??= new EndsInBlocks(this.population)).inAnyOf(settled.cidrs)];
    return [this.population];
  }

  private pods({ choice: { namespaces } }: Extract<SettledPeer, { kind: "pods" }>): readonly Iterable<End>[] {
    const { podsIn } = this.population;
    const named = namespaces.kind === "labels" ? namesIn(namespaces.match) : undefined;
    const names = namespaces.kind === "named" ? [namespaces.name] : named;
    const found: Iterable<End>[] = [this.population.ambiguous];
    for (const name of new Set(names ?? podsIn.keys())) {
      const ends = podsIn.get(name);
      const [one] = ends ?? [];
      if (ends && one?.sample.kind === "pod" && namespaceFits(namespaces, one.sample.namespace))
        found.push(ends);
    }
    return found;
  }
}

const surprise = (): never => {
  throw new Error("a peer asked for something that is not known of a pod");
};

const nothingUnknown: Unknowns = {
  ask: surprise,
  isIn: surprise,
  isOneOf: surprise,
  note: () => undefined,
  supposing: () => nothingUnknown,
};

function hasOneAddress({ kind, sample, family }: End): boolean {
  if (kind !== "pod" || sample.kind !== "pod") return false;
  let count = 0;
  for (const address of sample.pod.addresses) if (address.family === family) count++;
  return count === 1;
}

/** Of a peer that holds hardly anybody: what a pod must have before it is worth a closer look. */
function mayHoldPod(settled: SettledPeer, end: End): boolean {
  switch (settled.kind) {
    case "networks":
    case "domains":
      return settled.reach === "every-address" && end.blocks !== "";
    case "endpoints":
      return end.service !== "";
    case "entity":
      return settled.entity === "cluster";
    case "nodes":
    case "cidr-group":
      return false;
    case "everything":
    case "nobody":
    case "pods":
    case "unknown-set":
      return true;
  }
}

function addressOutside(blocks: readonly Cidr[]): Address {
  const atoms = new AddressAtoms(blocks);
  for (let atom = 0; atom < atoms.count; atom++) {
    const first = atoms.firstOf(atom);
    if (!blocks.some((block) => contains(block, first))) return first;
  }
  return atoms.firstOf(0);
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((value, i) => value === b[i]));
