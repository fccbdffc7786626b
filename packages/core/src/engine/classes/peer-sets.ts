import type { Cluster } from "../../cluster/model.js";
import { explore } from "../../evaluate/facts.js";
import type { Flow, PodEndpoint } from "../../evaluate/flow.js";
import { addressesOf, peerMatches } from "../../evaluate/match.js";
import type { Family } from "../../net/address.js";
import type { Peer, ServiceSelection } from "../../policy/model.js";
import { type ColumnSet, ColumnSets } from "../../sets/column-sets.js";
import type { EndClass, Ends } from "./ends.js";
import { ByNamespace } from "./by-namespace.js";
import { type NamespaceChoice, Selections } from "./selection.js";
import { isRelative, peerKey, type PodsPeer, type SettledPeer, settlePeer } from "./settled-peer.js";
import { serviceKey } from "./vocabulary.js";

/** The columns a peer surely holds, and those it may hold: some fact about them is not known. */
export interface PeerSet {
  readonly yes: ColumnSet;
  readonly maybe: ColumnSet;
}

interface Found {
  readonly peer: SettledPeer;
  readonly set: PeerSet;
}

export type Membership = "yes" | "no" | "maybe";

/** Which pods and hosts the peers of rules hold, for connections of one address family. */
export class PeerSets {
  readonly sets = new ColumnSets();
  readonly selections: Selections;
  private readonly profiles = new Map<string, Profile>();
  /** Profiles of one address, by its atom, and all others. */
  private readonly atAtom = new Map<number, Profile>();
  private readonly severalOrNone: Profile[] = [];
  private readonly found = new Map<string, Found>();
  private readonly byNamespace = new ByNamespace<Found>();
  private readonly ofPeer = new Map<Peer, PeerSet>();

  constructor(
    private readonly cluster: Cluster,
    private readonly ends: Ends,
    private readonly family: Family | undefined,
  ) {
    this.selections = new Selections(ends);
    for (const end of ends.classes) this.addToProfile(end);
  }

  of(peer: Peer, subject: EndClass): PeerSet {
    if (isRelative(peer)) return this.ofSettled(settlePeer(peer, subject));
    const known = this.ofPeer.get(peer);
    if (known !== undefined) return known;
    const found = this.ofSettled(settlePeer(peer, subject));
    this.ofPeer.set(peer, found);
    return found;
  }

  private ofSettled(peer: SettledPeer): PeerSet {
    const key = peerKey(peer);
    const known = this.found.get(key);
    if (known !== undefined) return known.set;
    const set = this.compute(peer, key);
    const found = { peer, set };
    this.found.set(key, found);
    this.byNamespace.add(peer.kind === "pods" ? peer.choice.namespaces : everyNamespace, found);
    return set;
  }

  /** A class of pods that was added later than all others. */
  addClass(end: EndClass): void {
    this.addToProfile(end);
    const { sample } = end;
    for (const { peer, set } of this.byNamespace.in(sample.kind === "pod" ? sample.namespace.name : "")) {
      const membership = this.membership(peer, end, false);
      if (membership !== "no") this.sets.append(set[membership], end.column);
    }
  }

  private compute(peer: SettledPeer, key: string): PeerSet {
    const { sets, ends } = this;
    if (peer.kind === "everything")
      return { yes: sets.named(key, () => ends.classOfColumn.keys()), maybe: sets.empty };
    if (peer.kind === "pods") {
      const classes = this.selections.classesOf(peer.choice);
      return { yes: sets.named(key, () => classes.map((i) => ends.classes[i]!.column)), maybe: sets.empty };
    }
    if (peer.kind === "networks" && peer.reach === "every-address") return this.networks(peer, key);
    const found = { yes: [] as number[], no: [] as number[], maybe: [] as number[] };
    for (const [column, index] of ends.classOfColumn.entries())
      found[this.membership(peer, ends.classes[index]!, ends.isOwnColumn[column]!)].push(column);
    return {
      yes: sets.named(key, () => found.yes),
      maybe: sets.named(`maybe ${key}`, () => found.maybe),
    };
  }

  /** Whether a peer holds one column; `own` where a host is seen by the pods that run on it. */
  private membership(peer: SettledPeer, end: EndClass, own: boolean): Membership {
    const isHost = end.kind === "host";
    switch (peer.kind) {
      case "nothing":
      case "cidr-group":
        return "no";
      case "everything":
        return "yes";
      case "pods":
        return yesIf(this.selections.includes(peer.choice, end.index));
      case "networks":
      case "domains":
        return peer.reach === "external" ? "no" : this.ask(peer, end);
      case "nodes":
        return isHost ? this.ask(peer, end) : "no";
      case "entity":
        return this.entity(peer, end, own);
      case "endpoints":
        return this.isBehind(peer.services, end);
      case "unknown-set":
        return peer.reach === "external" ? "no" : "maybe";
    }
  }

  // S7.5, S7.13, S7.14
  private entity(
    { entity, nodes, apiServer }: Extract<Peer, { kind: "entity" }>,
    end: EndClass,
    own: boolean,
  ): Membership {
    const isHost = end.kind === "host";
    const isServer = () => (isHost ? this.ask({ kind: "entity", entity: "kube-apiserver" }, end) : "no");
    const base = {
      world: () => "no" as const,
      "world-ipv4": () => "no" as const,
      "world-ipv6": () => "no" as const,
      cluster: () => "yes" as const,
      host: () => yesIf(isHost && own),
      "remote-node": () => yesIf(isHost && !own),
      "kube-apiserver": isServer,
    }[entity]();
    if (base === "no" || (nodes === undefined && apiServer === undefined)) return base;
    return all([
      base,
      nodes === undefined ? "yes" : this.ask({ kind: "nodes", nodes }, end),
      apiServer === undefined ? "yes" : apiServer ? isServer() : not(isServer()),
    ]);
  }

