import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import { type EndClass, type Ends, sizeOf } from "../classes/ends.js";
import type { Layer } from "../compile/layer.js";
import { nothingSaid, type Transposed, transpose } from "../compile/transposed.js";
import type { View } from "../compile/view.js";

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
  /** Whether a class of pods gets to this tier: of others, those before have said everything. */
  readonly isReachedBy: (end: EndClass) => boolean;
}

export interface Grouping {
  readonly groups: readonly EndGroup[];
  readonly layers: Readonly<Record<Direction, readonly GroupLayer[]>>;
}

/** Puts classes together that all tables treat alike. Depends on what the policies say now, not on how classes came about. */
export function groupEnds(ends: Ends, view: View): Grouping {
  const inUse = ends.classes.filter((end) => sizeOf(end) > 0);
  const subjects = inUse.filter(({ kind }) => kind === "pod");
  const withTables = (direction: Direction) =>
    view.layers[direction].flatMap((layer, i): readonly GroupLayer[] => {
      const reach = view.reach(direction);
      const isReachedBy = ({ index }: EndClass) => reach.depthOf(index) > i;
      const used = new Set(subjects.filter(isReachedBy).map(({ index }) => layer.rows.rowOf[index]!));
      // A tier that no pod gets to distinguishes none.
      return used.size === 0 ? [] : [{ layer, transposed: transpose(layer.inside, used), isReachedBy }];
    });
  const layers = { egress: withTables("egress"), ingress: withTables("ingress") };
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

function contentOfClass({ layer, transposed, isReachedBy }: GroupLayer, end: EndClass): number {
  return isReachedBy(end) ? transposed.contentOf[layer.rows.rowOf[end.index]!]! : nothingSaid;
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
