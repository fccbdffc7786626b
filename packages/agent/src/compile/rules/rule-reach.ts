import { isRelative, peerKey, settlePeer } from "@tierwall/core/engine";
import type { Endpoint, PortMatch } from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import { type End, removeAll } from "../endpoints/end-store.js";
import type { Ends } from "../endpoints/ends.js";
import { type DomainsPeer, type NameSets, nameSetsOf } from "./name-sets.js";
import { type Membership, type PeerReach, type PeerReaches, strongest } from "./peer-reach.js";
import type { RuleRecord } from "./rule-book.js";
import type { Subject } from "./subjects.js";

export type PlainPort = Exclude<PortMatch, { kind: "named" }>;

/** What a rule does for one end. */
export interface Item {
  readonly record: RuleRecord;
  /** Unique among items. */
  readonly number: number;
  readonly ports: "every" | readonly PlainPort[];
  /** The rule matches addresses that one of these names resolved to. */
  readonly names: readonly NameSets[];
  /** It is unknown whether the rule matches. Only for Pass rules; others fail closed. */
  readonly uncertain: boolean;
}

/** What a rule does for all ends. */
export interface RuleReach {
  readonly record: RuleRecord;
  /** Unique among reaches. */
  readonly number: number;
  /** Depends on the meaning of rule and subject, not on the ends. */
  readonly key: string;
  readonly otherwise: Item | undefined;
  readonly listed: ReadonlyMap<End, Item | undefined>;
  /** The ends for which the last update changed something. */
  readonly changed: readonly End[];
}

interface Found {
  readonly subject: Subject;
  readonly reach: RuleReach & { readonly listed: Map<End, Item | undefined>; changed: readonly End[] };
  readonly inputs: readonly PeerReach[];
  readonly items: Items;
}

/** Determines what rules do for each end. Results are updated when ends are added or removed. */
export class RuleReaches {
  private readonly found = new Map<RuleRecord, Map<string, Found>>();
  private numbers = 0;

  constructor(
    private readonly peers: PeerReaches,
    private readonly ends: Ends,
  ) {}

  /** To be called when only ends were added or removed. */
  grow(): void {
    for (const variants of this.found.values()) for (const found of variants.values()) this.growOne(found);
  }

  of(record: RuleRecord, subject: Subject): RuleReach {
    const key = variantOf(record, subject);
    const variants = getOrInsert(this.found, record, () => new Map());
    const known = variants.get(key);
    if (known !== undefined) return known.reach;
    const inputs = record.rule.peers.map((peer) => this.peers.of(peer, subject));
    const items = new Items(record, subject, () => ++this.numbers);
    const reach = this.compute(record, subject, items, key, inputs);
    variants.set(key, { subject, inputs, items, reach });
    return reach;
  }

  private compute(
    record: RuleRecord,
    subject: Subject,
    items: Items,
    key: string,
    inputs: readonly PeerReach[],
  ): Found["reach"] {
    const reach = {
      record,
      number: ++this.numbers,
      key: `${record.entry.id} ${key}`,
      otherwise: items.of(membershipOf(undefined, inputs), undefined),
      listed: new Map<End, Item | undefined>(),
      changed: [],
    };
    this.list(this.candidates(record, inputs), membershipIn(inputs), { subject, items, reach });
    return reach;
  }

  /** Adds the ends to the list for which the rule does something other than the default. */
  private list(
    ends: Iterable<End>,
    ofOne: (end: End) => Membership,
    { subject, items, reach }: Pick<Found, "subject" | "items" | "reach">,
  ): readonly End[] {
    const come: End[] = [];
    const isAlike = !looksAtAll(reach.record);
    const known = new Map<Membership, Item | undefined>();
    for (const end of ends) {
      const membership = this.ofWholeRule(ofOne(end), reach.record, subject, end);
      // If a rule depends on nothing else, all ends with the same membership are treated alike.
      if (!isAlike || !known.has(membership)) known.set(membership, items.of(membership, end));
      const item = known.get(membership);
      if (item === reach.otherwise) continue;
      reach.listed.set(end, item);
      come.push(end);
    }
    return come;
  }

  /** S1.17: peers that match different pods of one address can match all of them together. */
  private ofWholeRule(
    found: Membership,
    { rule: { peers } }: RuleRecord,
    subject: Subject,
    end: End,
  ): Membership {
    if (found !== "maybe" || end.kind !== "ambiguous" || peers.length < 2) return found;
    return this.peers.membershipOfAll(peers, subject, end);
  }

  private growOne(found: Found): void {
    const { reach, inputs } = found;
    const come = looksAtAll(reach.record) ? this.ends.come : new Set(inputs.flatMap((input) => input.come));
    const gone = removeAll(this.ends.gone, reach.listed);
    reach.changed = [...gone, ...this.list(come, (end) => membershipOf(end, inputs), found)];
  }

  private *candidates(record: RuleRecord, inputs: readonly PeerReach[]): Iterable<End> {
    if (looksAtAll(record)) yield* this.ends.all;
    else if (inputs.length === 1) yield* inputs[0]!.listed.keys();
    else yield* new Set(inputs.flatMap(({ listed }) => [...listed.keys()]));
  }
}

/** The items of a rule, each made once. */
class Items {
  private readonly made = new Map<string, Item | undefined>();
  /** The ports at the subject, for ingress. */
  private readonly ownPorts: Item["ports"];
  private readonly names: readonly { readonly peer: DomainsPeer; readonly sets: NameSets }[];

  constructor(
    private readonly record: RuleRecord,
    subject: Subject,
    private readonly nextNumber: () => number,
  ) {
    this.ownPorts = plainPorts(record.rule.ports, subject.sample);
    this.names = namePeers(record).map((peer) => ({ peer, sets: nameSetsOf(peer) }));
  }

