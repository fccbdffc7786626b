import type { Cluster } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction, Tier, Tiers } from "../../policy/model.js";
import type { AnswerId, Answers } from "./answers.js";
import type { EndClass, Ends } from "../classes/ends.js";
import { columnOf, type Layer, type Other } from "./layer.js";
import { LiteralAnswers } from "./literal-answers.js";
import { isSettled, type OutcomeId, Outcomes, silent, uncertain, undecided } from "../walk/outcomes.js";
import { everyPort, noPorts, offsets, type PortSetId } from "../../sets/port-sets.js";
import { ofPod, type Space } from "./rule-items.js";
import { CellStates } from "../walk/cell-states.js";
import { isolatingOf } from "../walk/isolating.js";
import type { Cell, CellLayer } from "../walk/cell-walk.js";
import { RulePorts } from "./rule-ports.js";
import { Spaces } from "./spaces.js";
import { TierReach } from "./tier-reach.js";
import { noRow, type Row } from "./tier-rows.js";

/** So many later rows are still better than compiling again. */
const mostLaterRows = 1000;

/** The compiled policies, for one address family; undefined if the endpoints do not determine it (S1.15). */
export class View {
  readonly layers: Readonly<Record<Direction, readonly Layer[]>>;
  readonly outcomes: Outcomes;
  private readonly literal: LiteralAnswers;
  /** How many there were when nothing had changed yet: rows of policies that are gone stay in their tables. */
  private readonly compiledRows: number;
  private readonly reaches = new Map<Direction, TierReach>();

  private constructor(
    private readonly cluster: Cluster,
    readonly ends: Ends,
    readonly answers: Answers,
    readonly family: Family | undefined,
    readonly states: CellStates,
    private readonly spaces: Spaces,
    tiers: Tiers,
    compile: (direction: Direction, tier: Tier) => Layer,
    compiledRows?: number,
  ) {
    this.outcomes = states.outcomes;
    this.literal = new LiteralAnswers(cluster, answers, family);
    this.layers = {
      egress: tiers.egress.map((tier) => compile("egress", tier)),
      ingress: tiers.ingress.map((tier) => compile("ingress", tier)),
    };
    this.compiledRows = compiledRows ?? this.rowCount;
  }

  /** The pods and hosts that rules select. */
  get space(): Space {
    return this.spaces.inside;
  }

  private get rowCount(): number {
    return [...this.layers.egress, ...this.layers.ingress].reduce(
      (sum, { rows }) => sum + rows.rows.length,
      0,
    );
  }

  /** Whether more rows came since all was compiled, of policies that are gone as well, than compiling again would cost. */
  get isOvergrown(): boolean {
    return this.rowCount > 2 * this.compiledRows + mostLaterRows;
  }

  static of(cluster: Cluster, tiers: Tiers, ends: Ends, answers: Answers, family: Family | undefined): View {
    const states = new CellStates(new Outcomes(answers.ports));
    const spaces = new Spaces(cluster, ends, new RulePorts(answers.ports, family), family);
    const compile = (direction: Direction, tier: Tier) => spaces.compile(direction, tier, states);
    return new View(cluster, ends, answers, family, states, spaces, tiers, compile);
  }

  /**
   * The same endpoints with other policies, which must not distinguish members of a class. Tiers that are the same stay
   * compiled; `affected` are the classes whose rows may have changed.
   */
  withTiers(tiers: Tiers): {
    readonly view: View;
    readonly affected: Readonly<Record<Direction, ReadonlySet<number>>>;
  } {
    const { cluster, ends, answers, family, states, spaces } = this;
    const affected = { egress: new Set<number>(), ingress: new Set<number>() };
    const compile = (direction: Direction, tier: Tier): Layer => {
      const before = this.layers[direction].find((layer) => layer.tier.name === tier.name);
      if (before !== undefined && isSame(before.tier, tier)) return before;
      if (before === undefined) {
        for (const index of ends.podClasses) affected[direction].add(index);
        return spaces.compile(direction, tier, states);
      }
      const { rows, affected: touched } = before.rows.changedTo(tier);
      for (const index of touched) affected[direction].add(index);
      const [inside, outside] = [before.inside.withRows(rows), before.outside.withRows(rows)];
      return { tier, rows, inside, outside };
    };
    for (const direction of ["egress", "ingress"] as const)
      for (const { tier, rows } of this.layers[direction])
        if (!tiers[direction].some(({ name }) => name === tier.name))
          for (const index of rows.rowOf.keys()) affected[direction].add(index);
    const { compiledRows } = this;
    const view = new View(cluster, ends, answers, family, states, spaces, tiers, compile, compiledRows);
    return { view, affected };
  }

