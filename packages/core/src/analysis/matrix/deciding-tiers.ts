import {
  canTalk,
  columnOf,
  ColumnWalk,
  type DecidedPorts,
  Deciders,
  type EndClass,
  endpointOf,
  type Engine,
  type Member,
  type Nearness,
  nearnessOf,
  type Other,
  SharedExplanations,
  type View,
} from "../../engine/index.js";
import type { PortSetId, PortSets } from "../../sets/port-sets.js";
import { type Direction, type TierName, tierNames } from "../../policy/model.js";
import type { Parties } from "./sides.js";

/** Which tier decides about a pair: in both directions together, and about most of the ports that are asked about. */
export type TierVerdict =
  | { readonly kind: "none" }
  | { readonly kind: "tier"; readonly tier: TierName; readonly verdict: "Allow" | "Deny" }
  /** No tier has anything to say. */
  | { readonly kind: "default" }
  /** It depends on missing information (S9.1). */
  | { readonly kind: "undecided" }
  /** Not the same for all pairs of pods of the two parties. */
  | { readonly kind: "several" };

const noPair = 0;
const byDefault = 1 + 2 * tierNames.length;
const undecided = byDefault + 1;
const several = byDefault + 2;

/** What the bytes of `decidingTiers` mean. */
export const tierVerdicts: readonly TierVerdict[] = [
  { kind: "none" },
  ...tierNames.flatMap((tier): TierVerdict[] => [
    { kind: "tier", tier, verdict: "Allow" },
    { kind: "tier", tier, verdict: "Deny" },
  ]),
  { kind: "default" },
  { kind: "undecided" },
  { kind: "several" },
];

const codeOf = (tier: TierName, verdict: "Allow" | "Deny"): number =>
  1 + 2 * tierNames.indexOf(tier) + (verdict === "Deny" ? 1 : 0);

const isDenial = (code: number): boolean => code < byDefault && code % 2 === 0;

/** A byte for each ordered pair of parties, row by row; see `tierVerdicts`. */
export function decidingTiers(engine: Engine, parties: Parties, asked: PortSetId): Uint8Array {
  const width = parties.list.length;
  const codes = new Uint8Array(width * width);
  const put = (from: number, to: number, code: number) => {
    const at = from * width + to;
    codes[at] = codes[at] === noPair || codes[at] === code ? code : several;
  };
  for (const family of [4, 6, undefined] as const) {
    if (!engine.isSpoken(family)) continue;
    const said = new SaidByTiers(engine, engine.view(family), asked);
    const ends = engine.ends.classes.map((end) => ({ end, parts: partsOf(parties, end) }));
    for (const { end: from, parts: sources } of ends)
      for (const { end: to, parts: targets } of ends) {
        if (!canTalk(family, from.families, to.families)) continue;
        if (from.kind !== to.kind) {
          for (const { index: a, member: source } of sources)
            for (const { index: b, member: target } of targets)
              put(a, b, said.between(from, to, nearnessBetween(engine, from, source, to, target)));
          continue;
        }
        const code = said.between(from, to, undefined);
        for (const { index: a, member: source } of sources)
          for (const { index: b, member: target } of targets)
            if (source !== target || hasReplicas(source)) put(a, b, code);
      }
  }
  return codes;
}

const partsOf = (parties: Parties, { pods, nodes }: EndClass) =>
  [...pods, ...nodes].map((member) => ({ index: parties.indexOf(member), member }));

const nearnessBetween = (engine: Engine, from: EndClass, source: Member, to: EndClass, target: Member) =>
  nearnessOf(endpointOf(engine.cluster, from, source), endpointOf(engine.cluster, to, target));

// S1.6
const hasReplicas = (member: Member): boolean => "fromTemplate" in member && member.fromTemplate;

/** For all classes, which tier of each direction decides about most of the ports. */
class SaidByTiers {
  private readonly said: Readonly<Record<Direction, readonly (Uint8Array | undefined)[]>>;

