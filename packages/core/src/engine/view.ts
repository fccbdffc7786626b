import type { Cluster } from "../cluster/model.js";
import type { Endpoint } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import type { Direction, Tier, Tiers } from "../policy/model.js";
import type { AnswerId, Answers } from "./answers.js";
import type { EndClass, Ends } from "./ends.js";
import { columnOf, type Layer, type Other } from "./layer.js";
import { LiteralAnswers } from "./literal-answers.js";
import { type OutcomeId, Outcomes, silent, uncertain } from "./outcomes.js";
import { OutsideSets } from "./outside-sets.js";
import { PeerSets } from "./peer-sets.js";
import { everyPort, offsets } from "./port-sets.js";
import { ofHost, ofPod, ownHost, RuleItems, type Space } from "./rule-items.js";
import { RulePorts } from "./rule-ports.js";
import { noRow, type Row, TierRows } from "./tier-rows.js";
import { TierTable } from "./tier-table.js";

/** The compiled policies, for connections of one address family; undefined where the ends do not tell (S1.15). */
export class View {
  readonly layers: Readonly<Record<Direction, readonly Layer[]>>;
  readonly outcomes: Outcomes;
  private readonly literal: LiteralAnswers;

  constructor(
    cluster: Cluster,
    tiers: Tiers,
    readonly ends: Ends,
    readonly answers: Answers,
    readonly family: Family | undefined,
  ) {
    this.outcomes = new Outcomes(answers.ports);
    this.literal = new LiteralAnswers(cluster, answers, family);
    const inside = new PeerSets(cluster, ends, family);
    const outside = new OutsideSets(cluster, ends.vocabulary);
    const ports = new RulePorts(answers.ports, family);
    const spaces: Record<"inside" | "outside", Space> = {
      inside: {
        columns: ends.columns,
        sets: inside.sets,
        of: (peer, subject) => inside.of(peer, subject),
        classAt: (column) => ends.classes[ends.classOfColumn[column]!],
        kinds: 3,
        kindOf: (column) => kindAt(ends, column),
      },
      outside: {
        columns: ends.vocabulary.atoms.count,
        sets: outside.sets,
        of: (peer, subject) => outside.of(peer, subject),
        classAt: () => undefined,
        kinds: 1,
        kindOf: () => ofPod,
      },
    };
    const compileTier = (direction: Direction, tier: Tier): Layer => {
      const rows = new TierRows(tier, direction, ends, inside.selections);
      const table = (space: Space, grouped: boolean) => {
        const items = new RuleItems(direction, space, ports);
        return new TierTable(rows, direction, space, items, this.outcomes, grouped);
      };
      // The rules of namespaces look at few columns each, those of the cluster at most.
      const local = tier.name === "network-policy";
      return { tier, rows, inside: table(spaces.inside, !local), outside: table(spaces.outside, false) };
    };
    this.layers = {
      egress: tiers.egress.map((tier) => compileTier("egress", tier)),
      ingress: tiers.ingress.map((tier) => compileTier("ingress", tier)),
    };
  }

  /** What the policies of `subject` say about talking to, or being talked to by, the other end. */
  answer(direction: Direction, subject: EndClass, other: Other): AnswerId {
    // S1.4: hosts have no policies.
    if (subject.kind === "host") return everyPort;
    if (other.kind === "host" && other.nearness === "unknown-node") {
      const own = this.certainAnswer(direction, subject, { ...other, nearness: "own-node" });
      const remote = this.certainAnswer(direction, subject, { ...other, nearness: "other-node" });
      if (own !== undefined && remote !== undefined) return this.answers.eitherOf(own, remote);
      return this.literalAnswer(direction, subject, other);
    }
    return this.certainAnswer(direction, subject, other) ?? this.literalAnswer(direction, subject, other);
  }

  /** What both ends' policies say about connections between pods. */
  pairAnswer(source: EndClass, destination: EndClass): AnswerId {
    const egress = this.answer("egress", source, { kind: "pod", end: destination });
    const ingress = this.answer("ingress", destination, { kind: "pod", end: source });
    return this.answers.both(egress, ingress, (ports) =>
      this.literal.undecidable(ports, source, destination, {
        tiers: {
          egress: this.literalTiers("egress", source),
          ingress: this.literalTiers("ingress", destination),
        },
        points: [
          ...this.points("egress", this.rowsOf("egress", source), false),
          ...this.points("ingress", this.rowsOf("ingress", destination), false),
        ],
      }),
    );
  }

  /** The tiers with only the rules that apply to a subject. */
  literalTiers(direction: Direction, subject: EndClass): readonly Tier[] {
    const rows = this.rowsOf(direction, subject);
    return this.layers[direction].map(({ tier }, i) => {
      const { rules, isolation } = rows[i]!;
      return { ...tier, rules, isolation };
    });
  }

  private certainAnswer(direction: Direction, subject: EndClass, other: Other): AnswerId | undefined {
    const outcome = this.outcome(direction, subject, other);
    return outcome === uncertain ? undefined : this.answerOf(outcome);
  }

  /** S1.3: what no tier denies is allowed. */
  answerOf(outcome: OutcomeId): AnswerId {
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

  private outcome(direction: Direction, subject: EndClass, other: Other): OutcomeId {
    let all = silent;
    for (const layer of this.layers[direction]) {
      const row = layer.rows.rowOf[subject.index]!;
      if (row === noRow) continue;
      const said =
        other.kind === "external" ? layer.outside.at(row, other.atom) : layer.inside.at(row, columnOf(other));
      all = this.outcomes.compose(all, said);
    }
    return all;
  }

  /** Where the ports begin that some rule of these rows tells from those before, ascending. */
  private points(direction: Direction, rows: readonly Row[], external: boolean): readonly number[] {
    const points = new Set<number>(Object.values(offsets));
    for (const [i, { inside, outside }] of this.layers[direction].entries())
      for (const item of (external ? outside : inside).itemsOf(rows[i]!))
        for (const point of this.answers.ports.bordersOf(item.ports)) points.add(point);
    points.delete(offsets.ICMP + 1);
    return [...points].sort((a, b) => a - b);
  }

  rowsOf(direction: Direction, subject: EndClass): readonly Row[] {
    return this.layers[direction].map(({ rows }) => rows.rows[rows.rowOf[subject.index]!]!);
  }
}

function kindAt(ends: Ends, column: number): number {
  if (ends.classes[ends.classOfColumn[column]!]!.kind === "pod") return ofPod;
  return ends.isOwnColumn[column]! ? ownHost : ofHost;
}

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
