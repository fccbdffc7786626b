import { contentOf, type EndGroup, type GroupLayer, tupleNumbers } from "./end-groups.js";
import type { OutcomeAnswers } from "./outcome-answers.js";
import type { AnswerId } from "../compile/answers.js";
import { composeAll, type OutcomeId, silent } from "../walk/outcomes.js";
import type { Incoming, IngressSource } from "./pod-sweep.js";
import { readColumn } from "../compile/transposed.js";
import type { View } from "../compile/view.js";

/**
 * What the policies of destinations say to sources. Destinations whose rows are alike in all tiers are one *row*. The
 * answers for a source are made from those for the one before:
 *
 *   dense tiers     are composed again from the first that says something else to the source
 *   sparse tiers    single out few rows for each source: these are composed one by one, and all others get what the tier
 *                   says to most. Rows that differ only in what is singled out are one *base row*
 */
export class IngressAnswers implements IngressSource {
  /** By destination, its row in the answers. */
  readonly at: Uint32Array;
  private readonly layers: readonly (DenseLayer | SparseLayer)[];
  private readonly sparse: readonly SparseLayer[];
  /** By row, its base row. */
  private readonly baseAt: Uint32Array;
  /** By base row: what the tiers up to each say together, and the answer. */
  private readonly composed: readonly Uint32Array[];
  private readonly base: Uint32Array;
  /** By row, the answer of its base row. */
  private readonly usual: Uint32Array;
  private version = 0;
  private readonly isSingled: Uint8Array;

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
    const valueOf = (layer: GroupLayer, group: EndGroup) => {
      const content = contentOf(layer, group);
      return singlesOutFew(layer) ? layer.transposed.bases[content]! : content;
    };
    const bases = tupleNumbers(rows.firsts, (group) => layers.map((layer) => valueOf(layer, group)));
    this.baseAt = bases.numbers;
    this.layers = layers.map((layer) => {
      const contents = Uint32Array.from(rows.firsts, (group) => contentOf(layer, group));
      const ofBases = Uint32Array.from(bases.firsts, (group) => valueOf(layer, group));
      return singlesOutFew(layer)
        ? new SparseLayer(layer, contents, ofBases)
        : new DenseLayer(layer, contents, ofBases);
    });
    this.sparse = this.layers.filter((layer) => layer instanceof SparseLayer);
    this.composed = layers.map(() => new Uint32Array(bases.firsts.length));
    this.base = new Uint32Array(bases.firsts.length);
    this.usual = new Uint32Array(rows.firsts.length);
    this.isSingled = new Uint8Array(rows.firsts.length);
    this.composeFrom(0);
  }

  /** Sources are best asked about in the order of this text. */
  orderOf(source: EndGroup): string {
    const columns = this.layers.map((layer) => (layer.isSparse ? 0 : columnContentOf(layer.of, source)));
    return columns.map((column) => `${column}`.padStart(8)).join("");
  }

  /** Good until the next call. */
  for(source: EndGroup): Incoming {
    const { usual, sparse, isSingled } = this;
    for (const layer of sparse) layer.forget();
    const moved = this.layers.map((layer) => !layer.isSparse && layer.moveTo(source)).indexOf(true);
    if (moved >= 0) this.composeFrom(moved);
    for (const layer of sparse) layer.singleOut(source);
    const singled: number[] = [];
    const singledAnswers: AnswerId[] = [];
    for (const layer of sparse)
      for (const content of layer.special)
        for (const row of layer.rowsOf(content)) {
          if (isSingled[row] === 1) continue;
          isSingled[row] = 1;
          singled.push(row);
          singledAnswers.push(this.answers.of(this.composeAt(row)));
        }
    for (const row of singled) isSingled[row] = 0;
    return { answers: usual, singled, singledAnswers, at: this.at, version: this.version };
  }

  private composeFrom(first: number): void {
    const { layers, composed, base, baseAt, usual } = this;
    this.version++;
    const { outcomes } = this.view;
    for (let i = first; i < layers.length; i++) {
      const all = composed[i]!;
      if (i === 0) all.fill(silent);
      else all.set(composed[i - 1]!);
      const layer = layers[i]!;
      if (layer.isSparse) composeAll(outcomes, all, layer.ofBases);
      else composeAll(outcomes, all, layer.column, layer.ofBases);
    }
    const last = composed.at(-1);
    if (last === undefined) base.fill(this.answers.of(silent));
    else this.answers.read(last, base);
    for (let row = 0; row < usual.length; row++) usual[row] = base[baseAt[row]!]!;
  }

  private composeAt(row: number): OutcomeId {
    let all = silent;
    for (const { column, contents } of this.layers)
      all = this.view.outcomes.compose(all, column[contents[row]!]!);
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
    /** By row. */
    readonly contents: Uint32Array,
    /** By base row, the same. */
    readonly ofBases: Uint32Array,
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
  /** The contents of rows with a separate answer for the source. */
  special: Uint32Array = new Uint32Array(0);
  private readonly rows: readonly (readonly number[])[];

  constructor(
    readonly of: GroupLayer,
    readonly contents: Uint32Array,
    /** By base row, what its rows say to most. */
    readonly ofBases: Uint32Array,
  ) {
    this.column = of.transposed.bases.slice();
    const rows = Array.from(this.column, (): number[] => []);
    for (const [row, content] of contents.entries()) rows[content]!.push(row);
    this.rows = rows;
  }

  rowsOf(content: number): readonly number[] {
    return this.rows[content]!;
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