  constructor(
    private readonly engine: Engine,
    private readonly view: View,
    private readonly asked: PortSetId,
  ) {
    const counts = new PortCounts(engine.ports);
    this.said = { egress: this.inDirection("egress", counts), ingress: this.inDirection("ingress", counts) };
  }

  /** The first direction that denies decides; if neither denies, the highest tier that allows. */
  between(from: EndClass, to: EndClass, nearness: Nearness | undefined): number {
    const egress = this.at("egress", from, to, nearness);
    if (isDenial(egress)) return egress;
    const ingress = this.at("ingress", to, from, nearness);
    if (isDenial(ingress)) return ingress;
    return egress === undecided || ingress === undecided ? undecided : Math.min(egress, ingress);
  }

  private at(direction: Direction, subject: EndClass, end: EndClass, nearness: Nearness | undefined): number {
    const row = this.said[direction][subject.index];
    // S1.4
    if (row === undefined) return byDefault;
    if (nearness === "unknown-node") return eitherOf(row[end.column]!, row[end.ownColumn]!);
    const other: Other = nearness === undefined ? { kind: "pod", end } : { kind: "host", end, nearness };
    return row[columnOf(other)]!;
  }

  private inDirection(direction: Direction, counts: PortCounts): readonly (Uint8Array | undefined)[] {
    const { ends } = this.view;
    const { columns } = ends;
    const walk = new ColumnWalk(
      this.view,
      direction,
      "inside",
      Array.from({ length: columns }, (_, column) => column),
    );
    const most = new Uint32Array(columns);
    return ends.classes.map((subject) => {
      if (subject.kind === "host") return undefined;
      const found = new Uint8Array(columns);
      most.fill(0);
      const count = (column: number, code: number, ports: PortSetId) => {
        const size = counts.of(ports);
        if (size <= most[column]!) return;
        most[column] = size;
        found[column] = code;
      };
      walk.of(subject, this.asked, {
        decided: ({ tier }, column, allowed, denied) => {
          count(column, codeOf(tier.name, "Allow"), allowed);
          count(column, codeOf(tier.name, "Deny"), denied);
        },
        uncertain: (_, column, open) => {
          for (const { ports, said } of this.literally(direction, subject, column, open))
            count(column, codeOfExplanation(said), ports);
        },
        rest: (column, open) => count(column, byDefault, open),
      });
      return found;
    });
  }

  private deciders: Deciders | undefined;

  /** For missing information. How a pod and a host are related is part of it, so a host is not evaluated further. */
  private literally(
    direction: Direction,
    subject: EndClass,
    column: number,
    open: PortSetId,
  ): readonly DecidedPorts[] {
    const { ends } = this.view;
    const end = ends.classes[ends.classOfColumn[column]!]!;
    if (end.kind === "host") return [{ ports: open, said: { verdict: "Undecided", deciders: [] } }];
    this.deciders ??= new Deciders(this.view, this.engine.cluster, new SharedExplanations());
    const [source, destination] =
      direction === "egress" ? [subject.sample, end.sample] : [end.sample, subject.sample];
    return this.deciders.of(direction, subject, { kind: "pod", end }, open, () => ({ source, destination }));
  }
}

/** Where it is not known which of two holds: what they agree on. */
function eitherOf(one: number, other: number): number {
  if (one === undecided || other === undecided || isDenial(one) !== isDenial(other)) return undecided;
  return Math.min(one, other);
}

function codeOfExplanation({ verdict, deciders }: DecidedPorts["said"]): number {
  const [by] = deciders;
  if (verdict === "Undecided" || by === undefined) return undecided;
  return "tier" in by ? codeOf(by.tier, verdict) : byDefault;
}

/** How many ports a set has. */
class PortCounts {
  private readonly known: number[] = [];

  constructor(private readonly ports: PortSets) {}

  of(set: PortSetId): number {
    return (this.known[set] ??= this.count(set));
  }

  private count(set: PortSetId): number {
    const borders = this.ports.bordersOf(set);
    let sum = 0;
    for (let i = 0; i < borders.length; i += 2) sum += borders[i + 1]! - borders[i]!;
    return sum;
  }
}
