import { ColumnWalk } from "../../engine/column-walk.js";
import { Deciders } from "../../engine/deciders.js";
import { type EndClass, type Member, sizeOf } from "../../engine/ends.js";
import type { Engine } from "../../engine/engine.js";
import { isIn } from "../../engine/explain-flow.js";
import type { Layer } from "../../engine/layer.js";
import { isolatingOf } from "../../engine/isolated.js";
import { endpointOf, nearnessOf } from "../../engine/members.js";
import { noPorts, type PortSetId, type PortSets } from "../../engine/port-sets.js";
import { Sayings } from "../../engine/sayings.js";
import { canTalk } from "../../engine/talking.js";
import type { Row } from "../../engine/tier-rows.js";
import type { TierTable } from "../../engine/tier-table.js";
import type { View } from "../../engine/view.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Family } from "../../net/address.js";
import type { Direction, Isolation, PolicyRef, Tier, TierName } from "../../policy/model.js";

/** Whose decisions are meant: those of a tier, of what comes behind all tiers, or of one policy. */
export type Meant =
  | { readonly kind: "tier"; readonly tier: TierName }
  | { readonly kind: "default" }
  | { readonly kind: "policy"; readonly policy: PolicyRef };

/** Ports about which they had the say, between each of `from` and each other of `to`. */
export interface Decided {
  readonly from: readonly Member[] | "outside";
  readonly to: readonly Member[] | "outside";
  /** Of what they allow, that which the other end's policies do not deny after all. */
  readonly allowed: PortSetId;
  readonly denied: PortSetId;
}

/**
 * What somebody decides, for all pairs of ends. External addresses are one end. Pairs come in any order, and one may come again
 * for another direction, family or address.
 */
export function* decidedBy(engine: Engine, asked: PortSetId, meant: Meant): Iterable<Decided> {
  for (const direction of ["egress", "ingress"] as const) {
    for (const family of [4, 6, undefined] as const)
      if (engine.isSpoken(family)) yield* new Shares(engine, family, direction, asked, meant).inside();
    for (const family of [4, 6] as const)
      yield* new Shares(engine, family, direction, asked, meant).outside(family);
  }
}

function isBy(meant: Meant, by: Decider): boolean {
  switch (meant.kind) {
    case "tier":
      return "tier" in by && by.tier === meant.tier;
    case "default":
      return by.kind === "default";
    case "policy":
      return by.kind === "rule"
        ? by.rule.origin.policy === meant.policy
        : by.kind === "isolation" && by.isolation.some((entry) => isOf(meant.policy, entry));
  }
}

const isOf = (policy: PolicyRef, { origin }: Isolation): boolean =>
  origin.kind === "policy" && origin.policy === policy;

const isolationOf = (tier: Tier, row: Row): Decider => ({
  kind: "isolation",
  tier: tier.name,
  isolation: isolatingOf(tier, row),
});

interface Share {
  allowed: PortSetId;
  denied: PortSetId;
}

class Shares {
  private readonly view: View;
  private readonly ports: PortSets;
  /** By row: whether they speak there, and what of all that the tier says to a column is theirs. */
  private readonly speaking = new Map<Layer, readonly boolean[]>();
  private readonly parts = new Map<Layer, Map<number, Share>>();
  private readonly deciders: Deciders;

  constructor(
    private readonly engine: Engine,
    family: Family | undefined,
    private readonly direction: Direction,
    private readonly asked: PortSetId,
    private readonly meant: Meant,
  ) {
    this.view = engine.view(family);
    this.ports = engine.ports;
    this.deciders = new Deciders(this.view, engine.cluster, new Sayings());
    for (const layer of this.view.layers[direction])
      this.speaking.set(
        layer,
        layer.rows.rows.map((row) => this.speaks(layer, row)),
      );
  }

  *inside(): Iterable<Decided> {
    const { ends, family } = this.view;
    const walk = new ColumnWalk(this.view, this.direction, "inside", [...ends.classOfColumn.keys()]);
    for (const subject of this.subjects())
      for (const [column, { allowed, denied }] of this.sharesOf(walk, "inside", subject)) {
        const end = ends.classes[ends.classOfColumn[column]!]!;
        if (sizeOf(end) === 0 || !canTalk(family, subject.families, end.families)) continue;
        const open = allowed === noPorts ? noPorts : this.allowedByBoth(allowed, subject, end);
        if (open === noPorts && denied === noPorts) continue;
        if (end.kind === "host") yield* this.withHosts(subject, end, column, open, denied);
        else if (subject !== end || subject.pods.length > 1 || subject.pods[0]?.fromTemplate === true)
          yield this.pairs(subject.pods, end.pods, open, denied);
      }
  }

  /** S1.6: to the pods that run on it, a host is another column. */
  private *withHosts(
    subject: EndClass,
    end: EndClass,
    column: number,
    allowed: PortSetId,
    denied: PortSetId,
  ): Iterable<Decided> {
    const wanted = this.view.ends.isOwnColumn[column] ? "own-node" : "other-node";
    const { cluster } = this.engine;
    for (const own of subject.pods) {
      const others = [...end.pods, ...end.nodes].filter(
        (other) => nearnessOf(endpointOf(cluster, subject, own), endpointOf(cluster, end, other)) === wanted,
      );
      if (others.length > 0) yield this.pairs([own], others, allowed, denied);
    }
  }

