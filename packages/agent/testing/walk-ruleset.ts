import {
  type Address,
  contains,
  type Family,
  formatAddress,
  parseAddress,
  parseCidr,
} from "@tierwall/core/model";
import type { Chain, NamedSet, Ruleset } from "../src/ruleset/ruleset.js";

/*
 * What the kernel does with a packet, for those words of nft that our rulesets are made of. A word that it does not know
 * is an error, so that nothing is tested by not being looked at.
 */

export interface Packet {
  readonly hook: "forward" | "input" | "output";
  readonly source: Address;
  readonly destination: Address;
  readonly protocol: "TCP" | "UDP" | "SCTP" | "ICMP";
  readonly sourcePort?: number;
  readonly destinationPort?: number;
  readonly icmpType?: number;
  readonly hopLimit?: number;
  /** What kind of device it came in by; none for a physical one. */
  readonly deviceKind?: "bridge" | "veth";
  /** And the one by which it goes out. */
  readonly outDeviceKind?: "bridge" | "veth";
  /** Which of its endpoints have a route through its input device: by default the source. */
  readonly reachedByDevice?: readonly ("source" | "destination")[];
  readonly connection: {
    readonly state: "new" | "established" | "related" | "untracked";
    readonly isReply: boolean;
    readonly mark: number;
  };
}

export interface Journey {
  readonly verdict: "accept" | "drop" | "reject";
  readonly mark: number;
  readonly priority: string;
  /** Names of counters, and prefixes of log lines, in the order in which they were met. */
  readonly counted: readonly string[];
  readonly logged: readonly string[];
  readonly steps: number;
}

/** What the kernel's sets learned: elements as `10.0.0.1 . 203.0.113.7`, by the name of the set. */
export type Learned = ReadonlyMap<string, ReadonlySet<string>>;

export function walkRuleset(ruleset: Ruleset, packet: Packet, learned: Learned = new Map()): Journey {
  return new Walk({ from: ruleset, to: ruleset, before: Infinity }, packet, learned).run();
}

/** A transaction that is made while a packet is on its way. */
export interface Transaction {
  readonly from: Ruleset;
  readonly to: Ruleset;
  /** The number of the step before which it is made; steps are calls of base chains, and lookups. */
  readonly before: number;
}

export function walkDuring(transaction: Transaction, packet: Packet): Journey {
  return new Walk(transaction, packet, new Map()).run();
}

const protocolNumbers = { TCP: 6, UDP: 17, SCTP: 132 } as const;
const states = { new: 0x8, established: 0x2, related: 0x4, untracked: 0x40 } as const;

type Outcome = "accept" | "drop" | "reject" | undefined;

class Walk {
  private mark: number;
  private priority = "none";
  private readonly counted: string[] = [];
  private readonly logged: string[] = [];
  private readonly family: Family;
  private steps = 0;
  /** Whose chains are walked: those of the moment when the base chain was called. */
  private chains: Ruleset["chains"];

  constructor(
    private readonly transaction: Transaction,
    private readonly packet: Packet,
    private readonly learned: Learned,
  ) {
    this.mark = packet.connection.mark;
    this.family = packet.source.family;
    this.chains = transaction.from.chains;
  }

  run(): Journey {
    let verdict: Journey["verdict"] = "accept";
    for (const name of this.baseChains()) {
      this.chains = this.step().chains;
      verdict = this.chain(this.chainNamed(name)) ?? "accept";
      if (verdict !== "accept") break;
    }
    const { mark, priority, counted, logged, steps } = this;
    return { verdict, mark, priority, counted, logged, steps };
  }

  /** What the table is at the next step. */
  private step(): Ruleset {
    const { from, to, before } = this.transaction;
    return this.steps++ < before ? from : to;
  }

