import { getOrInsert, grouped } from "../../collections/maps.js";
import {
  addressKinds,
  canTalk,
  ColumnWalk,
  Deciders,
  type EndClass,
  endpointOf,
  type Ends,
  type Engine,
  isolatingOf,
  isSettled,
  type Layer,
  type Member,
  nearnessOf,
  type Other,
  OutcomeRows,
  type Row,
  SharedExplanations,
  sizeOf,
  type View,
} from "../../engine/index.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import type { Family } from "../../net/address.js";
import type { Direction, Isolation, PolicyRef, Tier, TierName } from "../../policy/model.js";

/** Whose decisions are meant: those of a tier, of what comes behind all tiers, or of one policy. */
export type Meant =
  | { readonly kind: "tier"; readonly tier: TierName }
  | { readonly kind: "default" }
  | { readonly kind: "policy"; readonly policy: PolicyRef };

/** Ends, in the same lists whenever they come again; or external addresses. */
export type Side = readonly (readonly Member[])[] | "outside";

/** Ports by what becomes of them. */
interface PortShare {
  /** Of what they allow, that which the other end's policies do not deny after all. */
  readonly allowed: PortSetId;
  readonly denied: PortSetId;
  /** S9.3: of the tier of foreign objects, what they may decide and the other end's policies do not deny. */
  readonly undecided: PortSetId;
}

const isNothing = ({ allowed, denied, undecided }: PortShare): boolean =>
  allowed === noPorts && denied === noPorts && undecided === noPorts;

/** Ports about which they had the say, between each of `from` and each other of `to`. */
export interface Decided extends PortShare {
  readonly from: Side;
  readonly to: Side;
}

/**
 * What `meant` decides, for all pairs of endpoints. External addresses are one endpoint. Pairs come in any order, and
 * a pair may come again for another direction, family or address.
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

/** The other end of a column, and an example of it. */
interface OtherEnd {
  readonly is: Other;
  readonly sample: Endpoint;
}

const addressAt = ({ vocabulary }: Ends, atom: number): OtherEnd => ({
  is: { kind: "external", atom },
  sample: { kind: "external", address: vocabulary.atoms.firstOf(atom) },
});

function endAt({ classes, classOfColumn, isOwnColumn }: Ends, column: number): OtherEnd {
  const end = classes[classOfColumn[column]!]!;
  const nearness = isOwnColumn[column] ? "own-node" : "other-node";
  return {
    is: end.kind === "host" ? { kind: "host", end, nearness } : { kind: "pod", end },
    sample: end.sample,
  };
}

class Shares {
  private readonly view: View;
  private readonly ports: PortSets;
  /** By row: whether some of its rules, or its isolation, are theirs. */
  private readonly speaking = new Map<Layer, readonly boolean[]>();
  private readonly deciders: Deciders;
  /** What the other ends' policies say. */
  private readonly behind: OutcomeRows;

  constructor(
    private readonly engine: Engine,
    family: Family | undefined,
    private readonly direction: Direction,
    private readonly asked: PortSetId,
    private readonly meant: Meant,
  ) {
    this.view = engine.view(family);
    this.ports = engine.ports;
    this.behind = new OutcomeRows(this.view, direction === "egress" ? "ingress" : "egress");
    this.deciders = new Deciders(this.view, engine.cluster, new SharedExplanations());
    for (const layer of this.view.layers[direction])
      this.speaking.set(
        layer,
        layer.rows.rows.map((row) => this.speaks(layer, row)),
      );
  }

  *inside(): Iterable<Decided> {
    const { ends, family } = this.view;
    const walk = new ColumnWalk(this.view, this.direction, "inside", [...ends.classOfColumn.keys()]);
    for (const subject of this.subjects()) {
      const found: { readonly others: readonly Member[]; readonly share: PortShare }[] = [];
      for (const [column, said] of this.collect(walk, "inside", subject)) {
        const end = ends.classes[ends.classOfColumn[column]!]!;
        if (sizeOf(end) === 0 || !canTalk(family, subject.families, end.families)) continue;
        const share = this.ofBoth(said, subject, end);
        if (isNothing(share)) continue;
        if (end.kind === "host") yield* this.withHosts(subject, end, column, share);
        else if (subject !== end || subject.pods.length > 1 || subject.pods[0]?.fromTemplate === true)
          found.push({ others: end.pods, share });
      }
      // There are thousands of other ends, and few ways in which something is decided together with them.
      for (const alike of grouped(found, ({ share }) => Object.values(share).join()).values())
        yield this.pairs(
          [subject.pods],
          alike.map(({ others }) => others),
          alike[0].share,
        );
    }
  }

  /** S1.6: to the pods that run on it, a host is another column. */
  private *withHosts(subject: EndClass, end: EndClass, column: number, share: PortShare): Iterable<Decided> {
    const wanted = this.view.ends.isOwnColumn[column] ? "own-node" : "other-node";
    const { cluster } = this.engine;
    for (const own of subject.pods) {
      const others = [...end.pods, ...end.nodes].filter(
        (other) => nearnessOf(endpointOf(cluster, subject, own), endpointOf(cluster, end, other)) === wanted,
      );
      if (others.length > 0) yield this.pairs([[own]], [others], share);
    }
  }

