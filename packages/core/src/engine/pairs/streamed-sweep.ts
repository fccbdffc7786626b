import { PortMasks } from "../../sets/port-masks.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { AnswerId } from "../compile/answers.js";
import { columnOf, type Layer, type Other } from "../compile/layer.js";
import type { View } from "../compile/view.js";
import type { EndClass } from "../classes/ends.js";
import { MaskedCells } from "../walk/cells.js";
import { Layout } from "../walk/layout.js";
import { silent } from "../walk/outcomes.js";
import type { RowWalk } from "../walk/row-walk.js";
import type { EndGroup } from "./end-groups.js";
import { askEach, OutcomeAnswers } from "./outcome-answers.js";
import { type Part, shareOf } from "./part.js";
import { type Egress, type EgressSource, type Incoming, type IngressSource, PodSweep } from "./pod-sweep.js";

/** Numbers of four bytes in what is kept of ingress. */
const usualTileSize = 25_000_000;

/**
 * All pairs, for clusters whose tables would need too much memory. Only this is kept:
 *
 *   egress    the answers for the current source: its own rows, for all destinations
 *   ingress   a tile: the answers of all pods for some sources, until each of these sources is processed
 */
export function streamedSweep(
  view: View,
  pods: readonly EndGroup[],
  hosts: readonly EndGroup[],
  part: Part,
  tileSize = usualTileSize,
): PodSweep {
  const answers = new OutcomeAnswers(view);
  const masks = portMasks(view);
  const egress = new StreamedEgress(view, pods, answers, masks);
  const sources = shareOf(egress.ordered(), part);
  const tiles = (groups: readonly EndGroup[]) =>
    new StreamedIngress(view, pods, columnsOf(groups), answers, masks, tileSize);
  const fromHosts = tiles(hosts);
  const known = (answer: AnswerId) => (answer === askEach ? undefined : answer);
  return new PodSweep(view, pods, sources, egress, tiles(sources), {
    toHost: (source, host) =>
      view.answer("egress", source.classes[0]!, host, (other) =>
        known(egress.current.answers[insideColumn(other)]!),
      ),
    fromHost: (host, pod) =>
      view.answer("ingress", pod.classes[0]!, host, (other) =>
        known(fromHosts.from(insideColumn(other))[fromHosts.numberOf(pod)]!),
      ),
  });
}

/** Pods are seen alike by all others, hosts as one by their own pods (S1.6). */
const columnsOf = (groups: readonly EndGroup[]): Uint32Array =>
  Uint32Array.from(
    groups.flatMap(({ kind, classes: [first] }) =>
      kind === "pod" ? first!.column : [first!.column, first!.ownColumn],
    ),
  );

const insideColumn = (other: Other): number => (other.kind === "external" ? -1 : columnOf(other));

/** What all tiers of a direction together say to some columns, subject by subject. */
class StreamedRows {
  private readonly walk: RowWalk | undefined;

  constructor(
    { outcomes }: View,
    private readonly layers: readonly Layer[],
    layout: Layout,
    masks: PortMasks,
  ) {
    const cells = new MaskedCells(masks, outcomes, layout.columns + layout.kinds);
    this.walk = layers[0]?.inside.walkOver(layout, cells);
  }

  /** By column of the layout; `silent` for columns that are not wanted, by bit. */
  read(subject: EndClass, into: Uint32Array, wanted?: Uint32Array): void {
    if (this.walk === undefined) into.fill(silent);
    const tiers = this.layers.map(({ rows, inside }) =>
      inside.tierItemsOf(rows.rows[rows.rowOf[subject.index]!]!),
    );
    this.walk?.walkTiers(tiers, into, wanted);
  }
}

function portMasks({ layers, answers }: View): PortMasks {
  const sets = new Set<PortSetId>();
  for (const { rows, inside } of [...layers.egress, ...layers.ingress])
    for (const row of rows.rows) for (const { ports } of inside.itemsOf(row)) sets.add(ports);
  return new PortMasks(answers.ports, sets);
}

/** The rows of one source at a time; sources with the same rules come one after the other. */
class StreamedEgress implements EgressSource {
  readonly at: Uint32Array;
  private readonly wayOf: ReadonlyMap<EndGroup, number>;
  /** How many sources have the same rules. */
  private readonly sizes: Uint32Array;
  private readonly rows: StreamedRows;
  /** A bit for each column that is wanted for every source, and for each that is wanted for the current one. */
  private readonly alwaysWanted: Uint32Array;
  private readonly wanted: Uint32Array;
  private readonly found: Uint32Array;
  private readonly buffer: Uint32Array;
  private last: { readonly way: number; readonly egress: Egress } | undefined;

  constructor(
    view: View,
    private readonly pods: readonly EndGroup[],
    private readonly answers: OutcomeAnswers,
    masks: PortMasks,
  ) {
    this.at = columnsOf(pods);
    const { wayOf, firsts } = waysThrough(view.layers.egress, pods);
    this.wayOf = new Map(pods.map((group, i) => [group, wayOf[i]!]));
    this.sizes = new Uint32Array(firsts.length);
    for (const way of wayOf) this.sizes[way]!++;
    this.rows = new StreamedRows(view, view.layers.egress, Layout.plain(view.space), masks);
    this.buffer = new Uint32Array(view.ends.columns);
    this.found = new Uint32Array(pods.length);
    this.alwaysWanted = new Uint32Array((view.ends.columns + 31) >>> 5).fill(0xffffffff);
    for (const column of this.at) this.alwaysWanted[column >>> 5]! &= ~(1 << (column & 31));
    this.wanted = new Uint32Array(this.alwaysWanted.length);
  }

