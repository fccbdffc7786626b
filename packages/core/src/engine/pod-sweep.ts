import type { AnswerId } from "./answers.js";
import type { EndGroup, GroupLayer, Grouping } from "./end-groups.js";
import { composeAll, type OutcomeId, silent, uncertain } from "./outcomes.js";
import { everyPort, noPorts } from "./port-sets.js";
import type { Nearness } from "./layer.js";
import { type Part, shareOf, whole } from "./part.js";
import { hostAt, type Outgoing, type Sweep } from "./sweep.js";
import { readRow } from "./row-work.js";
import { readColumn } from "./transposed.js";
import type { View } from "./view.js";

/** Stands for an answer that has to be asked for pair by pair. */
const askEach: AnswerId = 0xffffffff;
/** Stands for an answer that nobody looked up yet. */
const notKnown: AnswerId = 0xfffffffe;

/**
 * Answers for all pairs with a pod among them, from tables. For each source, what its own rows say to all destinations is held against what the
 * rows of all destinations say to its column: passes over numbers, without looking at a rule.
 */
export class PodSweep implements Sweep {
  /** Those with the same egress next to each other. */
  readonly sources: readonly EndGroup[];
  private readonly egressKeys: ReadonlyMap<EndGroup, string>;
  private readonly egress: readonly EgressLayer[];
  private readonly ingress: readonly IngressLayer[];
  /** By destination, the number of its rows in all ingress layers together. */
  private readonly rowsOf: Uint32Array;
  private readonly outcomes: { readonly egress: Uint32Array; readonly ingress: Uint32Array };
  private readonly answersOf: {
    readonly egress: Uint32Array;
    readonly ingress: Uint32Array;
    readonly both: Uint32Array;
  };
  private egressKey: string | undefined;
  private answerOfOutcome = new Uint32Array(0);

  constructor(
    private readonly view: View,
    { layers }: Grouping,
    private readonly pods: readonly EndGroup[],
    part: Part = whole,
  ) {
    this.egressKeys = new Map(pods.map((group) => [group, rowsKey(layers.egress, group)]));
    const byKey = (a: EndGroup, b: EndGroup) => compare(this.egressKeys.get(a)!, this.egressKeys.get(b)!);
    this.sources = shareOf(pods.toSorted(byKey), part);
    this.egress = layers.egress.map((layer) => new EgressLayer(layer, pods));

    const keys = new Map<string, number>();
    const firsts: EndGroup[] = [];
    this.rowsOf = Uint32Array.from(pods, (group) => {
      const key = rowsKey(layers.ingress, group);
      if (!keys.has(key)) keys.set(key, firsts.push(group) - 1);
      return keys.get(key)!;
    });
    this.ingress = layers.ingress.map((layer) => new IngressLayer(layer, firsts));
    this.outcomes = { egress: new Uint32Array(pods.length), ingress: new Uint32Array(firsts.length) };
    this.answersOf = {
      egress: new Uint32Array(pods.length),
      ingress: new Uint32Array(firsts.length),
      both: new Uint32Array(pods.length),
    };
  }

  from(source: EndGroup): Outgoing {
    const toHost = (host: EndGroup, nearness: Nearness): AnswerId =>
      this.view.answer("egress", source.classes[0]!, hostAt(host, nearness));
    return { toPods: this.answersFrom(source), toHost };
  }

  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId {
    return this.view.answer("ingress", pod.classes[0]!, hostAt(host, nearness));
  }

  /** By destination, in the order of the groups given. Good until the next call. */
  answersFrom(source: EndGroup): Uint32Array {
    this.readEgress(source);
    this.readIngress(source);
    const { egress, ingress, both } = this.answersOf;
    const { answers } = this.view;
    const { ports } = answers;
    for (let i = 0; i < both.length; i++) {
      const out = egress[i]!;
      const into = ingress[this.rowsOf[i]!]!;
      // Most pairs may not talk at all, or as one end alone says.
      if (out === noPorts || into === noPorts) both[i] = noPorts;
      else if (out === askEach || into === askEach) both[i] = this.ask(source, this.pods[i]!);
      else if (out === everyPort || out === into) both[i] = into;
      else both[i] = into === everyPort ? out : ports.intersect(out, into);
    }
    return both;
  }

