import { lastAtMost } from "@tierwall/core/engine";
import { type Address, type Family, formatAddress, formatRange } from "@tierwall/core/model";
import { getOrInsert, grouped } from "@tierwall/core/state";
import { editedElements, type Elements } from "../../ruleset/equality.js";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { contentName, digestOf, roomFor } from "../content-name.js";
import type { End } from "./end-store.js";
import type { EndRange, Ends, Located } from "./ends.js";

interface Made {
  readonly hosts: readonly Located[];
  readonly allRanges: readonly EndRange[];
  readonly ownRanges: readonly EndRange[];
  readonly isClaimed: IsClaimed;
  readonly exact: NamedSet & { readonly elements: Elements };
  readonly ranges: Ranges;
  readonly local: Ranges;
}

/** Whether an address is in one of the ranges. */
type IsClaimed = (address: Address) => boolean;

/** Named after its contents: a new one is loaded before rules use it. */
interface Ranges {
  readonly name: string;
  readonly map: NamedSet;
}

/** The maps from addresses to identities: pods and nodes one by one, everything else by range, and this node itself. */
export class IdentityMaps {
  private made: Made | undefined;

  constructor(
    private readonly ends: Ends,
    private readonly family: Family,
  ) {}

  /** `changed`: the ends whose identity was added, changed or removed. */
  update(
    identities: ReadonlyMap<End, string>,
    changed: ReadonlySet<End>,
  ): { readonly exact: NamedSet; readonly ranges: Ranges; readonly local: Ranges } {
    const { made } = this;
    this.made =
      made !== undefined && this.isOnlyPods(made, changed)
        ? { ...made, exact: this.moved(made, identities) }
        : this.make(identities);
    return this.made;
  }

  /** Whether only addresses of moved pods can differ. */
  private isOnlyPods({ hosts, allRanges, ownRanges }: Made, changed: ReadonlySet<End>): boolean {
    const { ends } = this;
    if (hosts !== ends.ofHosts || allRanges !== ends.ranges || ownRanges !== ends.ownRanges) return false;
    for (const end of changed)
      if (end.kind !== "pod" || (!ends.gone.has(end) && !ends.come.has(end))) return false;
    return true;
  }

  private moved({ exact, isClaimed, hosts }: Made, identities: ReadonlyMap<End, string>): Made["exact"] {
    const changes = new Map<string, string | undefined>();
    for (const text of this.ends.moved[this.family]) {
      const located = this.ends.ofPods.get(text) ?? hosts.find((host) => host.text === text);
      const identity = located && this.identityOf(located, identities, isClaimed);
      if (identity !== exact.elements.get(text)) changes.set(text, identity);
    }
    return changes.size === 0 ? exact : this.exact(editedElements(exact.elements, changes));
  }

  private make(identities: ReadonlyMap<End, string>): Made {
    const { family, ends } = this;
    const isInUse = (range: EndRange) => range.family === family && identities.has(range.end);
    const inUse = ends.ranges.filter(isInUse);
    const isClaimed = claimedBy(inUse);
    return {
      hosts: ends.ofHosts,
      allRanges: ends.ranges,
      ownRanges: ends.ownRanges,
      isClaimed,
      exact: this.exact(this.all(identities, isClaimed)),
      ranges: this.ofRanges("cidr", inUse, identities),
      local: this.ofRanges("local", ends.ownRanges.filter(isInUse), identities),
    };
  }

  private ofRanges(
    prefix: string,
    ranges: readonly EndRange[],
    identities: ReadonlyMap<End, string>,
  ): Ranges {
    const { family, type } = this;
    const elements = new Map(
      ranges.map(({ first, last, end }) => [elementRange(family, first, last), identities.get(end)!]),
    );
    return {
      name: contentName(`${prefix}${family}`, [...elements].join()),
      map: { kind: "map", type, flags: ["interval"], elements },
    };
  }

  private get type(): string {
    return `ipv${this.family}_addr : classid`;
  }

