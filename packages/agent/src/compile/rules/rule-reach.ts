import { isRelative, peerKey, settlePeer } from "@tierwall/core/engine";
import type { Endpoint, PortMatch } from "@tierwall/core/model";
import type { End } from "../endpoints/end.js";
import type { Ends } from "../endpoints/ends.js";
import { type DomainsPeer, type NameSets, nameSetsOf } from "./name-sets.js";
import { type Membership, type PeerReach, type PeerReaches, strongest } from "./peer-reach.js";
import { removeAll } from "../endpoints/population.js";
import type { RuleRecord } from "./rule-book.js";
import type { Subject } from "./subjects.js";

export type PlainPort = Exclude<PortMatch, { kind: "named" }>;

/** What a rule does about one end. */
export interface Item {
  readonly record: RuleRecord;
  /** Other than that of any other item. */
  readonly number: number;
  readonly ports: "every" | readonly PlainPort[];
  /** The rule matches addresses that one of these names resolved to. */
  readonly names: readonly NameSets[];
  /** Not known whether it matches; only of rules that pass, others fail closed. */
  readonly uncertain: boolean;
}

/** What a rule does about all ends. */
export interface RuleReach {
  readonly record: RuleRecord;
  /** Other than that of any other reach. */
  readonly number: number;
  /** The same as long as rule and subject mean the same, whichever ends come and go. */
  readonly key: string;
  readonly otherwise: Item | undefined;
  readonly listed: ReadonlyMap<End, Item | undefined>;
  /** Those about whom the last growth changed something. */
  readonly changed: readonly End[];
}

interface Found {
  readonly subject: Subject;
  readonly reach: RuleReach & { readonly listed: Map<End, Item | undefined>; changed: readonly End[] };
  readonly inputs: readonly PeerReach[];
  readonly items: Items;
}

/** Takes rules apart into what they do about each end. What was found grows with the ends that come and go. */
export class RuleReaches {
  private readonly found = new Map<RuleRecord, Map<string, Found>>();
  private numbers = 0;

  constructor(
    private readonly peers: PeerReaches,
    private readonly ends: Ends,
  ) {}

  /** To be called when nothing is different but the ends that came and went. */
  grow(): void {
    for (const variants of this.found.values()) for (const found of variants.values()) this.growOne(found);
  }

  of(record: RuleRecord, subject: Subject): RuleReach {
    const key = variantOf(record, subject);
    const variants = this.found.get(record) ?? new Map<string, Found>();
    this.found.set(record, variants);
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

  /** Puts into the list all about whom the rule does something else than about all others. */
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
      // Where a rule looks at nothing else, all who are in are treated alike.
      if (!isAlike || !known.has(membership)) known.set(membership, items.of(membership, end));
      const item = known.get(membership);
      if (item === reach.otherwise) continue;
      reach.listed.set(end, item);
      come.push(end);
    }
    return come;
  }

  /** S1.17: peers that hold different pods of one address may hold all of them together. */
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
  /** At the subject, for what comes in. */
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
   * The ports that the rule names, at an end. Where that may be one of several whose ports differ, a rule that allows gets those that
   * all of them have, and any other those that some of them have (S1.17).
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

/** S8.4: names that this node's own DNS answers resolve. A rule that denies takes what may be for what is. */
const namePeers = ({ rule, entry }: RuleRecord): readonly DomainsPeer[] =>
  entry.verdict === "Allow" ? rule.peers.filter((peer) => peer.kind === "domains") : [];

const namesExternal = (record: RuleRecord): boolean =>
  namePeers(record).some((peer) => peer.reach === "external");

const hasNamedPorts = ({ rule: { ports } }: RuleRecord): boolean =>
  ports !== "every" && ports.some((port) => port.kind === "named");

const namesPortsOut = (record: RuleRecord): boolean =>
  record.entry.direction === "egress" && hasNamedPorts(record);

/** Whether it is about ends that none of its peers distinguishes. */
const looksAtAll = (record: RuleRecord): boolean => namesPortsOut(record) || namesExternal(record);

function membershipOf(end: End | undefined, inputs: readonly PeerReach[]): Membership {
  return strongest(inputs.map(({ otherwise, listed }) => (end && listed.get(end)) ?? otherwise));
}

/** The same for many ends: most inputs hold only those they list. */
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

/** What makes a rule mean something else for another subject. */
function variantOf(record: RuleRecord, subject: Subject): string {
  if (record.meansTheSameToAll) return "";
  const settled = record.rule.peers.filter(isRelative).map((peer) => peerKey(settlePeer(peer, subject)));
  const ports =
    record.entry.direction === "ingress" && hasNamedPorts(record)
      ? JSON.stringify(plainPorts(record.rule.ports, subject.sample))
      : "";
  return [...settled, ports].join("\n");
}

// S1.8: a named port is what the destination pod calls so; nothing else has named ones.
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
