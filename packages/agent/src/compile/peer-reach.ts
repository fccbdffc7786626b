import {
  AddressAtoms,
  type Address,
  type Cidr,
  type Cluster,
  contains,
  type Endpoint,
  explore,
  isRelative,
  namespaceFits,
  namespaceNameLabel,
  type Peer,
  peerKey,
  peerMatches,
  type SettledPeer,
  settlePeer,
  type Unknowns,
} from "@tierwall/core";
import type { End, Ends } from "./ends.js";
import { EndsInBlocks } from "./ends-in-blocks.js";
import { blocksOfPeer } from "./landmarks.js";
import type { Subject } from "./subjects.js";

/** `maybe`: something that would have to be known is not (S9.1). */
export type Membership = "yes" | "maybe" | "no";

/** Whom a peer means: the ends listed, and all others alike. */
export interface PeerReach {
  /** For addresses that no rule mentions. */
  readonly otherwise: Membership;
  /** Only those for whom it is not the same. */
  readonly listed: ReadonlyMap<End, Membership>;
}

interface Found {
  readonly peer: Peer;
  readonly settled: SettledPeer;
  readonly subject: Subject;
  reach: PeerReach;
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
  private cluster: Cluster | undefined;
  private namespacesInUse: ReadonlySet<string> = new Set();
  /** Of all ends, where a peer asked for it. */
  private inBlocks: EndsInBlocks | undefined;

  constructor(private readonly ends: Ends) {}

  /** Whether all that was found still holds. */
  update(cluster: Cluster): boolean {
    const stale = this.cluster === undefined ? new Set() : this.staleKinds(this.cluster, cluster);
    this.cluster = cluster;
    this.namespacesInUse = new Set(this.ends.podsIn.keys());
    this.inBlocks = undefined;
    const come = new EndsInBlocks(this.ends.come);
    for (const [key, found] of this.found)
      if (stale.has(found.peer.kind)) this.forget(key);
      else this.bringUpToDate(found, come);
    return stale.size === 0 && this.ends.come.size === 0 && this.ends.gone.size === 0;
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
  private staleKinds(before: Cluster, after: Cluster): ReadonlySet<Peer["kind"]> {
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
    for (const end of this.candidates(settled, otherwise)) {
      const membership = this.membership(peer, settled, otherwise, subject, end);
      if (membership !== otherwise) listed.set(end, membership);
    }
    const reach = { otherwise, listed };
    const made = { peer, settled, subject, reach, isWanted: true };
    this.found.set(key, made);
    this.ofPeer.set(peer, made);
    return reach;
  }

  private bringUpToDate(found: Found, comeInBlocks: EndsInBlocks): void {
    const { gone, come } = this.ends;
    const { otherwise, listed } = found.reach;
    let changed: Map<End, Membership> | undefined;
    for (const end of gone.size < listed.size ? gone : listed.keys())
      if (gone.has(end) && listed.has(end)) (changed ??= new Map(listed)).delete(end);
    const blocks = onlyBlocks(found.settled, otherwise);
    for (const end of blocks === undefined ? come : comeInBlocks.inAnyOf(blocks)) {
      const membership = this.membership(found.peer, found.settled, otherwise, found.subject, end);
      if (membership !== otherwise) (changed ??= new Map(listed)).set(end, membership);
    }
    if (changed !== undefined) found.reach = { otherwise, listed: changed };
  }

  /** Of an address that lies in none of the blocks that the peer looks at. */
  private otherwise(peer: Peer, settled: SettledPeer, subject: Subject): Membership {
    if (settled.kind === "pods" || settled.kind === "nobody") return "no";
    const address = addressOutside(blocksOfPeer(this.cluster!, peer));
    return this.ask(peer, subject, { kind: "external", address }, address.family);
  }

  /** Most selectors name their namespace, and most CIDRs hold few; then no others need to be looked at. */
  private *candidates(settled: SettledPeer, otherwise: Membership): Iterable<End> {
    if (settled.kind === "nobody" || settled.kind === "everything") return;
    const { podsIn } = this.ends;
    if (settled.kind !== "pods") {
      const blocks = onlyBlocks(settled, otherwise);
      if (blocks === undefined) yield* this.everybody();
      else yield* (this.inBlocks ??= new EndsInBlocks(this.everybody())).inAnyOf(blocks);
      return;
    }
    const { namespaces } = settled.choice;
    const named = namespaces.kind === "labels" ? namespaces.match.find(isNaming)?.values : undefined;
    const names = namespaces.kind === "named" ? [namespaces.name] : named;
    for (const name of new Set(names ?? podsIn.keys())) yield* podsIn.get(name) ?? [];
  }

  private *everybody(): Iterable<End> {
    yield* this.ends.others;
    for (const ends of this.ends.podsIn.values()) yield* ends;
  }

  private membership(
    peer: Peer,
    settled: SettledPeer,
    otherwise: Membership,
    subject: Subject,
    end: End,
  ): Membership {
    if (settled.kind === "pods") {
      if (end.kind !== "pod" || end.sample.kind !== "pod") return "no";
      if (!namespaceFits(settled.choice.namespaces, end.sample.namespace)) return "no";
      return this.holdsPod(peer, subject, end.sample) ? "yes" : "no";
    } else if (otherwise === "no" && end.kind === "pod" && !mayHoldPod(settled, end)) return "no";
    return this.ask(peer, subject, end.sample, end.family);
  }

  /** Of labels everything is known. */
  private holdsPod(peer: Peer, { sample: subject }: Subject, other: Endpoint): boolean {
    const flow = { source: other, destination: other, protocol: "TCP", port: 0 } as const;
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

const surprise = (): never => {
  throw new Error("a selector asked for something that is not known");
};

const nothingUnknown: Unknowns = {
  ask: surprise,
  isIn: surprise,
  isOneOf: surprise,
  note: () => undefined,
  supposing: () => nothingUnknown,
};

const isNaming = ({ key, operator }: { readonly key: string; readonly operator: string }): boolean =>
  key === namespaceNameLabel && operator === "In";

/** Blocks outside of which a peer holds nobody. */
function onlyBlocks(settled: SettledPeer, otherwise: Membership): readonly Cidr[] | undefined {
  return settled.kind === "networks" && otherwise === "no" ? settled.cidrs : undefined;
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