  /** A class of pods that was added later than all others. */
  addClass(end: EndClass): void {
    this.spaces.addClass(end);
    for (const { rows, inside } of [...this.layers.egress, ...this.layers.ingress]) {
      const count = rows.rows.length;
      rows.addClass(end);
      inside.addColumn(ofPod, count);
    }
    for (const reach of this.reaches.values()) reach.add(end.index);
  }

  /** Which classes of pods get to which tiers. */
  reach(direction: Direction): TierReach {
    const known = this.reaches.get(direction);
    if (known !== undefined) return known;
    const made = new TierReach(this.layers[direction], direction, this.ends.podClasses);
    this.reaches.set(direction, made);
    return made;
  }

  /** What the policies of `subject` say about talking to, or being talked to by, the other end. */
  answer(
    direction: Direction,
    subject: EndClass,
    other: Other,
    /** Returns answers that depend on no missing facts. */
    certain = (other: Other) => this.certainAnswer(direction, subject, other),
  ): AnswerId {
    // S1.4: hosts have no policies.
    if (subject.kind === "host") return everyPort;
    if (other.kind === "host" && other.nearness === "unknown-node") {
      const own = certain({ ...other, nearness: "own-node" });
      const remote = certain({ ...other, nearness: "other-node" });
      if (own !== undefined && remote !== undefined) return this.answers.eitherOf(own, remote);
      return this.literalAnswer(direction, subject, other);
    }
    return certain(other) ?? this.literalAnswer(direction, subject, other);
  }

  /** The answer of the policies of source and destination for connections between pods. */
  pairAnswer(
    source: EndClass,
    destination: EndClass,
    egress = this.answer("egress", source, { kind: "pod", end: destination }),
    ingress = this.answer("ingress", destination, { kind: "pod", end: source }),
  ): AnswerId {
    return this.answers.both(egress, ingress, (ports) => this.undecidable(ports, source, destination));
  }

  private undecidable(wanted: PortSetId, source: EndClass, destination: EndClass): PortSetId {
    // S9.3: what foreign objects do in one direction depends on nothing that the other direction could ask about.
    const isForeign = (direction: Direction, subject: EndClass, { column }: EndClass): boolean =>
      this.outcomeAt(direction, subject, column) === undecided;
    if (isForeign("egress", source, destination) || isForeign("ingress", destination, source)) return wanted;
    return this.literal.undecidable(wanted, source, destination, {
      tiers: {
        egress: this.literalTiers("egress", source),
        ingress: this.literalTiers("ingress", destination),
      },
      points: [
        ...this.points("egress", this.rowsOf("egress", source), false),
        ...this.points("ingress", this.rowsOf("ingress", destination), false),
      ],
    });
  }

  /** The tiers with only the rules that apply to a subject. */
  literalTiers(direction: Direction, subject: EndClass): readonly Tier[] {
    const rows = this.rowsOf(direction, subject);
    return this.layers[direction].map(({ tier }, i) => {
      const { rules, isolation } = rows[i]!;
      return { ...tier, rules, isolation };
    });
  }

  /** What is settled about a column; undefined where something is not. Hosts and pods alike, and quick. */
  answerAt(direction: Direction, subject: EndClass, column: number): AnswerId | undefined {
    const all = this.outcomeAt(direction, subject, column);
    return isSettled(all) ? this.answerOf(all) : undefined;
  }

  /** What all tiers of a direction say together, of a pod to a column. */
  outcomeAt(direction: Direction, subject: EndClass, column: number): OutcomeId {
    let all = silent;
    for (const { rows, inside } of this.layers[direction]) {
      all = this.outcomes.compose(all, inside.at(rows.rowOf[subject.index]!, column));
      if (this.outcomes.isFinal[all] === 1) break;
    }
    return all;
  }

  private certainAnswer(
    direction: Direction,
    subject: EndClass,
    other: Other,
    asked: Asked = "among others",
  ): AnswerId | undefined {
    const outcome = this.outcome(direction, subject, other, asked);
    return outcome === uncertain ? undefined : this.answerOf(outcome);
  }

