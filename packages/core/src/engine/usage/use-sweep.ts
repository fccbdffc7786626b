import type { Direction, Rule } from "../../policy/model.js";
import type { EndClass } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { isSure, type Item } from "../compile/rule-items.js";
import type { Row } from "../compile/tier-rows.js";
import type { TierTable } from "../compile/tier-table.js";
import { realPorts } from "../change/translation.js";
import type { Weights } from "./use-weights.js";

/** Who is told what decides: a rule, all that isolates in a row, or nobody. */
export type User =
  | { readonly kind: "rule"; readonly rule: Rule }
  | { readonly kind: "isolation"; readonly row: Row }
  | { readonly kind: "default" | "own-node" };

/** Where the sweep goes: pods and hosts, or external addresses. */
export interface Field {
  readonly columns: number;
  /** S1.6: hosts seen by the pods that run on them. */
  readonly isOwn: (column: number) => boolean;
  readonly tableOf: (layer: Layer) => TierTable;
  readonly weightsOf: (subjects: readonly EndClass[]) => Weights;
}

/** What is still to be decided in each column: surely, or if some fact that is not known is so. */
interface Open {
  readonly surely: Uint32Array;
  readonly perhaps: Uint32Array;
}

/**
 * Walks all tiers of one direction for all subjects, those with the same rows together, and tells who decides at least
 * one port of a pair. Where it hangs on facts that are not known, all who may decide are told, also such that could not
 * if facts were looked at together.
 */
export class UseSweep {
  private readonly credited: Credits;

  constructor(
    private readonly direction: Direction,
    private readonly layers: readonly Layer[],
    private readonly ports: PortSets,
    private readonly field: Field,
    private readonly tell: (user: User, pairs: number, possibly: number) => void,
  ) {
    this.credited = new Credits(field.columns);
  }

  run(subjects: readonly EndClass[]): void {
    const { columns } = this.field;
    const open: Open = {
      surely: new Uint32Array(columns).fill(realPorts(this.ports)),
      perhaps: new Uint32Array(columns),
    };
    this.visit(0, subjects, open);
  }

  private visit(depth: number, subjects: readonly EndClass[], open: Open): void {
    if (subjects.length === 0 || isSettled(open)) return;
    const layer = this.layers[depth];
    if (layer === undefined) return this.tellDefault(subjects, open);
    const byRow = new Map<number, EndClass[]>();
    for (const subject of subjects) {
      const row = layer.rows.rowOf[subject.index]!;
      const known = byRow.get(row);
      if (known === undefined) byRow.set(row, [subject]);
      else known.push(subject);
    }
    const untold: EndClass[] = [];
    for (const [number, same] of byRow) {
      const row = layer.rows.rows[number]!;
      if (row.rules.length === 0 && row.isolation.length === 0) untold.push(...same);
      else this.visit(depth + 1, same, this.walkTier(layer, row, same, open));
    }
    this.visit(depth + 1, untold, open);
  }

  /** What is open behind the tier. */
  private walkTier(layer: Layer, row: Row, subjects: readonly EndClass[], before: Open): Open {
    const weights = this.field.weightsOf(subjects);
    const open = copyOf(before);
    const passed: Open = {
      surely: new Uint32Array(this.field.columns),
      perhaps: new Uint32Array(this.field.columns),
    };
    const items = this.field.tableOf(layer).itemsOf(row);
    for (let i = 0; i < items.length; i++) {
      this.take(items[i]!, weights, open, passed);
      const { rule } = items[i]!;
      if (items[i + 1]?.rule !== rule)
        this.credited.flush(weights, (...count) => this.tell({ kind: "rule", rule }, ...count));
    }
    // S1.2; S1.6: what a pod's own node may do is not for isolation to say.
    const isIsolated = (column: number) =>
      row.isolation.length > 0 && !(this.direction === "ingress" && this.field.isOwn(column));
    for (let column = 0; column < this.field.columns; column++) {
      if (isIsolated(column)) {
        this.credited.addOpen(column, open, weights);
        open.surely[column] = passed.surely[column]!;
        open.perhaps[column] = passed.perhaps[column]!;
      } else {
        open.surely[column] = this.ports.union(open.surely[column]!, passed.surely[column]!);
        open.perhaps[column] = this.ports.union(open.perhaps[column]!, passed.perhaps[column]!);
      }
    }
    this.credited.flush(weights, (...count) => this.tell({ kind: "isolation", row }, ...count));
    return open;
  }

