import { domainMatches } from "@tierwall/core/engine";
import { getOrInsert } from "@tierwall/core/state";
import type { TrackedConnection } from "../kernel/conntrack.js";
import type { NameSet } from "../ruleset/program.js";
import { familyOf } from "./redirect.js";
import type { SetChange } from "../ruleset/set-change.js";

/** An address in an answer, and every name that leads to it: the queried name and its aliases. */
export interface Resolution {
  readonly names: readonly string[];
  readonly address: string;
  readonly family: 4 | 6;
  /** In seconds; the smallest along the chain of aliases. */
  readonly ttl: number;
}

export interface Lifetimes {
  /** Shorter TTLs count as this: pods connect a moment after the answer, and retry after a second. */
  readonly shortestSeconds: number;
  /** RFC 8767 has a week. */
  readonly longestSeconds: number;
  /** How much longer elements stay in the sets for established connections, unless they are refreshed (S8.4). */
  readonly keptSeconds: number;
  readonly addressesPerPod: number;
}

export const defaultLifetimes: Lifetimes = {
  shortestSeconds: 5,
  longestSeconds: 7 * 24 * 3600,
  keptSeconds: 3600,
  addressesPerPod: 10_000,
};

/** On the clock given to `LearnedNames`, in milliseconds. */
interface Until {
  readonly fresh: number;
  readonly kept: number;
}

/** Set → element → until when. */
type Wanted = Map<string, Map<string, number>>;

/** An element is renewed only if its lifetime would grow by more than this many milliseconds. */
const slack = 500;

/**
 * What pods of this node have learned from DNS, by pod, name and address; and which of it is in the kernel. The content of all
 * sets follows from the first, so that a new table, or a rule with other names, starts with what is known.
 */
export class LearnedNames {
  readonly #addresses = new Map<string, Map<string, Map<string, Until>>>();
  readonly #written: Wanted = new Map();
  #setsOfPod = new Map<string, NameSet[]>();

  constructor(
    private readonly now: () => number,
    private readonly lifetimes: Lifetimes = defaultLifetimes,
  ) {}