  /** S2.3, S3.4: most endpoints have one address, whose atom decides. Of the others, one per profile is evaluated. */
  private networks(peer: Extract<Peer, { kind: "networks" }>, key: string): PeerSet {
    const { atoms } = this.ends.vocabulary;
    const found = { yes: [] as number[], no: [] as number[], maybe: [] as number[] };
    const excepted = peer.except.map((cidr) => atoms.rangeOf(cidr));
    const isExcepted = (atom: number) => excepted.some(([first, behind]) => atom >= first && atom < behind);
    const seen = new Set<Profile>();
    for (const cidr of peer.cidrs)
      for (const profile of this.profilesWithin(atoms.rangeOf(cidr))) {
        if (seen.has(profile)) continue;
        seen.add(profile);
        if (!isExcepted(profile.atoms[0]!)) found.yes.push(...profile.columns);
      }
    for (const profile of this.severalOrNone) {
      const end = this.ends.classes[this.ends.classOfColumn[profile.columns[0]!]!]!;
      found[this.ask(peer, end)].push(...profile.columns);
    }
    return {
      yes: this.sets.named(key, () => found.yes.toSorted(ascending)),
      maybe: this.sets.named(`maybe ${key}`, () => found.maybe.toSorted(ascending)),
    };
  }

  private *profilesWithin([from, to]: readonly [number, number]): Iterable<Profile> {
    if (to - from > this.atAtom.size) {
      for (const [atom, profile] of this.atAtom) if (atom >= from && atom < to) yield profile;
    } else
      for (let atom = from; atom < to; atom++) {
        const profile = this.atAtom.get(atom);
        if (profile !== undefined) yield profile;
      }
  }

  private addToProfile(end: EndClass): void {
    const atoms = this.atomsOf(end);
    // With one address, nothing else about an end matters to a CIDR.
    const key = atoms.length === 1 ? `${atoms[0]}` : `${end.kind} ${atoms.join()}`;
    const columns = end.kind === "host" ? [end.column, end.ownColumn] : [end.column];
    const known = this.profiles.get(key);
    if (known !== undefined) {
      known.columns.push(...columns);
      return;
    }
    const made: Profile = { atoms, columns };
    this.profiles.set(key, made);
    if (atoms.length === 1) this.atAtom.set(atoms[0]!, made);
    else this.severalOrNone.push(made);
  }

  private atomsOf(end: EndClass): readonly number[] {
    const { sample } = end;
    // Nearly all classes: a pod with one address.
    if (sample.kind === "pod" && sample.pod.addresses.length === 1) {
      const [only] = sample.pod.addresses;
      if (this.family === undefined || only!.family === this.family)
        return [this.ends.vocabulary.atoms.indexOf(only!)];
    }
    return addressesOf(end.sample, this.situation(end)).map((a) => this.ends.vocabulary.atoms.indexOf(a));
  }

  // S7.11
  private isBehind(selection: ServiceSelection, end: EndClass): Membership {
    const { services, atoms } = this.ends.vocabulary;
    const { pods, addresses, ofPods, open } = services.get(serviceKey(selection))!;
    if (end.sample.kind === "pod" && pods.has(end.sample.pod)) return "yes";
    const leading = end.sample.kind === "pod" ? addresses : [...addresses, ...ofPods];
    const own = this.atomsOf(end);
    if (leading.some((cidr) => own.includes(atoms.rangeOf(cidr)[0]))) return "yes";
    return open ? "maybe" : "no";
  }

  /** What the literal evaluator says of a sample, for peers that look at no subject. */
  private ask(peer: Exclude<Peer, PodsPeer>, end: EndClass): Membership {
    const runs = explore((unknowns) =>
      peerMatches(peer, anySubject, end.sample, { ...this.situation(end), unknowns }),
    );
    if (runs.every((run) => run.value)) return "yes";
    return runs.some((run) => run.value) ? "maybe" : "no";
  }

  private situation({ sample }: EndClass): { readonly cluster: Cluster; readonly flow: Flow } {
    const flow = { source: sample, destination: sample, protocol: "TCP", port: 0 } as const;
    return {
      cluster: this.cluster,
      flow: this.family === undefined ? flow : { ...flow, family: this.family },
    };
  }
}

/** Endpoints with addresses in the same atoms: no CIDR distinguishes them. */
interface Profile {
  readonly atoms: readonly number[];
  readonly columns: number[];
}

const everyNamespace: NamespaceChoice = { kind: "labels", match: [] };

const yesIf = (holds: boolean): Membership => (holds ? "yes" : "no");

const ascending = (a: number, b: number): number => a - b;

const anySubject: PodEndpoint = {
  kind: "pod",
  pod: {
    namespace: "",
    name: "",
    labels: {},
    addresses: [],
    hostNetwork: false,
    ports: [],
    serviceAccount: "",
    hostAddresses: [],
  },
  namespace: { name: "", labels: {} },
};

const all = (parts: readonly Membership[]): Membership =>
  parts.includes("no") ? "no" : parts.includes("maybe") ? "maybe" : "yes";

const not = (part: Membership): Membership => (part === "maybe" ? part : yesIf(part === "no"));
