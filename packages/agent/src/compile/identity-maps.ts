import { type Family, formatAddress, formatRange } from "@tierwall/core";
import type { NamedSet } from "../ruleset/ruleset.js";
import { ClaimedAddresses } from "./claimed-addresses.js";
import type { End, EndRange, Ends, Located } from "./ends.js";
import { somebody } from "./identities.js";
import { roomFor } from "./map-size.js";

interface Inputs {
  readonly identities: ReadonlyMap<End, string>;
  readonly hosts: readonly Located[];
  readonly ranges: readonly EndRange[];
}

/** The maps that tell who is at an address: pods and nodes one by one, external addresses by range. */
export class IdentityMaps {
  private made:
    | (Inputs & { readonly exact: ReadonlyMap<string, string>; readonly claimed: ClaimedAddresses })
    | undefined;

  constructor(
    private readonly ends: Ends,
    private readonly family: Family,
  ) {}

  update(identities: ReadonlyMap<End, string>): { readonly exact: NamedSet; readonly ranges: NamedSet } {
    const { family, ends } = this;
    const inUse = ends.ranges.filter((range) => range.family === family && identities.has(range.end));
    const claimed = new ClaimedAddresses(inUse);
    const now = { identities, hosts: ends.ofHosts, ranges: ends.ranges };
    const exact = this.isOnlyPods(now) ? this.moved(identities) : this.all(identities, claimed);
    this.made = { ...now, exact, claimed };
    const ranges = new Map(
      inUse.map(({ first, last, end }) => [elementRange(family, first, last), identities.get(end)!]),
    );
    const type = `ipv${family}_addr : classid`;
    return {
      exact: { kind: "map", type, flags: [], size: roomFor(exact.size, 16_384), elements: exact },
      ranges: { kind: "map", type, flags: ["interval"], elements: ranges },
    };
  }

  /** Whether nothing but addresses of pods can be different. */
  private isOnlyPods({ identities, hosts, ranges }: Inputs): boolean {
    const { made } = this;
    return made?.identities === identities && made.hosts === hosts && made.ranges === ranges;
  }

  private moved(identities: ReadonlyMap<End, string>): ReadonlyMap<string, string> {
    const { exact, claimed, hosts } = this.made!;
    const changed = new Map<string, string | undefined>();
    for (const text of this.ends.moved) {
      const located = this.ends.ofPods.get(text) ?? hosts.find((host) => host.text === text);
      const identity = located && this.identityOf(located, identities, claimed);
      if (identity !== exact.get(text)) changed.set(text, identity);
    }
    if (changed.size === 0) return exact;
    const copy = new Map(exact);
    for (const [text, identity] of changed)
      if (identity === undefined) copy.delete(text);
      else copy.set(text, identity);
    return copy;
  }

  private all(identities: ReadonlyMap<End, string>, claimed: ClaimedAddresses): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const list of [this.ends.ofHosts, this.ends.ofPods.values()])
      for (const located of list) {
        const identity = this.identityOf(located, identities, claimed);
        if (identity !== undefined) found.set(located.text, identity);
        else found.delete(located.text);
      }
    return found;
  }

  private identityOf(
    { address, end }: Located,
    identities: ReadonlyMap<End, string>,
    claimed: ClaimedAddresses,
  ): string | undefined {
    if (address.family !== this.family) return undefined;
    return identities.get(end) ?? (claimed.has(address) ? somebody : undefined);
  }
}

/** As nft prints it: a single address without its prefix. */
function elementRange(family: Family, first: bigint, last: bigint): string {
  return first === last ? formatAddress({ family, value: first }) : formatRange(family, first, last);
}
