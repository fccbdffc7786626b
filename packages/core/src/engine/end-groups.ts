import type { Family } from "../net/address.js";
import type { Direction } from "../policy/model.js";
import { type EndClass, type Ends, sizeOf } from "./ends.js";
import type { Layer } from "./layer.js";
import { type Outcomes, uncertain } from "./outcomes.js";
import type { TierTable } from "./tier-table.js";
import { nothingSaid, type Transposed, transpose } from "./transposed.js";
import type { View } from "./view.js";

/** Ends that behave alike, as source and as destination, whatever the other end and the port. */
export interface EndGroup {
  readonly index: number;
  readonly kind: EndClass["kind"];
  readonly placed: boolean;
  readonly families: readonly Family[];
  readonly classes: readonly EndClass[];
  readonly size: number;
}

/** A layer as the groups see it. */
export interface GroupLayer {
  readonly layer: Layer;
  readonly transposed: Transposed;
  /** The classes of pods, by index, that get as far as this tier: of others, those before have said everything. */
  readonly reached: ReadonlySet<number>;
}

export interface Grouping {
  readonly groups: readonly EndGroup[];
  readonly layers: Readonly<Record<Direction, readonly GroupLayer[]>>;
}

/** Puts classes together that all tables treat alike. Depends on what the policies say now, not on how classes came about. */
export function groupEnds(ends: Ends, view: View): Grouping {
  const inUse = ends.classes.filter((end) => sizeOf(end) > 0);
  const subjects = inUse.filter(({ kind }) => kind === "pod");
  const withTables = (layers: readonly Layer[]) => withReach(layers, subjects, view.outcomes);
  const layers = { egress: withTables(view.layers.egress), ingress: withTables(view.layers.ingress) };
  const groups = new Map<string, { classes: EndClass[] }>();
  for (const end of inUse) {
    const key = behaviour(end, [...layers.egress, ...layers.ingress]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { classes: [end] });
    else known.classes.push(end);
  }
  return {
    groups: [...groups.values()].map(({ classes }, index) => groupOf(index, classes)),
    layers,
  };
}

/** S1.3: a tier matters to those only whom the tiers before left something open. */
function withReach(
  layers: readonly Layer[],
  subjects: readonly EndClass[],
  outcomes: Outcomes,
): readonly GroupLayer[] {
  let reached = subjects.map(({ index }) => index);
  return layers.map((layer, i) => {
    const { inside, rows } = layer;
    const used = new Set(reached.map((index) => rows.rowOf[index]!));
    const made = { layer, transposed: transpose(inside, used), reached: new Set(reached) };
    const bindsOwnNode = layers.slice(i + 1).some(({ tier }) => tier.rules.some((rule) => rule.bindsOwnNode));
    const closing = new Set([...used].filter((row) => saysEverything(inside, row, outcomes, bindsOwnNode)));
    reached = reached.filter((index) => !closing.has(rows.rowOf[index]!));
    return made;
  });
}

/**
 * Whether a row leaves nothing open to any column. S1.6: what isolation leaves open to a pod's own node is of no concern,
 * unless a later rule speaks of that. What is uncertain may hang on later tiers.
 */
function saysEverything(table: TierTable, row: number, { isFinal }: Outcomes, withOwnNode: boolean): boolean {
  const { kindOf, isExemptKind } = table.layout;
  const { base, columns, values } = table.values(row);
  if (isFinal[base] !== 1 || base === uncertain) return false;
  for (let i = 0; i < columns.length; i++) {
    const isLeftOut = !withOwnNode && isExemptKind[kindOf[columns[i]!]!]!;
    if (values[i] === uncertain || (isFinal[values[i]!] !== 1 && !isLeftOut)) return false;
  }
  return true;
}

/** Each class for itself. */
export function ungrouped(ends: Ends): readonly EndGroup[] {
  return ends.classes.filter((end) => sizeOf(end) > 0).map((end, index) => groupOf(index, [end]));
}

function groupOf(index: number, classes: readonly EndClass[]): EndGroup {
  const [{ kind, placed, families }] = classes as [EndClass];
  const size = classes.reduce((sum, end) => sum + sizeOf(end), 0);
  return { index, kind, placed, families, classes, size };
}

function behaviour(end: EndClass, layers: readonly GroupLayer[]): string {
  const parts = layers.map((groupLayer) => {
    const { layer, transposed } = groupLayer;
    const { columnOf } = layer.inside.layout;
    const column = transposed.columnContentOf[columnOf[end.column]!];
    return end.kind === "pod"
      ? `${contentOfClass(groupLayer, end)} ${column}`
      : `${column} ${transposed.columnContentOf[columnOf[end.ownColumn]!]}`;
  });
  return `${end.kind} ${end.placed} ${end.families.join()} ${parts.join()}`;
}

/** What the rows of a group say, by number. */
export function contentOf(layer: GroupLayer, { classes }: EndGroup): number {
  return contentOfClass(layer, classes[0]!);
}

function contentOfClass({ layer, transposed, reached }: GroupLayer, { index }: EndClass): number {
  return reached.has(index) ? transposed.contentOf[layer.rows.rowOf[index]!]! : nothingSaid;
}

/** Numbers groups so that those with the same few numbers share one; with the first group of each. */
export function tupleNumbers(
  groups: readonly EndGroup[],
  tupleOf: (group: EndGroup) => readonly number[],
): { readonly numbers: Uint32Array; readonly firsts: readonly EndGroup[] } {
  const known = new Map<string, number>();
  const firsts: EndGroup[] = [];
  const numbers = Uint32Array.from(groups, (group) => {
    const key = tupleOf(group).join();
    const number = known.get(key) ?? firsts.push(group) - 1;
    known.set(key, number);
    return number;
  });
  return { numbers, firsts };
}
