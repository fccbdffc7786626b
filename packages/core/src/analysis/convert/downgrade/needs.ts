import { getOrInsert, grouped } from "../../../collections/maps.js";
import { noPorts, type PortSetId, type PortSets } from "../../../sets/port-sets.js";
import { isSubject } from "../../../evaluate/match.js";
import { type Direction, directions } from "../../../policy/model.js";
import type { PolicyDefinition, State } from "../../../state/state.js";
import { type PodCell, reachabilityKey, type Reachability, type Reaches } from "./reach.js";

type EachDirection<T> = Readonly<Record<Direction, T>>;

/** What has to be done so that NetworkPolicies alone allow what all policies allow now. */
export interface Needs {
  /** What each cell may do. */
  readonly wanted: EachDirection<ReadonlyMap<PodCell, Reachability>>;
  /** Those that need a NetworkPolicy more. */
  readonly needed: EachDirection<ReadonlySet<PodCell>>;
  /** NetworkPolicies that allow too much. */
  readonly emptied: ReadonlySet<PolicyDefinition>;
}

export function needsOf(
  cells: readonly PodCell[],
  reaches: { readonly now: Reaches; readonly alone: Reaches },
  rest: State,
  ports: PortSets,
): Needs {
  const selected = selectedBy(cells, rest);
  const wanted = { ingress: new Map<PodCell, Reachability>(), egress: new Map<PodCell, Reachability>() };
  const needed = { ingress: new Set<PodCell>(), egress: new Set<PodCell>() };
  const emptied = new Set<PolicyDefinition>();
  for (const direction of directions)
    for (const cell of cells) {
      const now = reaches.now.of(direction, cell);
      wanted[direction].set(cell, now);
      const alone = reaches.alone.of(direction, cell);
      if (reachabilityKey(now) === reachabilityKey(alone) && now.undecided === alone.undecided) continue;
      needed[direction].add(cell);
      if (isMore(alone, now, ports))
        for (const [definition, pods] of selected[direction])
          if (pods.has(cell) && allowsAnything(definition, direction)) emptied.add(definition);
    }
  // What an emptied policy allowed to its other pods has to be allowed again.
  for (const definition of emptied)
    for (const direction of directions)
      for (const cell of selected[direction].get(definition) ?? []) needed[direction].add(cell);
  return { wanted, needed, emptied };
}

const allowsAnything = ({ lowered }: PolicyDefinition, direction: Direction): boolean =>
  lowered.rules.some(({ rule }) => rule.origin.direction === direction);

/** The cells that each NetworkPolicy isolates. */
function selectedBy(
  cells: readonly PodCell[],
  { definitions, cluster }: State,
): EachDirection<ReadonlyMap<PolicyDefinition, ReadonlySet<PodCell>>> {
  const found = {
    ingress: new Map<PolicyDefinition, Set<PodCell>>(),
    egress: new Map<PolicyDefinition, Set<PodCell>>(),
  };
  const written = definitions.filter(({ policy }) => policy.kind === "NetworkPolicy");
  const inNamespace = grouped(written, ({ policy }) => policy.namespace);
  for (const cell of cells) {
    const [pod] = cell.pods;
    const namespace = cluster.namespaces.get(cell.namespace);
    if (pod === undefined || namespace === undefined) continue;
    for (const definition of inNamespace.get(cell.namespace) ?? [])
      for (const { direction, subject } of definition.lowered.isolation) {
        if (!isSubject(subject, { kind: "pod", pod, namespace })) continue;
        getOrInsert(found[direction], definition, () => new Set()).add(cell);
      }
  }
  return found;
}

/** Whether the first allows something that the second does not. */
function isMore(a: Reachability, b: Reachability, ports: PortSets): boolean {
  const more = (x: PortSetId, y: PortSetId | undefined) => ports.subtract(x, y ?? noPorts) !== noPorts;
  return (
    a.cells.some((set, i) => more(set, b.cells[i])) ||
    a.hosts.some((host, i) => more(host.ports, b.hosts[i]?.ports)) ||
    a.nowhere.some((set, i) => more(set, b.nowhere[i])) ||
    a.ranges.some(({ range, ports: set }) =>
      b.ranges.some(
        (other) =>
          other.range.family === range.family &&
          other.range.first <= range.last &&
          other.range.last >= range.first &&
          more(set, other.ports),
      ),
    )
  );
}