  /** Undecided answers are only ever found here: all others come from certain outcomes. */
  private ask({ classes: [source] }: EndGroup, { classes: [destination] }: EndGroup): AnswerId {
    return this.view.pairAnswer(source!, destination!);
  }

  private readEgress(source: EndGroup): void {
    const key = this.egressKeys.get(source)!;
    if (key === this.egressKey) return;
    this.egressKey = key;
    const { egress } = this.outcomes;
    egress.fill(silent);
    for (const layer of this.egress) layer.compose(this.view, source, egress);
    this.toAnswers(egress, this.answersOf.egress);
  }

  private readIngress(source: EndGroup): void {
    const { ingress } = this.outcomes;
    ingress.fill(silent);
    for (const layer of this.ingress) layer.compose(this.view, source, ingress);
    this.toAnswers(ingress, this.answersOf.ingress);
  }

  private toAnswers(outcomes: Uint32Array, answers: Uint32Array): void {
    for (let i = 0; i < outcomes.length; i++) {
      const known = this.answerOfOutcome[outcomes[i]!];
      answers[i] = known === undefined || known === notKnown ? this.computeAnswer(outcomes[i]!) : known;
    }
  }

  private computeAnswer(outcome: OutcomeId): AnswerId {
    const { length } = this.view.outcomes.allows;
    if (outcome >= this.answerOfOutcome.length) {
      const longer = new Uint32Array(2 * length).fill(notKnown);
      longer.set(this.answerOfOutcome);
      this.answerOfOutcome = longer;
    }
    const answer = outcome === uncertain ? askEach : this.view.answerOf(outcome);
    this.answerOfOutcome[outcome] = answer;
    return answer;
  }
}

/** A tier as sources walk it: their row, read out for all destinations. */
class EgressLayer {
  private readonly columns: Uint32Array;
  private readonly row: Uint32Array;

  constructor(
    private readonly layer: GroupLayer,
    pods: readonly EndGroup[],
  ) {
    const { columnOf, columns } = layer.layer.inside.layout;
    this.columns = Uint32Array.from(pods, ({ classes }) => columnOf[classes[0]!.column]!);
    this.row = new Uint32Array(columns);
  }

  compose({ outcomes }: View, source: EndGroup, all: Uint32Array): void {
    const { rows, inside } = this.layer.layer;
    const values = inside.values(rows.rowOf[source.classes[0]!.index]!);
    if (values.base === silent && values.columns.length === 0) return;
    readRow(values, this.row);
    composeAll(outcomes, all, this.row, this.columns);
  }
}

/** A tier as destinations walk it: the column of the source, read out for all rows. */
class IngressLayer {
  private readonly contents: Uint32Array;
  private readonly column: Uint32Array;

  constructor(
    private readonly layer: GroupLayer,
    destinations: readonly EndGroup[],
  ) {
    const { transposed } = layer;
    this.contents = Uint32Array.from(destinations, (group) => contentOf(layer, group));
    this.column = new Uint32Array(transposed.bases.length);
  }

  compose({ outcomes }: View, source: EndGroup, all: Uint32Array): void {
    const { columnOf } = this.layer.layer.inside.layout;
    readColumn(this.layer.transposed, columnOf[source.classes[0]!.column]!, this.column);
    composeAll(outcomes, all, this.column, this.contents);
  }
}

function contentOf({ layer, transposed }: GroupLayer, { classes }: EndGroup): number {
  return transposed.contentOf[layer.rows.rowOf[classes[0]!.index]!]!;
}

const rowsKey = (layers: readonly GroupLayer[], group: EndGroup): string =>
  layers.map((layer) => contentOf(layer, group)).join();

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