  // S1.1
  private take({ set, ports: wanted, effect, rule }: Item, weights: Weights, open: Open, passed: Open): void {
    const { ports } = this;
    const { members } = set;
    for (let i = 0; i < members.length; i++) {
      const column = members[i]!;
      const [surely, perhaps] = [open.surely[column]!, open.perhaps[column]!];
      if (surely === noPorts && perhaps === noPorts) continue;
      const taken = ports.intersect(surely, wanted);
      const maybe = ports.intersect(perhaps, wanted);
      if (taken === noPorts && maybe === noPorts) continue;
      const certain = isSure(effect);
      this.credited.add(column, certain && taken !== noPorts, weights);
      open.surely[column] = ports.subtract(surely, wanted);
      open.perhaps[column] = certain ? ports.subtract(perhaps, wanted) : ports.union(perhaps, taken);
      if (rule.action !== "Pass") continue;
      // S1.3: what is passed is open for the next tier.
      if (certain) passed.surely[column] = ports.union(passed.surely[column]!, taken);
      passed.perhaps[column] = ports.union(
        passed.perhaps[column]!,
        certain ? maybe : ports.union(taken, maybe),
      );
    }
  }

  private tellDefault(subjects: readonly EndClass[], open: Open): void {
    const weights = this.field.weightsOf(subjects);
    for (const kind of ["default", "own-node"] as const) {
      for (let column = 0; column < this.field.columns; column++) {
        const isOwn = this.direction === "ingress" && this.field.isOwn(column);
        if (isOwn === (kind === "own-node")) this.credited.addOpen(column, open, weights);
      }
      this.credited.flush(weights, (...count) => this.tell({ kind }, ...count));
    }
  }
}

/** The columns in which one user decides something, each once. */
class Credits {
  private turn = 1;
  private pairs = 0;
  private possibly = 0;
  private readonly surelyIn: Uint32Array;
  private readonly perhapsIn: Uint32Array;

  constructor(columns: number) {
    this.surelyIn = new Uint32Array(columns);
    this.perhapsIn = new Uint32Array(columns);
  }

  addOpen(column: number, { surely, perhaps }: Open, weights: Weights): void {
    if (surely[column] !== noPorts) this.add(column, true, weights);
    else if (perhaps[column] !== noPorts) this.add(column, false, weights);
  }

  add(column: number, isSure: boolean, { byColumn }: Weights): void {
    if (this.surelyIn[column] === this.turn || this.perhapsIn[column] === this.turn) return;
    (isSure ? this.surelyIn : this.perhapsIn)[column] = this.turn;
    if (isSure) this.pairs += byColumn[column]!;
    else this.possibly += byColumn[column]!;
  }

  /** Tells the count of this user, and begins that of the next. */
  flush({ unplaced }: Weights, tell: (pairs: number, possibly: number) => void): void {
    const { turn, surelyIn, perhapsIn } = this;
    for (const [{ column, ownColumn }, pairs] of unplaced) {
      const both = [column, ownColumn];
      // Wherever the pod runs, it is one of the two.
      if (both.every((c) => surelyIn[c] === turn)) this.pairs += pairs;
      else if (both.some((c) => surelyIn[c] === turn || perhapsIn[c] === turn)) this.possibly += pairs;
    }
    if (this.pairs > 0 || this.possibly > 0) tell(this.pairs, this.possibly);
    this.turn++;
    this.pairs = this.possibly = 0;
  }
}

const copyOf = ({ surely, perhaps }: Open): Open => ({ surely: surely.slice(), perhaps: perhaps.slice() });

function isSettled({ surely, perhaps }: Open): boolean {
  const isNothing = (ports: PortSetId) => ports === noPorts;
  return surely.every(isNothing) && perhaps.every(isNothing);
}
