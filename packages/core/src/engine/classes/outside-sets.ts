import type { Cluster } from "../../cluster/model.js";
import { domainMatches } from "../../evaluate/domain.js";
import { selects } from "../../labels/requirement.js";
import { type Cidr, parseCidr, singleAddress } from "../../net/cidr.js";
import type { Address } from "../../net/address.js";
import { isNeverNamed, neverNamed } from "../../net/special-addresses.js";
import type { Peer } from "../../policy/model.js";
import type { AddressAtoms } from "../../sets/address-atoms.js";
import { ColumnSets } from "../../sets/column-sets.js";
import type { PeerSet } from "./peer-sets.js";
import { isRelative, peerKey, settlePeer } from "./settled-peer.js";
import type { EndClass } from "./ends.js";
import { serviceKey, type Vocabulary } from "./vocabulary.js";

interface Answers {
  readonly surely: (members: () => Iterable<number>) => PeerSet;
  readonly perhaps: (members: () => Iterable<number>) => PeerSet;
  readonly none: PeerSet;
}

const everyIpv4 = parseCidr("0.0.0.0/0")!;
const everyIpv6 = parseCidr("::/0")!;

/** Which external addresses the peers of rules hold; the columns are atoms of addresses. */
export class OutsideSets {
  readonly sets = new ColumnSets();
  private readonly ofPeer = new Map<Peer, PeerSet>();
  private readonly atoms: AddressAtoms;

  constructor(
    private readonly cluster: Cluster,
    private readonly vocabulary: Vocabulary,
  ) {
    this.atoms = vocabulary.atoms;
  }

  of(peer: Peer, subject: EndClass): PeerSet {
    const known = this.ofPeer.get(peer);
    if (known !== undefined) return known;
    const found = this.compute(peer, isRelative(peer) ? "pods" : peerKey(settlePeer(peer, subject)));
    this.ofPeer.set(peer, found);
    return found;
  }

  private compute(peer: Peer, key: string): PeerSet {
    const { facts } = this.cluster;
    const surely = (members: () => Iterable<number>): PeerSet => ({
      yes: this.sets.named(key, members),
      maybe: this.sets.empty,
    });
    const perhaps = (members: () => Iterable<number>): PeerSet => ({
      yes: this.sets.empty,
      maybe: this.sets.named(`maybe ${key}`, members),
    });
    // Rules that match no external addresses are skipped entirely.
    const none: PeerSet = { yes: this.sets.empty, maybe: this.sets.empty };
    const everywhere = () => Array.from({ length: this.atoms.count }, (_, i) => i);
    switch (peer.kind) {
      case "everything":
        return surely(everywhere);
      case "pods":
      case "nodes":
        return none;
      case "networks":
        return surely(() => this.within(peer.cidrs, peer.except));
      case "entity":
        return this.entity(peer, everywhere, { surely, perhaps, none });
      case "domains": {
        const records = facts.dns;
        if (records === undefined)
          return perhaps(() => (peer.patterns.length === 0 ? [] : this.without(everywhere(), neverNamed)));
        const resolved = records.filter(({ name }) => peer.patterns.some((p) => domainMatches(p, name)));
        return surely(() =>
          this.at(resolved.flatMap(({ addresses }) => addresses.filter((a) => !isNeverNamed(a)))),
        );
      }
      case "endpoints": {
        const { addresses, ofPods, open } = this.vocabulary.services.get(serviceKey(peer.services))!;
        const yes = new Set(this.within([...addresses, ...ofPods], []));
        const rest = open ? everywhere().filter((atom) => !yes.has(atom)) : [];
        return { ...surely(() => yes), maybe: this.sets.named(`maybe ${key}`, () => rest) };
      }
      case "cidr-group": {
        const groups = this.cluster.cidrGroups.filter((group) =>
          peer.labels === undefined ? group.name === peer.name : selects(peer.labels, group.labels),
        );
        if (groups.length === 0) return perhaps(() => this.without(everywhere(), peer.except));
        return surely(() =>
          this.within(
            groups.flatMap((group) => group.cidrs),
            peer.except,
          ),
        );
      }
      case "unknown-set":
        return perhaps(everywhere);
    }
  }

  /** S7.5, S7.13: of external addresses, those of a family, and those that are the API server or are not. */
  private entity(
    { entity, apiServer }: Extract<Peer, { kind: "entity" }>,
    everywhere: () => number[],
    { surely, perhaps, none }: Answers,
  ): PeerSet {
    const cidrs = { "world-ipv4": everyIpv4, "world-ipv6": everyIpv6 };
    const isServer = entity === "kube-apiserver" ? true : apiServer;
    const base = () =>
      entity === "world-ipv4" || entity === "world-ipv6" ? this.within([cidrs[entity]], []) : everywhere();
    if (entity === "cluster" || entity === "host" || entity === "remote-node") return none;
    if (isServer === undefined) return surely(base);
    const known = this.cluster.facts.apiServer;
    if (known === undefined) return perhaps(base);
    return surely(() => {
      const servers = new Set(this.at(known));
      return base().filter((atom) => servers.has(atom) === isServer);
    });
  }

  private at(addresses: readonly Address[]): number[] {
    return this.within(addresses.map(singleAddress), []);
  }

  private within(cidrs: readonly Cidr[], except: readonly Cidr[]): number[] {
    const found = new Set<number>();
    for (const [from, to] of cidrs.map((cidr) => this.atoms.rangeOf(cidr)))
      for (let atom = from; atom < to; atom++) found.add(atom);
    return this.without(
      [...found].toSorted((a, b) => a - b),
      except,
    );
  }

  private without(atoms: number[], except: readonly Cidr[]): number[] {
    const ranges = except.map((cidr) => this.atoms.rangeOf(cidr));
    return ranges.length === 0
      ? atoms
      : atoms.filter((atom) => !ranges.some(([from, to]) => atom >= from && atom < to));
  }
}