  ordered(): readonly EndGroup[] {
    return this.pods.toSorted((a, b) => this.wayOf.get(a)! - this.wayOf.get(b)!);
  }

  /** What the source that was asked about last may send to. */
  get current(): Egress {
    return this.last!.egress;
  }

  for(source: EndGroup, incoming: Incoming): Egress {
    const way = this.wayOf.get(source)!;
    if (this.last?.way !== way) {
      // Other sources with the same rules may be let in by other pods.
      const isShared = this.sizes[way]! > 1;
      this.last = { way, egress: this.walk(source, isShared ? undefined : this.wantedWith(incoming)) };
    }
    return this.last.egress;
  }

  /** All columns but pods that let nothing in. */
  private wantedWith({ answers, at }: Incoming): Uint32Array {
    const { wanted } = this;
    wanted.set(this.alwaysWanted);
    for (let i = 0; i < at.length; i++)
      if (answers[at[i]!] !== noPorts) wanted[this.at[i]! >>> 5]! |= 1 << (this.at[i]! & 31);
    return wanted;
  }

  private walk({ classes: [subject] }: EndGroup, wanted?: Uint32Array): Egress {
    const { at, found, buffer: answers } = this;
    this.rows.read(subject!, answers, wanted);
    this.answers.read(answers, answers);
    let count = 0;
    for (let i = 0; i < at.length; i++) {
      const isWanted = wanted === undefined || ((wanted[at[i]! >>> 5]! >>> (at[i]! & 31)) & 1) === 1;
      if (isWanted && answers[at[i]!] !== noPorts) found[count++] = i;
    }
    return { answers, open: found.subarray(0, count) };
  }
}

/** What all pods let in from some columns, for a tile of columns at a time. */
class StreamedIngress implements IngressSource {
  readonly at: Uint32Array;
  /** A class for each way through the tiers. */
  private readonly subjects: readonly EndClass[];
  private readonly positionOf: ReadonlyMap<number, number>;
  private readonly podNumbers: ReadonlyMap<EndGroup, number>;
  /** How many columns a tile has. */
  private readonly width: number;
  private tile: { readonly first: number; readonly answers: Uint32Array } | undefined;

  constructor(
    private readonly view: View,
    pods: readonly EndGroup[],
    /** Best asked for in this order. */
    private readonly columns: Uint32Array,
    private readonly answers: OutcomeAnswers,
    private readonly masks: PortMasks,
    tileSize: number,
  ) {
    const { wayOf, firsts } = waysThrough(view.layers.ingress, pods);
    this.at = wayOf;
    this.subjects = firsts;
    this.positionOf = new Map(Array.from(columns, (column, i) => [column, i]));
    this.podNumbers = new Map(pods.map((group, i) => [group, wayOf[i]!]));
    this.width = Math.max(1, Math.floor(tileSize / Math.max(1, firsts.length)));
  }

  numberOf(pod: EndGroup): number {
    return this.podNumbers.get(pod)!;
  }

  for({ classes: [first] }: EndGroup): Incoming {
    const { column } = first!;
    return { answers: this.from(column), singled: [], singledAnswers: [], at: this.at, version: column };
  }

  /** By way. */
  from(column: number): Uint32Array {
    const position = this.positionOf.get(column)!;
    const first = position - (position % this.width);
    if (this.tile?.first !== first) {
      // The room of one is given back before the next is made.
      this.tile = undefined;
      this.tile = { first, answers: this.makeTile(this.columns.subarray(first, first + this.width)) };
    }
    const start = (position - first) * this.subjects.length;
    return this.tile.answers.subarray(start, start + this.subjects.length);
  }

  private makeTile(columns: Uint32Array): Uint32Array {
    const { view, subjects, answers, masks } = this;
    const rows = new StreamedRows(view, view.layers.ingress, Layout.window(view.space, columns), masks);
    const found = new Uint32Array(columns.length * subjects.length);
    const said = new Uint32Array(columns.length);
    for (const [way, subject] of subjects.entries()) {
      rows.read(subject, said);
      for (let column = 0, at = way; column < said.length; column++, at += subjects.length)
        found[at] = answers.of(said[column]!);
    }
    return found;
  }
}

/** Which pods the same rules apply to in every tier of a direction. */
function waysThrough(
  layers: readonly Layer[],
  pods: readonly EndGroup[],
): { readonly wayOf: Uint32Array; readonly firsts: readonly EndClass[] } {
  const numbers = new Map<string, number>();
  const firsts: EndClass[] = [];
  const wayOf = Uint32Array.from(pods, ({ classes: [first] }) => {
    const key = layers.map(({ rows }) => rows.rowOf[first!.index]).join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, firsts.length);
    return firsts.push(first!) - 1;
  });
  return { wayOf, firsts };
}
