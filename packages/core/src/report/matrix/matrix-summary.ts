import type { Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import { counted, numberText } from "../wording.js";
import { isPodless } from "./matrix-groups.js";

export interface MatrixSummary {
  /** `12 workloads, 3 nodes and external addresses`. */
  readonly parties: string;
  /** How many pairs of them there are, and how many of these can connect, or may; at least one endpoint of each is a pod. */
  readonly pairs: number;
  readonly open: number;
  readonly undecided: number;
  /** Whether there are pairs without a pod, to which no policy applies. */
  readonly hasPodless: boolean;
}

type Standing = "open" | "undecided" | "denied";

/** All external addresses together are one party. */
export function summaryOf(matrix: Matrix): MatrixSummary {
  const counts = { open: 0, undecided: 0, denied: 0 };
  const outside = { from: new Map<MatrixEnd, Standing>(), to: new Map<MatrixEnd, Standing>() };
  let hasPodless = false;
  for (const { from, to, cell } of matrix.connections({ denied: true })) {
    if (isPodless(from) && isPodless(to)) {
      hasPodless = true;
      continue;
    }
    const standing = cell.allowed.length > 0 ? "open" : cell.undecided.length > 0 ? "undecided" : "denied";
    if (to.kind === "external") note(outside.from, from, standing);
    else if (from.kind === "external") note(outside.to, to, standing);
    else counts[standing]++;
  }
  for (const standing of [...outside.from.values(), ...outside.to.values()]) counts[standing]++;
  return {
    ...counts,
    parties: partiesOf(matrix, outside.from.size + outside.to.size > 0),
    pairs: counts.open + counts.undecided + counts.denied,
    hasPodless,
  };
}

/** One address that may be reached is enough. */
function note(standings: Map<MatrixEnd, Standing>, end: MatrixEnd, standing: Standing): void {
  const known = standings.get(end);
  if (known === undefined || known === "denied" || standing === "open") standings.set(end, standing);
}

function partiesOf({ parties, by }: Matrix, hasOutside: boolean): string {
  const nodes = parties.filter(({ kind }) => kind === "node").length;
  const all = [
    ...(parties.length > nodes || nodes === 0 ? [counted(parties.length - nodes, by)] : []),
    ...(nodes === 0 ? [] : [counted(nodes, "node")]),
    ...(hasOutside ? ["external addresses"] : []),
  ];
  return all.length === 1 ? all[0]! : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** `5 of 12 pairs can connect, 1 undecided`. */
export function headline({ pairs, open, undecided }: MatrixSummary): string {
  const perhaps = undecided === 0 ? "" : `, ${numberText(undecided)} undecided`;
  return `${numberText(open)} of ${counted(pairs, "pair")} can connect${perhaps}`;
}
