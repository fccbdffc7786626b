import { countsOf, getOrInsert, grouped } from "../../collections/maps.js";
import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Connection, Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import { matrixEndText } from "../party-json.js";
import { portGroupsText, portGroupText } from "../port-groups-text.js";

/** All that one source can reach, destinations with the same ports together. */
export interface SourceGroup {
  readonly from: MatrixEnd;
  readonly name: string;
  readonly reached: readonly { readonly cell: MatrixCell; readonly to: readonly MatrixEnd[] }[];
}

/** For people: source by source. Pairs without a pod are left out, as no policy applies to them. */
export function* bySource(connections: Iterable<Connection>): Iterable<SourceGroup> {
  let open: OpenGroup | undefined;
  for (const { from, to, cell } of connections) {
    if (isPodless(from) && isPodless(to)) continue;
    if (open === undefined || !isSame(open, from)) {
      if (open !== undefined) yield closed(open);
      open = { from, name: matrixEndText(from), cells: new Map() };
    }
    getOrInsert(open.cells, cell, () => []).push(to);
  }
  if (open !== undefined) yield closed(open);
}

interface OpenGroup {
  readonly from: MatrixEnd;
  readonly name: string;
  readonly cells: Map<MatrixCell, MatrixEnd[]>;
}

export const isPodless = ({ kind }: MatrixEnd): boolean => kind === "node" || kind === "external";

/** A range is another object for each of its destinations. */
function isSame(open: OpenGroup, from: MatrixEnd): boolean {
  return open.from === from || (from.kind === "external" && open.name === matrixEndText(from));
}

function closed({ from, name, cells }: OpenGroup): SourceGroup {
  return { from, name, reached: Array.from(cells, ([cell, to]) => ({ cell, to })) };
}

/** How destinations are abbreviated: `shop/*` for all that a namespace has, `node:*`. */
export class ShortNames {
  private readonly sizes: ReadonlyMap<string, number>;

  constructor({ parties }: Matrix) {
    this.sizes = countsOf(parties.map(setOf));
  }

  of({ from, reached }: SourceGroup, to: readonly MatrixEnd[]): readonly string[] {
    const meetsItself = reached.some((group) => group.to.includes(from));
    return [...grouped(to, setOf)].flatMap(([set, ends]) => {
      const others = this.sizes.get(set)! - (setOf(from) === set && !meetsItself ? 1 : 0);
      if (ends.length === 1 || ends.length !== others) return ends.map(matrixEndText);
      return [ends[0].kind === "node" ? "node:*" : `${set}/*`];
    });
  }
}

/** The namespace of pods and workloads; others have none. */
function setOf(end: MatrixEnd): string {
  return end.kind === "pod" || end.kind === "workload" ? end.namespace : ` ${end.kind}`;
}

/** `80/TCP ~443/TCP ?53/UDP`: for all pods, for some, undecided; `any but 22/TCP`; `-` for nothing at all. */
export function cellText({ allowed, wholly, partly, undecided, anyBut }: MatrixCell): string {
  const marked = (mark: string, groups: MatrixCell["allowed"]) =>
    groups.map((group) => `${mark}${portGroupText(group)}`);
  // If some may use every port, their ports without those of the others would be hard to read.
  const isAny = allowed.some(({ protocol }) => protocol === "any");
  const some = partly.length > 0 && isAny ? allowed : partly;
  const all = [...marked("", wholly), ...marked("~", some), ...marked("?", undecided)];
  if (all.length === 0) return "-";
  const listed = all.join(" ");
  const short = anyBut === undefined || anyBut.length === 0 ? listed : `any but ${portGroupsText(anyBut)}`;
  return short.length < listed.length ? short : listed;
}

/** What the marks in these texts mean. */
export function legendOf(texts: Iterable<string>): string[] {
  const all = [...texts];
  return [
    ...(all.some((text) => text.includes("~")) ? ["~ for some of their pods only"] : []),
    ...(all.some((text) => text.includes("?")) ? ["? undecided: depends on missing information"] : []),
    ...(all.includes("-") ? ["- nothing is allowed"] : []),
  ];
}
