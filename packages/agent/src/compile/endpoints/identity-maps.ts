import { lastAtMost } from "@tierwall/core/engine";
import { type Address, type Family, formatAddress, formatRange } from "@tierwall/core/model";
import { editedElements, type Elements } from "../../ruleset/edited-elements.js";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { contentName } from "../content-name.js";
import type { End } from "./end.js";
import type { EndRange, Ends, Located } from "./ends.js";
import { otherIdentity } from "./identities.js";
import { roomFor } from "../map-size.js";

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
