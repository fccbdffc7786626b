import type { AnswerId } from "../compile/answers.js";
import { ColumnWindow } from "../walk/column-window.js";
import { bitsFor, mark } from "../../sets/column-bits.js";
import { DirectionWalk } from "../walk/direction-walk.js";
import type { EndGroup } from "./end-groups.js";
import { columnOf, type Nearness, type Other } from "../compile/layer.js";
import { type Part, shareOf } from "./part.js";
import { MaskTable, type PortAtoms } from "../compile/port-atoms.js";
import { noPorts } from "../../sets/port-sets.js";
import { atomsOf } from "../compile/representation.js";
import { Ingress, type IngressTiles, noMask, unknownMask } from "./stream-ingress.js";
import { hostAt, type Outgoing, type Sweep } from "./sweep.js";
import type { View } from "../compile/view.js";
import { waysThrough } from "./ways.js";

/** Numbers of four bytes in what is kept of ingress. */
const usualTileSize = 25_000_000;

/**
 * Answers for all pairs with a pod among them, where tables would take too much room. Nothing is kept but
 *
 *   egress    what the source at hand may talk to: its own walk, past all ends
 *   ingress   a tile: what all pods let in from some sources, until each of these had its turn
 *
 * and port sets are made only of what both say together.
 */
export class PodStream implements Sweep {
  readonly sources: readonly EndGroup[];
  private readonly atoms: PortAtoms;
  private readonly egress: DirectionWalk;
  private readonly egressWayOf: ReadonlyMap<EndGroup, number>;
  /** How many sources go each way. */
  private readonly egressSizes: Uint32Array;
  private egressWay: number | undefined;
  private readonly ingress: Ingress;
  private readonly positionOf: ReadonlyMap<EndGroup, number>;
  private readonly fromSources: IngressTiles;
  private readonly fromHosts: IngressTiles;
  private readonly numberOfHostColumn: ReadonlyMap<number, number>;
  /** By group of pods. */
  private readonly numberOf: ReadonlyMap<EndGroup, number>;
  private readonly columns: Uint32Array;
  /** Bits by column. */
  private readonly hostColumns: Uint32Array;
  private readonly wantedColumns: Uint32Array;
  private readonly toPods: Uint32Array;
  private readonly answers: MaskTable;

  constructor(
    private readonly view: View,
    private readonly pods: readonly EndGroup[],
    hosts: readonly EndGroup[],
    part: Part,
    tileSize = usualTileSize,
  ) {
    const { ends, layers } = view;
    this.atoms = atomsOf(view);
    this.answers = new MaskTable(this.atoms.width);

    const { wayOf, firsts } = waysThrough(layers.egress, pods);
    this.egressWayOf = new Map(pods.map((group, i) => [group, wayOf[i]!]));
    const byWay = (a: EndGroup, b: EndGroup) => this.egressWayOf.get(a)! - this.egressWayOf.get(b)!;
    this.sources = shareOf(pods.toSorted(byWay), part);
    this.egressSizes = new Uint32Array(firsts.length);
    for (const source of this.sources) this.egressSizes[this.egressWayOf.get(source)!]!++;
    this.positionOf = new Map(this.sources.map((group, i) => [group, i]));
    const all = new ColumnWindow(ends, Uint32Array.from(ends.classOfColumn.keys()));
    this.egress = new DirectionWalk("egress", layers.egress, all, this.atoms);

    this.ingress = new Ingress(view, pods, this.atoms, tileSize);
    const ofHosts = hosts.flatMap(({ classes: [first] }) => [first!.column, first!.ownColumn]);
    this.fromSources = this.ingress.from(Uint32Array.from(this.sources, columnOfGroup));
    this.fromHosts = this.ingress.from(Uint32Array.from(ofHosts));
    this.numberOfHostColumn = new Map(ofHosts.map((column, i) => [column, i]));
    this.wantedColumns = bitsFor(all.size);
    this.hostColumns = this.wantedColumns.slice();
    for (const column of ofHosts) mark(this.hostColumns, column);

    this.numberOf = new Map(pods.map((group, i) => [group, i]));
    this.columns = Uint32Array.from(pods, columnOfGroup);
    this.toPods = new Uint32Array(pods.length);
  }