  *outside(family: Family): Iterable<Decided> {
    const layers = this.view.layers[this.direction];
    const known = new Map<string, PortShare>();
    for (const subject of this.subjects()) {
      if (!canTalk(family, subject.families, [family])) continue;
      // Addresses do not distinguish pods to which the same rules apply.
      const rows = layers.map((layer) => layer.rows.rowOf[subject.index]).join();
      const share = getOrInsert(known, rows, () => this.withAddresses(family, subject));
      if (!isNothing(share)) yield this.pairs([subject.pods], "outside", share);
    }
  }

  private withAddresses(family: Family, subject: EndClass): PortShare {
    const columns = addressKinds(this.view, this.direction, subject, family);
    const walk = new ColumnWalk(this.view, this.direction, "outside", columns);
    const nothing = { allowed: noPorts, denied: noPorts, undecided: noPorts };
    const shares = [...this.collect(walk, "outside", subject).values()];
    return shares.reduce((sum, share) => this.sumOf(sum, share), nothing);
  }

  private pairs(own: readonly (readonly Member[])[], other: Side, share: PortShare): Decided {
    const [from, to] = this.direction === "egress" ? [own, other] : [other, own];
    return { from, to, ...share };
  }

  /** The subjects to which they may apply. */
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

  private sumOf(a: PortShare, b: PortShare): PortShare {
    return {
      allowed: this.ports.union(a.allowed, b.allowed),
      denied: this.ports.union(a.denied, b.denied),
      undecided: this.ports.union(a.undecided, b.undecided),
    };
  }

  /** Their shares by column, as far as there are any. */
  private collect(
    walk: ColumnWalk,
    space: "inside" | "outside",
    subject: EndClass,
  ): ReadonlyMap<number, PortShare> {
    const shares = new Map<number, PortShare>();
    const add = (column: number, allowed: PortSetId, denied: PortSetId, undecided: PortSetId = noPorts) => {
      const share = { allowed, denied, undecided };
      const known = shares.get(column);
      if (!isNothing(share)) shares.set(column, known === undefined ? share : this.sumOf(known, share));
    };
    walk.of(subject, this.asked, {
      decided: (layer, column, allowed, denied) => {
        if (!this.speaking.get(layer)![layer.rows.rowOf[subject.index]!]) return;
        if (this.meant.kind === "tier") add(column, allowed, denied);
        else this.addTheirs(add, space, subject, column, this.ports.union(allowed, denied));
      },
      uncertain: (layer, column, open) => {
        // Of hosts, what facts would make of it is not looked into.
        if (layer.tier.name !== "foreign" && (space === "outside" || !this.isHost(column)))
          this.addTheirs(add, space, subject, column, open);
        // S9.3: on every port, and no other tier decides alone.
        if (layer.tier.name === "foreign" && this.meant.kind === "tier" && this.meant.tier === "foreign")
          add(column, noPorts, noPorts, open);
      },
      rest: (column, open) => {
        if (this.meant.kind === "default") add(column, open, noPorts);
      },
    });
    return shares;
  }

  private isHost(column: number): boolean {
    const { classes, classOfColumn } = this.view.ends;
    return classes[classOfColumn[column]!]!.kind === "host";
  }

  /** Of these ports, those that they alone decide; S9.1: where facts are missing, whatever these may be. */
  private addTheirs(
    add: (column: number, allowed: PortSetId, denied: PortSetId) => void,
    space: "inside" | "outside",
    subject: EndClass,
    column: number,
    open: PortSetId,
  ): void {
    const { ends } = this.view;
    const other = space === "outside" ? addressAt(ends, column) : endAt(ends, column);
    const [source, destination] =
      this.direction === "egress" ? [subject.sample, other.sample] : [other.sample, subject.sample];
    const some = () => ({ source, destination });
    for (const { ports, said } of this.deciders.of(this.direction, subject, other.is, open, some)) {
      if (!said.deciders.every((by) => isBy(this.meant, by))) continue;
      if (said.verdict === "Allow") add(column, ports, noPorts);
      if (said.verdict === "Deny") add(column, noPorts, ports);
    }
  }

  private ofBoth({ allowed, denied, undecided }: PortShare, subject: EndClass, end: EndClass): PortShare {
    if (end.kind === "host") return { allowed, denied, undecided };
    const { ports, view } = this;
    const [source, destination] = this.direction === "egress" ? [subject, end] : [end, subject];
    const answer = () => view.pairAnswer(source, destination);
    const allowedBehind = () => {
      const said = this.behind.at(end, subject.column);
      return isSettled(said) ? view.answerOf(said) : view.answers.allowed(answer());
    };
    return {
      allowed: allowed === noPorts ? noPorts : ports.intersect(allowed, allowedBehind()),
      denied,
      undecided:
        undecided === noPorts ? noPorts : ports.intersect(undecided, view.answers.undecided(answer())),
    };
  }
}