  /**
   * What a host may open to a pod, where hosts are all that is left to ask about: rows that matter to no pod, as a tier before
   * has said everything but to the pod's own node (S1.6), are not computed for all columns.
   */
  fromHost(pod: EndClass, host: Other): AnswerId {
    return this.answer("ingress", pod, host, (other) => this.certainAnswer("ingress", pod, other, "alone"));
  }

  /** S1.3: what no tier denies is allowed. */
  answerOf(outcome: OutcomeId): AnswerId {
    if (outcome === undecided) return this.answers.of(noPorts, everyPort);
    return this.answers.ports.subtract(everyPort, this.outcomes.denies[outcome]!);
  }

  literalAnswer(direction: Direction, subject: EndClass, other: Other): AnswerId {
    const rows = this.rowsOf(direction, subject);
    const end: Endpoint =
      other.kind === "external"
        ? { kind: "external", address: this.ends.vocabulary.atoms.firstOf(other.atom) }
        : other.end.sample;
    const nearness = other.kind === "host" ? other.nearness : "other-node";
    const key = `${direction} ${rows.map((row) => row.index).join()} ${columnKey(other)}`;
    return this.literal.of(key, {
      direction,
      subject,
      other: end,
      nearness,
      tiers: this.literalTiers(direction, subject),
      points: this.points(direction, rows, other.kind === "external"),
    });
  }

  private outcome(direction: Direction, subject: EndClass, other: Other, asked: Asked): OutcomeId {
    let all = silent;
    for (const layer of this.layers[direction]) {
      const row = layer.rows.rowOf[subject.index]!;
      if (row === noRow) continue;
      const said =
        other.kind === "external"
          ? layer.outside.at(row, other.atom)
          : asked === "alone"
            ? layer.inside.alone(row, columnOf(other))
            : layer.inside.at(row, columnOf(other));
      all = this.outcomes.compose(all, said);
      if (this.outcomes.isFinal[all] === 1) break;
    }
    return all;
  }

  /** All rules that match a pair; of `other` it is known on which node it is, where that matters. */
  cell(direction: Direction, subject: EndClass, other: Other): Cell {
    const isExternal = other.kind === "external";
    const column = isExternal ? other.atom : columnOf(other);
    const fromOwnNode = direction === "ingress" && other.kind === "host" && other.nearness === "own-node";
    const layers = this.layers[direction].map(({ tier, rows, inside, outside }): CellLayer => {
      const row = rows.rows[rows.rowOf[subject.index]!]!;
      const items = (isExternal ? outside : inside).itemsOf(row).filter(({ set }) => set.holds(column));
      const isolation = fromOwnNode || row.isolation.length === 0 ? [] : isolatingOf(tier, row);
      return { tier: tier.name, items, isolation };
    });
    return { layers, fromOwnNode, isExternal };
  }

  /** The first port of each interval that the rules of these rows distinguish, ascending. */
  private points(direction: Direction, rows: readonly Row[], external: boolean): readonly number[] {
    const points = new Set<number>(Object.values(offsets));
    for (const [i, { inside, outside }] of this.layers[direction].entries())
      for (const item of (external ? outside : inside).itemsOf(rows[i]!))
        for (const point of this.answers.ports.bordersOf(item.ports)) points.add(point);
    points.delete(offsets.ICMP + 1);
    return [...points].toSorted((a, b) => a - b);
  }

  /** The same for all rules that apply to a subject. */
  pointsOf(direction: Direction, subject: EndClass, external: boolean): readonly number[] {
    return this.points(direction, this.rowsOf(direction, subject), external);
  }

  rowsOf(direction: Direction, subject: EndClass): readonly Row[] {
    return this.layers[direction].map(({ rows }) => rows.rows[rows.rowOf[subject.index]!]!);
  }
}

/** Whether rows are asked about one column, or about most. */
type Asked = "alone" | "among others";

const isSame = (a: Tier, b: Tier): boolean =>
  a === b || (isSameList(a.rules, b.rules) && isSameList(a.isolation, b.isolation));

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

function columnKey(other: Other): string {
  switch (other.kind) {
    case "external":
      return `external ${other.atom}`;
    case "host":
      return `${other.nearness} ${other.end.index}`;
    case "pod":
      return `pod ${other.end.index}`;
  }
}