  from(source: EndGroup): Outgoing {
    const incoming = this.fromSources.at(this.positionOf.get(source)!);
    this.walkEgress(source, incoming);
    this.readPods(source, incoming);
    return { toPods: this.toPods, toHost: (host, nearness) => this.toHost(source, host, nearness) };
  }

  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId {
    const way = this.ingress.wayOf[this.numberOf.get(pod)!]!;
    return this.view.answer("ingress", pod.classes[0]!, hostAt(host, nearness), (other) =>
      other.kind === "external"
        ? undefined
        : this.letIn(this.fromHosts.at(this.numberOfHostColumn.get(columnOf(other))!)[way]!),
    );
  }

  private toHost({ classes: [source] }: EndGroup, host: EndGroup, nearness: Nearness): AnswerId {
    return this.view.answer("egress", source!, hostAt(host, nearness), (other) =>
      other.kind === "external" ? undefined : this.letOut(columnOf(other)),
    );
  }

  private walkEgress(source: EndGroup, incoming: Uint32Array): void {
    const way = this.egressWayOf.get(source)!;
    if (way === this.egressWay) return;
    this.egressWay = way;
    // Others that go the same way may want to know more than this source does.
    const isShared = this.egressSizes[way]! > 1;
    this.egress.walk(source.classes[0]!, isShared ? undefined : this.wanted(incoming));
  }

  /** All but the pods that let nothing in. */
  private wanted(incoming: Uint32Array): Uint32Array {
    const { columns, wantedColumns } = this;
    const { wayOf } = this.ingress;
    wantedColumns.set(this.hostColumns);
    for (let i = 0; i < columns.length; i++)
      if (incoming[wayOf[i]!] !== noMask) mark(wantedColumns, columns[i]!);
    return wantedColumns;
  }

  private readPods(source: EndGroup, incoming: Uint32Array): void {
    const { toPods, columns, answers, egress } = this;
    const { denied } = egress;
    const { wayOf, masks } = this.ingress;
    const { width } = this.atoms;
    const { key } = answers;
    const { words } = masks;
    let last: AnswerId | undefined;
    for (let i = 0; i < toPods.length; i++) {
      const mask = incoming[wayOf[i]!]!;
      if (mask === noMask) {
        toPods[i] = noPorts;
        continue;
      }
      const column = columns[i]!;
      if (mask === unknownMask || egress.isUncertain(column)) {
        toPods[i] = this.ask(source, this.pods[i]!, mask);
        last = undefined;
        continue;
      }
      let changed = 0;
      for (let w = 0, out = column * width, into = mask * width; w < width; w++, out++, into++) {
        const both = words[into]! & ~denied[out]!;
        changed |= both ^ key[w]!;
        key[w] = both;
      }
      if (changed !== 0 || last === undefined) last = this.answer();
      toPods[i] = last;
    }
  }

  /** Where facts are missing, one by one: what hangs on none is known already. */
  private ask(
    { classes: [source] }: EndGroup,
    { classes: [destination] }: EndGroup,
    incoming: number,
  ): AnswerId {
    const from: Other = { kind: "pod", end: source! };
    const to: Other = { kind: "pod", end: destination! };
    const { view } = this;
    return view.pairAnswer(
      source!,
      destination!,
      view.answer("egress", source!, to, () => this.letOut(destination!.column)),
      view.answer("ingress", destination!, from, () => this.letIn(incoming)),
    );
  }

  /** What the source at hand may send to a column, unless that hangs on facts which are not known. */
  private letOut(column: number): AnswerId | undefined {
    if (this.egress.isUncertain(column)) return undefined;
    this.egress.readAllowed(column, this.answers.key);
    return this.answer();
  }

  private letIn(mask: number): AnswerId | undefined {
    if (mask === unknownMask) return undefined;
    const { width } = this.atoms;
    this.answers.key.set(this.ingress.masks.words.subarray(mask * width, (mask + 1) * width));
    return this.answer();
  }

  /** The answer that allows the ports of the key. */
  private answer(): AnswerId {
    const { values, key } = this.answers;
    const found = this.answers.find();
    return (values[found] ??= this.atoms.setOf(key, 0));
  }
}

const columnOfGroup = ({ classes: [first] }: EndGroup): number => first!.column;