  /** Pods to which a rule with domain names applies. */
  pods(): readonly string[] {
    return [...this.#setsOfPod.keys()];
  }

  /**
   * From now on these are the sets; what was learned for other sets and pods is forgotten. Returns the elements to add to the
   * sets, and those to remove because their pod no longer exists and its address may be reused.
   */
  use(sets: readonly NameSet[]): readonly SetChange[] {
    this.#setsOfPod = new Map();
    for (const set of sets) for (const pod of set.pods) getOrInsert(this.#setsOfPod, pod, () => []).push(set);
    for (const pod of this.#addresses.keys()) if (!this.#setsOfPod.has(pod)) this.#addresses.delete(pod);
    const gone = this.#forgetUnused(sets);
    const lacking = this.#wantedBy(sets);
    for (const [name, elements] of lacking)
      for (const [key, until] of elements)
        if ((this.#written.get(name)?.get(key) ?? 0) >= until - slack) elements.delete(key);
    return [...gone, ...this.#changes(lacking)];
  }

  #forgetUnused(sets: readonly NameSet[]): readonly SetChange[] {
    const podsOf = new Map(sets.flatMap((set) => setNames(set).map((name) => [name, new Set(set.pods)])));
    const gone: SetChange[] = [];
    for (const [name, elements] of this.#written) {
      const pods = podsOf.get(name);
      if (pods === undefined) this.#written.delete(name);
      else
        for (const key of elements.keys()) {
          if (pods.has(podOf(key))) continue;
          elements.delete(key);
          gone.push({ kind: "forget", set: name, key });
        }
    }
    return gone;
  }

  /** All elements of the given sets, including those in the kernel: for a new table. */
  elementsOf(sets: readonly NameSet[]): readonly SetChange[] {
    return this.#changes(this.#wantedBy(sets));
  }

  #wantedBy(sets: readonly NameSet[]): Wanted {
    const wanted: Wanted = new Map();
    for (const name of sets.flatMap((set) => setNames(set)))
      wanted.set(name, new Map(this.#written.get(name)));
    for (const set of sets)
      for (const pod of set.pods)
        for (const [name, addresses] of this.#addresses.get(pod) ?? [])
          if (matches(set, name))
            for (const [address, until] of addresses)
              for (const [target, time] of targets(set, address, until))
                want(wanted, target, elementKey(pod, address), time);
    return wanted;
  }

  /** Whether a rule that applies to the pod has this name. */
  concerns(addressesOfPod: readonly string[], name: string): boolean {
    return addressesOfPod.some((pod) => this.#setsOfPod.get(pod)?.some((set) => matches(set, name)));
  }

  /**
   * What must be written before the pod gets the answer; undefined if it has learned too many addresses. A pod that queries an
   * IPv6 address over IPv4 connects from its own IPv6 address, so all addresses of the pod are needed.
   */
  learn(
    addressesOfPod: readonly string[],
    resolutions: readonly Resolution[],
  ): readonly SetChange[] | undefined {
    const wanted: Wanted = new Map();
    for (const resolution of resolutions) {
      const until = this.#lifetime(resolution.ttl);
      for (const pod of addressesOfPod)
        if (familyOf(pod) === resolution.family && !this.#learnOne(pod, resolution, until, wanted))
          return undefined;
    }
    return this.#changes(wanted);
  }

  #learnOne(pod: string, { names, address }: Resolution, until: Until, wanted: Wanted): boolean {
    const key = elementKey(pod, address);
    for (const name of names) {
      const sets = (this.#setsOfPod.get(pod) ?? []).filter((set) => matches(set, name));
      if (sets.length === 0) continue;
      if (!this.#remember(pod, name, address, until)) return false;
      for (const { fresh, kept } of sets) {
        const family = familyOf(address);
        this.#wantIfShort(wanted, fresh[family], key, until.fresh, slack);
        // Every answer would prolong it; for long lifetimes it is enough to do so occasionally.
        this.#wantIfShort(wanted, kept[family], key, until.kept, this.lifetimes.keptSeconds * 100);
      }
    }
    return true;
  }

  #wantIfShort(wanted: Wanted, set: string, key: string, until: number, missing: number): void {
    if ((this.#written.get(set)?.get(key) ?? 0) < until - missing) want(wanted, set, key, until);
  }

  #lifetime(ttl: number): Until {
    const { shortestSeconds, longestSeconds, keptSeconds } = this.lifetimes;
    const seconds = Math.min(Math.max(ttl, shortestSeconds), longestSeconds);
    const now = this.now();
    return { fresh: now + seconds * 1000, kept: now + (seconds + keptSeconds) * 1000 };
  }

  /** These were written to the kernel. */
  written(changes: readonly SetChange[]): void {
    const now = this.now();
    for (const change of changes)
      if (change.kind === "renew")
        this.adopt(change.set, change.element.key, now + change.element.milliseconds);
  }

  /** This element is in the kernel from an earlier run. */
  adopt(set: string, key: string, until: number): void {
    want(this.#written, set, key, until);
  }

  /** Prolongs the kept elements of established connections that a name allowed. */
  prolong(connections: readonly Pick<TrackedConnection, "source" | "destination">[]): readonly SetChange[] {
    const until = this.now() + this.lifetimes.keptSeconds * 1000;
    const wanted: Wanted = new Map();
    for (const {
      source: { address: pod },
      destination: { address: peer },
    } of connections)
      for (const set of this.#setsOfPod.get(pod) ?? []) {
        const name = set.kept[familyOf(peer)];
        const key = elementKey(pod, peer);
        const present = this.#written.get(name)?.get(key);
        if (present === undefined || present >= until) continue;
        want(wanted, name, key, until);
        this.#rememberKept(pod, peer, until);
      }
    return this.#changes(wanted);
  }

  /** Forgets what has expired. */
  sweep(): void {
    const now = this.now();
    for (const [set, elements] of this.#written) {
      for (const [key, until] of elements) if (until <= now) elements.delete(key);
      if (elements.size === 0) this.#written.delete(set);
    }
    for (const [pod, names] of this.#addresses) {
      for (const [name, addresses] of names) {
        for (const [address, until] of addresses) if (until.kept <= now) addresses.delete(address);
        if (addresses.size === 0) names.delete(name);
      }
      if (names.size === 0) this.#addresses.delete(pod);
    }
  }

  #remember(pod: string, name: string, address: string, until: Until): boolean {
    const names = this.#addresses.get(pod) ?? new Map<string, Map<string, Until>>();
    const addresses = names.get(name) ?? new Map<string, Until>();
    const before = addresses.get(address);
    if (before === undefined && countOf(names) >= this.lifetimes.addressesPerPod) return false;
    addresses.set(address, {
      fresh: Math.max(before?.fresh ?? 0, until.fresh),
      kept: Math.max(before?.kept ?? 0, until.kept),
    });
    names.set(name, addresses);
    this.#addresses.set(pod, names);
    return true;
  }

  #rememberKept(pod: string, address: string, kept: number): void {
    for (const addresses of this.#addresses.get(pod)?.values() ?? []) {
      const until = addresses.get(address);
      if (until !== undefined)
        addresses.set(address, { fresh: until.fresh, kept: Math.max(until.kept, kept) });
    }
  }

  #changes(wanted: Wanted): readonly SetChange[] {
    const now = this.now();
    const changes: SetChange[] = [];
    for (const [set, elements] of wanted)
      for (const [key, until] of elements)
        if (until > now) changes.push({ kind: "renew", set, element: { key, milliseconds: until - now } });
    return changes;
  }
}

function matches(set: NameSet, name: string): boolean {
  return set.patterns.some((pattern) => domainMatches(pattern, name));
}

function setNames({ fresh, kept }: NameSet): readonly string[] {
  return [fresh[4], fresh[6], kept[4], kept[6]];
}

function targets(set: NameSet, address: string, until: Until): readonly (readonly [string, number])[] {
  const family = familyOf(address);
  return [
    [set.fresh[family], until.fresh],
    [set.kept[family], until.kept],
  ];
}

function elementKey(pod: string, address: string): string {
  return `${pod} . ${address}`;
}

function podOf(key: string): string {
  return key.slice(0, key.indexOf(" "));
}

function want(wanted: Wanted, set: string, key: string, until: number): void {
  const elements = getOrInsert(wanted, set, () => new Map());
  elements.set(key, Math.max(elements.get(key) ?? 0, until));
}

function countOf(names: ReadonlyMap<string, ReadonlyMap<string, Until>>): number {
  let count = 0;
  for (const addresses of names.values()) count += addresses.size;
  return count;
}
