import type { Matrix, MatrixEnd } from "../analysis/matrix/matrix.js";
import { isPodless } from "./matrix-groups.js";

export interface MatrixSummary {
  /** `12 workloads and 3 nodes`. */
  readonly parties: string;
  /** How many pairs of them there are, and how many of these may talk, or may perhaps. */
  readonly pairs: number;
  readonly open: number;
  readonly undecided: number;
}

/** Pairs of which at least one is a pod; external addresses are no countable party. */
export function summaryOf(matrix: Matrix): MatrixSummary {
  let [pairs, open, undecided] = [0, 0, 0];
  for (const { from, to, cell } of matrix.connections({ denied: true })) {
    if (!isInside(from) || !isInside(to) || (isPodless(from) && isPodless(to))) continue;
    pairs++;
    if (cell.allowed.length > 0) open++;
    else if (cell.undecided.length > 0) undecided++;
  }
  const nodes = matrix.parties.filter(({ kind }) => kind === "node").length;
  const others = counted(matrix.parties.length - nodes, matrix.by);
  return {
    parties: nodes === 0 ? others : `${others} and ${counted(nodes, "node")}`,
    pairs,
    open,
    undecided,
  };
}

const isInside = ({ kind }: MatrixEnd): boolean => kind !== "external";

/** `1 node`, `1,200 workloads`. */
export const counted = (count: number, what: string): string =>
  `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;

/** `5 of 12 pairs can connect, 1 more perhaps`. */
export function headline({ pairs, open, undecided }: MatrixSummary): string {
  const perhaps = undecided === 0 ? "" : `, ${undecided.toLocaleString("en")} more perhaps`;
  return `${open.toLocaleString("en")} of ${counted(pairs, "pair")} can connect${perhaps}`;
}