  /** Those that the transaction makes are called before it is made, and those that it takes away after it. */
  private baseChains(): readonly string[] {
    const { from, to } = this.transaction;
    return [...new Map([...from.chains, ...to.chains])]
      .flatMap(([name, chain]) => {
        const found = /^type filter hook (\w+) priority (-?\d+); policy accept;$/.exec(chain.hook ?? "");
        return found?.[1] === this.packet.hook ? [[Number(found[2]), name] as const] : [];
      })
      .toSorted(([a], [b]) => a - b)
      .map(([, name]) => name);
  }

  /** A set that the transaction adds or removes is empty for packets that do not see it. */
  private chainNamed(name: string): Chain {
    const found = this.chains.get(name);
    if (found !== undefined) return found;
    const { from, to } = this.transaction;
    if (!from.chains.has(name) && !to.chains.has(name)) throw new Error(`no chain \`${name}\``);
    return { rules: [] };
  }

  private chain({ rules }: Chain): Outcome {
    for (const rule of rules) {
      const next = this.rule(rule);
      if (next === "next") continue;
      const result = this.follow(next);
      if (result !== "next") return result.outcome;
    }
    return undefined;
  }

  /** What a verdict makes of the rest of the chain. */
  private follow(verdict: string): "next" | { readonly outcome: Outcome } {
    if (verdict === "accept" || verdict === "drop") return { outcome: verdict };
    if (verdict.startsWith("reject")) return { outcome: "reject" };
    if (verdict === "return") return { outcome: undefined };
    const [word, name] = verdict.split(" ");
    const outcome = this.chain(this.chainNamed(name!));
    return word === "jump" && outcome === undefined ? "next" : { outcome };
  }

  /** The verdict of a rule that matches, or "next". */
  private rule(text: string): string {
    let rest = text;
    while (rest !== "") {
      if (/^(accept|drop|return|goto \S+|jump \S+|reject.*)$/.test(rest)) return rest;
      const word = words.find(({ pattern }) => pattern.test(rest));
      if (word === undefined) throw new Error(`what does \`${rest}\` mean, in \`${text}\``);
      const found = word.pattern.exec(rest)!;
      const result = word.apply(this.view, found);
      if (result === false) return "next";
      if (typeof result === "string") return result;
      rest = rest.slice(found[0].length);
    }
    return "next";
  }

  private readonly view: View = {
    packet: () => this.packet,
    family: () => this.family,
    mark: (change) => {
      if (change !== undefined && this.packet.connection.state !== "untracked") this.mark = change >>> 0;
      return this.mark;
    },
    priority: (change) => {
      if (change !== undefined) this.priority = change;
      return this.priority;
    },
    count: (name) => {
      const { from, to } = this.transaction;
      if (!from.counters.has(name) && !to.counters.has(name)) throw new Error(`no counter ${name}`);
      this.counted.push(name);
    },
    log: (prefix) => this.logged.push(prefix),
    lookup: (name, key) => this.lookup(name, key),
  };

  private lookup(name: string, key: string): string | undefined {
    const { from, to } = this.transaction;
    const now = this.step().sets;
    // One that the transaction takes away stays as it was until the next one.
    const set = now.get(name) ?? (to.sets.has(name) ? undefined : from.sets.get(name));
    if (set === undefined && !to.sets.has(name)) throw new Error(`no set ${name}`);
    if (set === undefined) return undefined;
    if (set.elements === "learned") return this.learned.get(name)?.has(key) ? "" : undefined;
    return set.flags.includes("interval") ? inIntervals(set, key) : set.elements.get(key);
  }
}

interface View {
  packet(): Packet;
  family(): Family;
  mark(change?: number): number;
  priority(change?: string): string;
  count(name: string): void;
  log(prefix: string): void;
  lookup(set: string, key: string): string | undefined;
}

interface Word {
  readonly pattern: RegExp;
  /** Whether it matches, or the verdict. */
  readonly apply: (view: View, found: RegExpExecArray) => boolean | string;
}

const addressOf = (view: View, ip: string, side: string): string | undefined => {
  if ((ip === "ip" ? 4 : 6) !== view.family()) return undefined;
  const { source, destination } = view.packet();
  return formatAddress(side === "saddr" ? source : destination);
};