  of(membership: Membership, end: End | undefined): Item | undefined {
    const { entry } = this.record;
    const isSure = membership === "yes" || (membership === "maybe" && entry.verdict === "Deny");
    const names = isSure ? [] : this.namesFor(end);
    const { ports, differ } = this.portsAt(end);
    const uncertain = entry.verdict === "Pass" && (membership === "maybe" || (isSure && differ));
    if (!isSure && !uncertain && names.length === 0) return undefined;
    const portsKey = namesPortsOut(this.record) ? JSON.stringify(ports) : "";
    const key = `${uncertain} ${names.map(({ fresh }) => fresh[4]).join()} ${portsKey}`;
    const known = this.made.get(key);
    if (known !== undefined || this.made.has(key)) return known;
    const isIdle = ports !== "every" && ports.length === 0;
    const made = isIdle
      ? undefined
      : { record: this.record, number: this.nextNumber(), ports, names, uncertain };
    this.made.set(key, made);
    return made;
  }

  /**
   * The ports of the rule at an end. If it can be one of several endpoints with different ports, an Allow rule gets the ports that
   * all of them have, and other rules those that some of them have (S1.17).
   */
  private portsAt(end: End | undefined): { readonly ports: Item["ports"]; readonly differ: boolean } {
    const { rule, entry } = this.record;
    if (entry.direction === "ingress") return { ports: this.ownPorts, differ: false };
    const [first, ...others] = [end?.sample, ...(end?.alternatives ?? [])].map((one) =>
      plainPorts(rule.ports, one),
    );
    const isInAll = (port: PlainPort) =>
      others.every((list) => list === "every" || list.some((one) => isSamePort(one, port)));
    if (first === "every" || others.length === 0) return { ports: first!, differ: false };
    const shared = first!.filter(isInAll);
    const all = [...first!, ...others.flatMap((list) => (list === "every" ? [] : list))];
    const distinct = all.filter((port, i) => all.findIndex((other) => isSamePort(other, port)) === i);
    return { ports: entry.verdict === "Allow" ? shared : distinct, differ: shared.length < distinct.length };
  }

  // S8.3: `domainNames` match whatever a name resolves to, Cilium's `toFQDNs` external addresses only.
  private namesFor(end: End | undefined): readonly NameSets[] {
    const isExternal = end === undefined || end.kind === "external";
    return this.names.flatMap(({ peer, sets }) => (peer.reach === "every-address" || isExternal ? sets : []));
  }
}

/** S8.4: names that DNS answers on this node resolve. A Deny rule treats a possible match as a match. */
const namePeers = ({ rule, entry }: RuleRecord): readonly DomainsPeer[] =>
  entry.verdict === "Allow" ? rule.peers.filter((peer) => peer.kind === "domains") : [];

const namesExternal = (record: RuleRecord): boolean =>
  namePeers(record).some((peer) => peer.reach === "external");

const hasNamedPorts = ({ rule: { ports } }: RuleRecord): boolean =>
  ports !== "every" && ports.some((port) => port.kind === "named");

const namesPortsOut = (record: RuleRecord): boolean =>
  record.entry.direction === "egress" && hasNamedPorts(record);

/** Whether the rule depends on ends that none of its peers distinguishes. */
const looksAtAll = (record: RuleRecord): boolean => namesPortsOut(record) || namesExternal(record);

function membershipOf(end: End | undefined, inputs: readonly PeerReach[]): Membership {
  return strongest(inputs.map(({ otherwise, listed }) => (end && listed.get(end)) ?? otherwise));
}

/** The same for many ends: most inputs match only the ends that they list. */
function membershipIn(inputs: readonly PeerReach[]): (end: End) => Membership {
  const [only] = inputs;
  if (only !== undefined && inputs.length === 1) return (end) => only.listed.get(end) ?? only.otherwise;
  const inListed = new Map<End, Membership>();
  for (const { otherwise, listed } of inputs)
    if (otherwise === "no")
      for (const [end, membership] of listed)
        inListed.set(end, strongest([membership, inListed.get(end) ?? "no"]));
  const wide = inputs.filter(({ otherwise }) => otherwise !== "no");
  return (end) => strongest([inListed.get(end) ?? "no", membershipOf(end, wide)]);
}

/** Identifies what the rule means for this subject. */
function variantOf(record: RuleRecord, subject: Subject): string {
  if (record.meansTheSameToAll) return "";
  const settled = record.rule.peers.filter(isRelative).map((peer) => peerKey(settlePeer(peer, subject)));
  const ports =
    record.entry.direction === "ingress" && hasNamedPorts(record)
      ? JSON.stringify(plainPorts(record.rule.ports, subject.sample))
      : "";
  return [...settled, ports].join("\n");
}

// S1.8: named ports are looked up at the destination pod; other endpoints have none.
export function plainPorts(
  ports: RuleRecord["rule"]["ports"],
  destination: Endpoint | undefined,
): "every" | readonly PlainPort[] {
  if (ports === "every") return ports;
  const pod = destination?.kind === "pod" && !destination.pod.hostNetwork ? destination.pod : undefined;
  return ports.flatMap((port): readonly PlainPort[] => {
    if (port.kind !== "named") return [port];
    const declared = (pod?.ports ?? []).filter(
      ({ name, protocol }) => name === port.name && protocol === (port.protocol ?? protocol),
    );
    return declared.map(({ protocol, port: number }) => ({
      kind: "range",
      protocol,
      first: number,
      last: number,
    }));
  });
}

const isSamePort = (a: PlainPort, b: PlainPort): boolean => JSON.stringify(a) === JSON.stringify(b);