  *outside(family: Family): Iterable<Decided> {
    const { atoms } = this.view.ends.vocabulary;
    const [first, behind] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
    const columns = Array.from({ length: behind - first }, (_, i) => first + i);
    const walk = new ColumnWalk(this.view, this.direction, "outside", columns);
    for (const subject of this.subjects()) {
      if (!canTalk(family, subject.families, [family])) continue;
      const sum: Share = { allowed: noPorts, denied: noPorts };
      for (const share of this.sharesOf(walk, "outside", subject).values())
        this.add(sum, share.allowed, share.denied);
      if (sum.allowed !== noPorts || sum.denied !== noPorts)
        yield this.pairs(subject.pods, "outside", sum.allowed, sum.denied);
    }
  }

  private pairs(
    own: readonly Member[],
    other: readonly Member[] | "outside",
    allowed: PortSetId,
    denied: PortSetId,
  ): Decided {
    const [from, to] = this.direction === "egress" ? [own, other] : [other, own];
    return { from, to, allowed, denied };
  }

  /** Those of whom they may speak. */
  private *subjects(): Iterable<EndClass> {
    const layers = this.view.layers[this.direction];
    for (const end of this.view.ends.classes) {
      if (end.kind !== "pod" || sizeOf(end) === 0) continue;
      const isSpokenOf = layers.some((layer) => this.speaking.get(layer)![layer.rows.rowOf[end.index]!]);
      if (isSpokenOf || this.meant.kind === "default") yield end;
    }
  }

  private speaks({ tier }: Layer, row: Row): boolean {
    if (row.rules.some((rule) => isBy(this.meant, { kind: "rule", tier: tier.name, rule }))) return true;
    return row.isolation.length > 0 && isBy(this.meant, isolationOf(tier, row));
  }

  /** By column. */
  private sharesOf(
    walk: ColumnWalk,
    space: "inside" | "outside",
    subject: EndClass,
  ): ReadonlyMap<number, Share> {
    const found = new Map<number, Share>();
    const add = (column: number, allowed: PortSetId, denied: PortSetId) => {
      if (allowed === noPorts && denied === noPorts) return;
      const known = found.get(column) ?? { allowed: noPorts, denied: noPorts };
      this.add(known, allowed, denied);
      found.set(column, known);
    };
    walk.of(subject, this.asked, {
      decided: (layer, column, allowed, denied) => {
        const row = layer.rows.rowOf[subject.index]!;
        if (!this.speaking.get(layer)![row]) return;
        if (this.meant.kind === "tier") return add(column, allowed, denied);
        const part = this.partIn(layer, space, row, column);
        add(column, this.ports.intersect(allowed, part.allowed), this.ports.intersect(denied, part.denied));
      },
      uncertain: (column, open) => {
        if (space === "inside") this.addLiterally(subject, column, open, add);
      },
      rest: (column, open) => {
        if (this.meant.kind === "default") add(column, open, noPorts);
      },
    });
    return found;
  }

  /** S9.1: where facts are missing, only what is decided all the same, and by these alone. */
  private addLiterally(
    subject: EndClass,
    column: number,
    open: PortSetId,
    add: (column: number, allowed: PortSetId, denied: PortSetId) => void,
  ): void {
    const { ends } = this.view;
    const end = ends.classes[ends.classOfColumn[column]!]!;
    if (end.kind === "host") return;
    const [source, destination] =
      this.direction === "egress" ? [subject.sample, end.sample] : [end.sample, subject.sample];
    const some = () => ({ source, destination });
    const other = { kind: "pod", end } as const;
    for (const { ports, said } of this.deciders.of(this.direction, subject, other, open, some)) {
      if (!said.deciders.every((by) => isBy(this.meant, by))) continue;
      if (said.verdict === "Allow") add(column, ports, noPorts);
      if (said.verdict === "Deny") add(column, noPorts, ports);
    }
  }

  /** Columns that lie together in the table are told the same. */
  private partIn(layer: Layer, space: "inside" | "outside", number: number, column: number): Share {
    const known = this.parts.get(layer) ?? new Map<number, Share>();
    this.parts.set(layer, known);
    const { layout } = layer[space];
    const at = layout.columnOf[column]!;
    const key = number * layout.columns + at;
    const made = known.get(key) ?? this.computePart(layer, layer[space], layer.rows.rows[number]!, at);
    known.set(key, made);
    return made;
  }

  // S1.1, S1.2
  private computePart({ tier }: Layer, table: TierTable, row: Row, at: number): Share {
    const share: Share = { allowed: noPorts, denied: noPorts };
    let open = this.asked;
    for (const { set, ports, effect, rule } of table.itemsOf(row)) {
      const taken = this.ports.intersect(open, ports);
      if (taken === noPorts || !isIn(table.layout, table.layout.of(set), at)) continue;
      open = this.ports.subtract(open, taken);
      if (!isBy(this.meant, { kind: "rule", tier: tier.name, rule })) continue;
      if (effect === "Allow") this.add(share, taken, noPorts);
      if (effect === "Deny") this.add(share, noPorts, taken);
    }
    if (row.isolation.length > 0 && isBy(this.meant, isolationOf(tier, row))) this.add(share, noPorts, open);
    return share;
  }

  private allowedByBoth(allowed: PortSetId, subject: EndClass, end: EndClass): PortSetId {
    if (end.kind === "host") return allowed;
    const behind = this.direction === "egress" ? "ingress" : "egress";
    const certain = this.view.answerAt(behind, end, subject.column);
    if (certain !== undefined) return this.ports.intersect(allowed, certain);
    const [source, destination] = this.direction === "egress" ? [subject, end] : [end, subject];
    return this.ports.intersect(
      allowed,
      this.view.answers.allowed(this.view.pairAnswer(source, destination)),
    );
  }

  private add(sum: Share, allowed: PortSetId, denied: PortSetId): void {
    sum.allowed = this.ports.union(sum.allowed, allowed);
    sum.denied = this.ports.union(sum.denied, denied);
  }
}