  private exact(elements: Elements): Made["exact"] {
    return { kind: "map", type: this.type, flags: [], size: roomFor(elements.size, 65_536), elements };
  }

  private all(identities: ReadonlyMap<End, string>, isClaimed: IsClaimed): Elements {
    const found = new Map<string, string>();
    for (const list of [this.ends.ofHosts, this.ends.ofPods.values()])
      for (const located of list) {
        const identity = this.identityOf(located, identities, isClaimed);
        if (identity !== undefined) found.set(located.text, identity);
        else found.delete(located.text);
      }
    return found;
  }

  private identityOf(
    { address, end }: Located,
    identities: ReadonlyMap<End, string>,
    isClaimed: IsClaimed,
  ): string | undefined {
    if (address.family !== this.family) return undefined;
    return identities.get(end) ?? (isClaimed(address) ? otherIdentity : undefined);
  }
}

/** `ranges`: of one family, in ascending order and without overlaps. */
function claimedBy(ranges: readonly EndRange[]): IsClaimed {
  const firsts = ranges.map(({ first }) => first);
  return ({ value }) => value <= (ranges[lastAtMost(firsts, value)]?.last ?? -1n);
}

/** As nft prints it: a single address without its prefix length. */
function elementRange(family: Family, first: bigint, last: bigint): string {
  return first === last ? formatAddress({ family, value: first }) : formatRange(family, first, last);
}

/**
 * Numbers for ends, as nft prints values of `meta priority`: `1f:a3c4`. They are derived from the properties of the ends, so that
 * all agents always give the same number to the same end. If two have the same hash, one of them gets another number.
 */
export class Identities {
  private readonly naturals = new WeakMap<End, number>();
  private texts: ReadonlyMap<End, string> = new Map();
  private ends: ReadonlySet<End> = new Set();
  /** Changes when an end gets another identity than before. */
  turn = 0;
  /** The ends whose identity the last call added, changed or removed. */
  changed: ReadonlySet<End> = new Set();

  /** Returns the same map for the same set. */
  of(ends: ReadonlySet<End>): ReadonlyMap<End, string> {
    this.changed = new Set();
    if (ends === this.ends) return this.texts;
    const before = this.texts;
    const texts = settle(grouped(ends, (end) => this.natural(end)));
    const differ = (end: End) => before.get(end) !== texts.get(end);
    this.changed = new Set([...before.keys(), ...ends].filter(differ));
    if ([...this.changed].some((end) => before.has(end) && texts.has(end))) this.turn++;
    this.ends = ends;
    this.texts = texts;
    return texts;
  }

  private natural(end: End): number {
    return getOrInsert(this.naturals, end, () => numberOf(end.key));
  }
}

export function settle(sharing: ReadonlyMap<number, readonly End[]>): ReadonlyMap<End, string> {
  const texts = new Map<End, string>();
  const taken = new Set(sharing.keys());
  const moving: End[] = [];
  for (const [natural, ends] of sharing) {
    const [first, ...others] = ends.length === 1 ? ends : ends.toSorted(byKey);
    texts.set(first!, formatIdentity(natural));
    moving.push(...others);
  }
  for (const end of moving.toSorted(byKey)) {
    let number = 0;
    for (let turn = 1; number === 0 || taken.has(number); turn++) number = numberOf(`${end.key}\n${turn}`);
    taken.add(number);
    texts.set(end, formatIdentity(number));
  }
  return texts;
}

const byKey = (a: End, b: End): number => (a.key < b.key ? -1 : 1);

/** For pods and nodes that no rule mentions, inside a range that has another identity. */
export const otherIdentity = "0:1";

/** Not zero, which packets without an identity have, and not one; and not beginning with `ffff` (walk-state.ts). */
function numberOf(text: string): number {
  return 2 + (Number.parseInt(digestOf(text).slice(0, 8), 16) % 0xfffe0000);
}

export function formatIdentity(number: number): string {
  return `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
}
