import { editedElements, type Elements } from "../../ruleset/equality.js";
import type { NamedSet } from "../../ruleset/ruleset.js";
import { unidentified } from "../../ruleset/walk-state.js";
import type { End } from "../endpoints/end-store.js";
import { type Identities, otherIdentity } from "../endpoints/identity-maps.js";
import type { TierChain } from "./tier-chains.js";

/** A tier as a map and rules. */
export interface TierLayout {
  readonly map: NamedSet;
  /** The rules of its chain; empty if the tier does not decide. */
  readonly rules: readonly string[];
}

interface Made {
  readonly identities: ReadonlyMap<End, string>;
  readonly turn: number;
  /** The number of ends with each verdict. */
  readonly counts: ReadonlyMap<string, number>;
  readonly isInverted: boolean;
  readonly layout: TierLayout & { readonly elements: Elements };
}

/** The most common verdict of the ends that are distinguished, and how many have it. */
interface Common {
  readonly verdict: string;
  readonly count: number;
}

/**
 * Decides which ends are in the map of a tier, and which get the verdict of the rule after it: the most common verdict. That can be
 * the verdict of all pods but not of external addresses, and then external addresses are in the map.
 */
export class TierLayouts {
  private readonly made = new WeakMap<TierChain, Made>();

  constructor(private readonly identities: Pick<Identities, "turn">) {}

  of(tier: TierChain, identities: ReadonlyMap<End, string>): TierLayout {
    const known = this.made.get(tier);
    if (known?.identities === identities) return known.layout;
    const { turn } = this.identities;
    const from = tier.grown?.from.deref();
    const before = known ?? (from && this.made.get(from));
    const changed = known === undefined ? (tier.grown?.changed ?? noEnds) : noEnds;
    const counts =
      before === undefined ? countsOf(tier.verdicts) : recounted(before.counts, from, tier, changed);
    const common = mostCommon(counts);
    const isInverted = isWorthInverting(common, tier, identities.size);
    // A map that is not inverted contains only ends that may have changed.
    const layout =
      before?.turn === turn && !isInverted && !before.isInverted
        ? edited(before, tier, identities, changed)
        : layOut(tier, identities, isInverted ? common.verdict : undefined);
    this.made.set(tier, { identities, turn, counts, isInverted, layout });
    return layout;
  }
}

const noEnds: ReadonlySet<End> = new Set();

/** The layout after a change for some ends. */
function edited(
  before: Made,
  { map, verdicts, otherwise }: TierChain,
  identities: ReadonlyMap<End, string>,
  changed: ReadonlySet<End>,
): Made["layout"] {
  const changes = new Map<string, string | undefined>();
  for (const end of changed) {
    const identity = identities.get(end) ?? before.identities.get(end);
    const verdict = verdicts.get(end);
    if (identity !== undefined && before.layout.elements.get(identity) !== verdict)
      changes.set(identity, verdict);
  }
  if (changes.size === 0) return before.layout;
  return layoutWith(map, editedElements(before.layout.elements, changes), otherwise ?? "return");
}

/** `most`: the verdict of the rule after the map, if not the default. */
function layOut(
  { map: name, verdicts, otherwise = "return" }: TierChain,
  identities: ReadonlyMap<End, string>,
  most: string = otherwise,
): Made["layout"] {
  const elements = new Map<string, string>();
  if (most === otherwise) for (const [end, verdict] of verdicts) elements.set(identities.get(end)!, verdict);
  else {
    elements.set(unidentified, otherwise).set(otherIdentity, otherwise);
    for (const [end, identity] of identities) {
      const verdict = verdicts.get(end) ?? otherwise;
      if (verdict !== most) elements.set(identity, verdict);
    }
  }
  return layoutWith(name, elements, most);
}

/** `most`: the verdict for all that are not in the map. */
function layoutWith(name: string, elements: Elements, most: string): Made["layout"] {
  return {
    map: { kind: "map", type: "classid : verdict", flags: [], elements },
    elements,
    rules: [
      ...(elements.size > 0 ? [`meta priority vmap @${name}`] : []),
      ...(most === "return" ? [] : [most]),
    ],
  };
}

function countsOf(verdicts: ReadonlyMap<End, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const verdict of verdicts.values()) count(counts, verdict, 1);
  return counts;
}

function recounted(
  counts: ReadonlyMap<string, number>,
  from: TierChain | undefined,
  { verdicts }: TierChain,
  changed: ReadonlySet<End>,
): ReadonlyMap<string, number> {
  if (changed.size === 0) return counts;
  const recounted = new Map(counts);
  for (const end of changed) {
    count(recounted, from?.verdicts.get(end), -1);
    count(recounted, verdicts.get(end), 1);
  }
  return recounted;
}

function count(counts: Map<string, number>, verdict: string | undefined, by: 1 | -1): void {
  if (verdict !== undefined) counts.set(verdict, (counts.get(verdict) ?? 0) + by);
}

function mostCommon(counts: ReadonlyMap<string, number>): Common {
  let most: Common = { verdict: "", count: 0 };
  for (const [verdict, count] of counts)
    if (count > most.count || (count === most.count && verdict < most.verdict)) most = { verdict, count };
  return most;
}

/** Whether a map without the most common verdict is much smaller. Two elements are for peers without an identity. */
const isWorthInverting = ({ count }: Common, { verdicts }: TierChain, ends: number): boolean =>
  (ends - count + 2) * 2 < verdicts.size;