const isTracked = (view: View): boolean => view.packet().connection.state !== "untracked";

const within = (value: number | undefined, first: string, last: string | undefined): boolean =>
  value !== undefined && value >= Number(first) && value <= Number(last ?? first);

const words: readonly Word[] = [
  {
    pattern: /^ct mark & (0x\w{8}) (==|!=) (0x\w{8}) /,
    apply: (view, [, mask, operator, value]) =>
      isTracked(view) && ((view.mark() & Number(mask)) >>> 0 === Number(value)) === (operator === "=="),
  },
  {
    pattern: /^ct mark set ct mark(?: & (0x\w{8}))?(?: \| (0x\w{8}))?( |$)/,
    apply: (view, [, mask = "0xffffffff", set = "0"]) => {
      view.mark((view.mark() & Number(mask)) | Number(set));
      return isTracked(view);
    },
  },
  {
    pattern: /^ct state (!= )?(0x\w+) /,
    apply: (view, [, not, bits]) =>
      ((states[view.packet().connection.state] & Number(bits)) !== 0) === (not === undefined),
  },
  {
    pattern: /^ct direction ([01]) /,
    apply: (view, [, direction]) =>
      isTracked(view) && view.packet().connection.isReply === (direction === "1"),
  },
  {
    pattern: /^meta l4proto (\d+) /,
    apply: (view, [, number]) => {
      const { protocol } = view.packet();
      const own = protocol === "ICMP" ? (view.family() === 4 ? 1 : 58) : protocolNumbers[protocol];
      return own === Number(number);
    },
  },
  {
    pattern: /^meta nfproto (2|10) /,
    apply: (view, [, number]) => (number === "2" ? 4 : 6) === view.family(),
  },
  {
    pattern: /^(icmp|icmpv6) type (\d+)(?:-(\d+))? /,
    apply: (view, [, name, first, last]) => {
      const { protocol, icmpType } = view.packet();
      const isFamily = (name === "icmp" ? 4 : 6) === view.family();
      return protocol === "ICMP" && isFamily && within(icmpType, first!, last);
    },
  },
  {
    pattern: /^meta (i|o)ifkind "(\w+)" /,
    apply: (view, [, way, kind]) => {
      const { deviceKind, outDeviceKind } = view.packet();
      return (way === "i" ? deviceKind : outDeviceKind) === kind;
    },
  },
  // Packets here are addressed to one receiver.
  { pattern: /^meta pkttype 0 /, apply: () => true },
  {
    // No device at all: what the node sends came in by none, and what it receives goes out by none.
    pattern: /^(i|o)if 0 /,
    apply: (view, [, way]) => view.packet().hook === (way === "i" ? "output" : "input"),
  },
  {
    pattern: /^fib ([sd])addr \. iif oif 0 /,
    apply: (view, [, side]) => {
      const { reachedByDevice = ["source"] } = view.packet();
      return !reachedByDevice.includes(side === "s" ? "source" : "destination");
    },
  },
  {
    pattern: /^ip6 hoplimit (\d+) /,
    apply: (view, [, limit]) => view.family() === 6 && (view.packet().hopLimit ?? 64) === Number(limit),
  },
  {
    pattern: /^(tcp|udp|sctp) ([sd])port (\d+)(?:-(\d+))? /,
    apply: (view, [, protocol, side, first, last]) => {
      const packet = view.packet();
      const port = side === "s" ? packet.sourcePort : packet.destinationPort;
      return packet.protocol.toLowerCase() === protocol && within(port, first!, last);
    },
  },
  {
    pattern: /^(ip6?) ([sd]addr) \. ip6? ([sd]addr) @(\S+) /,
    apply: (view, [, ip, first, second, set]) => {
      const [a, b] = [addressOf(view, ip!, first!), addressOf(view, ip!, second!)];
      return a !== undefined && b !== undefined && view.lookup(set!, `${a} . ${b}`) !== undefined;
    },
  },
  {
    pattern: /^(ip6?) ([sd]addr) (!= )?@(\S+) /,
    apply: (view, [, ip, side, not, set]) => {
      const address = addressOf(view, ip!, side!);
      if (address === undefined) return false;
      return (view.lookup(set!, address) !== undefined) === (not === undefined);
    },
  },
  {
    pattern: /^(ip6?) ([sd]addr) (!= )?([\d.a-f:]+(?:\/\d+)?) /,
    apply: (view, [, ip, side, not, block]) => {
      const address = addressOf(view, ip!, side!);
      if (address === undefined) return false;
      const isIn = block!.includes("/")
        ? contains(parseCidr(block!)!, parseAddress(address)!)
        : address === block;
      return isIn === (not === undefined);
    },
  },
  {
    pattern: /^(ip6?) ([sd]addr) vmap @(\S+)$/,
    apply: (view, [, ip, side, map]) => {
      const address = addressOf(view, ip!, side!);
      return (address !== undefined && view.lookup(map!, address)) || false;
    },
  },
  {
    pattern: /^meta priority vmap @(\S+)$/,
    apply: (view, [, map]) => view.lookup(map!, view.priority()) ?? false,
  },
  {
    pattern: /^meta priority set (ip6?) ([sd]addr) map @(\S+)( |$)/,
    apply: (view, [, ip, side, map]) => {
      const address = addressOf(view, ip!, side!);
      const found = address === undefined ? undefined : view.lookup(map!, address);
      if (found !== undefined) view.priority(found);
      return found !== undefined;
    },
  },
  {
    // The bits that are set whatever the mark is: a constant.
    pattern: /^meta mark & (0x\w{8}) \| \1 != @(\S+) /,
    apply: (view, [, constant, set]) => view.lookup(set!, constant!) === undefined,
  },
  {
    pattern: /^meta priority set (none|[\da-f]+:[\da-f]+)( |$)/,
    apply: (view, [, value]) => view.priority(value) === value,
  },
  {
    pattern: /^meta priority (none|[\da-f]+:[\da-f]+) /,
    apply: (view, [, value]) => view.priority() === value,
  },
  {
    pattern: /^meta priority != ([\da-f]+:[\da-f]+) /,
    apply: (view, [, value]) => view.priority() !== value,
  },
  {
    pattern: /^counter name "(\w+)"( |$)/,
    apply: (view, [, name]) => {
      view.count(name!);
      return true;
    },
  },
  { pattern: /^limit rate \d+\/second (burst \d+ packets )?/, apply: () => true },
  {
    pattern: /^log prefix "([^"]*)" group \d+( |$)/,
    apply: (view, [, prefix]) => {
      view.log(prefix!);
      return true;
    },
  },
  { pattern: /^[io]ifname "lo" /, apply: () => false },
];

type Interval = readonly [family: Family, first: bigint, last: bigint, value: string];
const intervalsOf = new WeakMap<NamedSet, readonly Interval[]>();

function inIntervals(set: NamedSet, key: string): string | undefined {
  const { family, value } = parseAddress(key)!;
  const known = intervalsOf.get(set) ?? readIntervals(set);
  intervalsOf.set(set, known);
  return known.find(([own, first, last]) => own === family && value >= first && value <= last)?.[3];
}

function readIntervals({ elements }: NamedSet): readonly Interval[] {
  if (elements === "learned") return [];
  return [...elements].map(([key, value]): Interval => {
    const [from, to] = key.split("-").map(parseAddress);
    if (from !== undefined) return [from.family, from.value, (to ?? from).value, value];
    const cidr = parseCidr(key);
    if (cidr === undefined) throw new Error(`\`${key}\` is no range`);
    let last = cidr.first;
    for (
      let bit = 1n;
      contains(cidr, { family: cidr.family, value: last | bit }) && last !== (last | bit);
      bit <<= 1n
    )
      last |= bit;
    return [cidr.family, cidr.first, last, value];
  });
}
