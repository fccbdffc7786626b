import { contentOf, type EndGroup, type GroupLayer, tupleNumbers } from "./end-groups.js";
import type { OutcomeAnswers } from "./outcome-answers.js";
import { composeAll, type OutcomeId, silent } from "../walk/outcomes.js";
import type { IngressSource } from "./pod-sweep.js";
import { readColumn } from "../compile/transposed.js";
import type { View } from "../compile/view.js";

/**
 * What the policies of destinations say to sources. Destinations whose rows are alike in all tiers are one. The answers for
 * a source are made from those for the one before: tiers are composed again from the first that says something else to
 * it. Where a tier singles out few ends for each source, these are composed one by one.
 */
export class IngressAnswers implements IngressSource {
  /** By destination, its number in the answers. */
  readonly at: Uint32Array;
  private readonly layers: readonly (DenseLayer | SparseLayer)[];
  private readonly sparse: readonly SparseLayer[];
  /** What the tiers up to each say together, leaving aside what sparse ones single out. */
  private readonly composed: readonly Uint32Array[];
  private readonly base: Uint32Array;
  private readonly now: Uint32Array;
  /** The numbers at which the answers now may not be those of the base. */
  private singled: number[] = [];

  constructor(
    private readonly view: View,
    all: readonly GroupLayer[],
    pods: readonly EndGroup[],
    private readonly answers: OutcomeAnswers,
    singlesOutFew: (layer: GroupLayer) => boolean = isSparse,
  ) {
    const layers = all.filter(saysSomething);
    const rows = tupleNumbers(pods, (group) => layers.map((layer) => contentOf(layer, group)));
    this.at = rows.numbers;
    this.layers = layers.map((layer) => {
      const contents = Uint32Array.from(rows.firsts, (group) => contentOf(layer, group));
      return singlesOutFew(layer) ? new SparseLayer(layer, contents) : new DenseLayer(layer, contents);
    });
    this.sparse = this.layers.filter((layer) => layer instanceof SparseLayer);
    const vector = () => new Uint32Array(rows.firsts.length);
    this.composed = layers.map(vector);
    [this.base, this.now] = [vector(), vector()];
    this.composeFrom(0);
  }

  /** Sources are best asked about in the order of this text. */
  orderOf(source: EndGroup): string {
    const columns = this.layers.map((layer) => (layer.isSparse ? 0 : columnContentOf(layer.of, source)));
    return columns.map((column) => `${column}`.padStart(8)).join("");
  }

  /** Good until the next call. */
  for(source: EndGroup): Uint32Array {
    const { now, base, sparse } = this;
    for (const layer of sparse) layer.forget();
    const moved = this.layers.map((layer) => !layer.isSparse && layer.moveTo(source)).indexOf(true);
    if (moved >= 0) this.composeFrom(moved);
    else for (const number of this.singled) now[number] = base[number]!;
    this.singled = [];
    for (const layer of sparse) layer.singleOut(source);
    for (const layer of sparse)
      for (const content of layer.special)
        for (const number of layer.numbersOf(content)) {
          now[number] = this.answers.of(this.composeAt(number));
          this.singled.push(number);
        }
    return now;
  }

  private composeFrom(first: number): void {
    const { layers, composed, base } = this;
    for (let i = first; i < layers.length; i++) {
      const all = composed[i]!;
      if (i === 0) all.fill(silent);
      else all.set(composed[i - 1]!);
      composeAll(this.view.outcomes, all, layers[i]!.column, layers[i]!.contents);
    }
    const last = composed.at(-1);
    if (last === undefined) base.fill(this.answers.of(silent));
    else this.answers.read(last, base);
    this.now.set(base);
  }

  private composeAt(number: number): OutcomeId {
    let all = silent;
    for (const { column, contents } of this.layers)
      all = this.view.outcomes.compose(all, column[contents[number]!]!);
    return all;
  }
}

const saysSomething = ({ transposed: { bases, rows } }: GroupLayer): boolean =>
  rows.length > 0 || bases.some((base) => base !== silent);

/** Where a source is singled out by fewer than one in so many rows. */
const few = 16;

const isSparse = ({ transposed: { rows, bases, columnContentOf } }: GroupLayer): boolean =>
  rows.length * few < bases.length * columnContentOf.length;

/** By what the rows say to the source: columns to which all say the same are one. */
const columnContentOf = (layer: GroupLayer, source: EndGroup): number =>
  layer.transposed.columnContentOf[columnOf(layer, source)]!;

const columnOf = ({ layer }: GroupLayer, { classes }: EndGroup): number =>
  layer.inside.layout.columnOf[classes[0]!.column]!;

/** A tier as destinations walk it, of which the whole column of a source is read. */
class DenseLayer {
  readonly isSparse = false;
  /** By content of rows: what they say to the source. */
  readonly column: Uint32Array;
  private isAt = -1;

  constructor(
    readonly of: GroupLayer,
    /** By the number of a destination's rows. */
    readonly contents: Uint32Array,
  ) {
    this.column = of.transposed.bases.slice();
  }

  /** Whether that is another column than before. */
  moveTo(source: EndGroup): boolean {
    const content = columnContentOf(this.of, source);
    if (content === this.isAt) return false;
    this.isAt = content;
    readColumn(this.of.transposed, columnOf(this.of, source), this.column);
    return true;
  }
}

/** One in which most rows say to a source what they say to most. */
class SparseLayer {
  readonly isSparse = true;
  readonly column: Uint32Array;
  /** The contents of rows that say something of their own to the source. */
  special: Uint32Array = new Uint32Array(0);
  private readonly numbers: readonly (readonly number[])[];

  constructor(
    readonly of: GroupLayer,
    readonly contents: Uint32Array,
  ) {
    this.column = of.transposed.bases.slice();
    const numbers = Array.from(this.column, (): number[] => []);
    for (const [number, content] of contents.entries()) numbers[content]!.push(number);
    this.numbers = numbers;
  }

  numbersOf(content: number): readonly number[] {
    return this.numbers[content]!;
  }

  singleOut(source: EndGroup): void {
    const { starts, rows, values } = this.of.transposed;
    const column = columnOf(this.of, source);
    this.special = rows.subarray(starts[column], starts[column + 1]);
    for (let i = 0, at = starts[column]!; i < this.special.length; i++, at++)
      this.column[this.special[i]!] = values[at]!;
  }

  forget(): void {
    const { bases } = this.of.transposed;
    for (const content of this.special) this.column[content] = bases[content]!;
    this.special = new Uint32Array(0);
  }
}
