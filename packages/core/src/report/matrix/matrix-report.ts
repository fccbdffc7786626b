import { getOrInsert } from "../../collections/maps.js";
import type { MatrixCell } from "../../analysis/matrix/cells.js";
import type { Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import type { DirectionReason, Reasons } from "../../analysis/matrix/reasons.js";
import { visibleLines } from "../../diagnostics/visible.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import type { Verdict } from "../../evaluate/evaluate.js";
import type { Decider } from "../../evaluate/walk.js";
import { formatAddress } from "../../net/address.js";
import type { TierName } from "../../policy/model.js";
import type { Caveat } from "../../state/caveat.js";
import { deciderText } from "../explanation/rule-text.js";
import { scriptJson } from "../markup.js";
import { matrixEndText } from "../party-json.js";
import { portGroupsText } from "../port-groups-text.js";
import { cellText } from "./matrix-groups.js";
import { type Look, lookOf, type PictureEnd, pictureOf } from "./matrix-picture.js";
import { headline, summaryOf } from "./matrix-summary.js";

/**
 * What the self-contained page of a matrix shows (packages/ui/src/matrix-report). It is small enough for hundreds of
 * thousands of connections: repeated parts are stored once, and referred to by number.
 */
export interface MatrixReport {
  readonly headline: string;
  readonly caveats: readonly string[];
  readonly picture: {
    readonly ends: readonly PictureEnd[];
    /** For each pair, row by row, the number of a cell; -1 where there is no pair. */
    readonly cells: readonly number[];
  };
  /** Its name, how `tierwall explain` names it (empty if it cannot), and its row in the picture. */
  readonly ends: readonly (readonly [name: string, asked: string, row: number])[];
  readonly cells: readonly (readonly [
    look: Look,
    text: string,
    wholly: string,
    partly: string,
    undecided: string,
  ])[];
  /** Five numbers each: from, to, cell, and the reasons of egress and ingress. */
  readonly connections: readonly number[];
  /** By the number of a connection: all its reasons, where there are several, with the endpoints that they hold for. */
  readonly more: Readonly<
    Record<
      number,
      readonly (readonly [source: string, destination: string, egress: number, ingress: number])[]
    >
  >;
  readonly reasons: readonly (readonly (readonly [ports: string, decision: number])[])[];
  readonly decisions: readonly { readonly verdict: Verdict; readonly by: readonly ReportedDecider[] }[];
  /** Whether pairs with nothing allowed are among the connections. */
  readonly denied: boolean;
}

export interface ReportedDecider {
  readonly tier?: TierName;
  readonly text: string;
}

/** With more parties than this, pairs with nothing allowed are left out: there are too many of them. */
const mostPartiesWithDenied = 150;

/** The report as JSON for a `script` element: nothing in it can end the element. */
export const matrixReportJson = (matrix: Matrix, reasons: Reasons, caveats: readonly Caveat[] = []): string =>
  scriptJson(matrixReport(matrix, reasons, caveats));

function matrixReport(matrix: Matrix, reasons: Reasons, caveats: readonly Caveat[]): MatrixReport {
  const picture = pictureOf(matrix);
  const summary = summaryOf(matrix);
  const denied = matrix.parties.length <= mostPartiesWithDenied;
  const ends = new Numbered<MatrixEnd>(matrixEndKey);
  const cells = new Numbered<MatrixCell>();
  const found = new Numbered<DirectionReason>();
  const decisions = new Numbered<MatrixReport["decisions"][number]>(JSON.stringify);
  const connections: number[] = [];
  const more: Record<number, readonly (readonly [string, string, number, number])[]> = {};
  let count = 0;
  for (const connection of matrix.connections({ denied })) {
    const { from, to, cell } = connection;
    const all = reasons.of(connection);
    const [first] = all;
    if (first === undefined) continue;
    if (all.length > 1)
      more[count] = all.map(({ source, destination, family, egress, ingress }) => [
        formatEndpoint(source),
        `${formatEndpoint(destination)}${family === undefined ? "" : ` over IPv${family}`}`,
        found.of(egress),
        found.of(ingress),
      ]);
    connections.push(
      ends.of(from),
      ends.of(to),
      cells.of(cell),
      found.of(first.egress),
      found.of(first.ingress),
    );
    count++;
  }
  const rows = new Map(picture.ends.map((end, i) => [end, i]));
  const pictured = picture.cells.flatMap((row) =>
    row.map((cell) => (cell === undefined ? -1 : cells.of(cell))),
  );
  return {
    headline: `${headline(summary)}, among ${summary.parties}`,
    caveats: caveats.map(({ text }) => visibleLines(text)),
    picture: { ends: picture.ends, cells: pictured },
    ends: ends.all.map((end) => [matrixEndText(end), askedAs(end), rows.get(picture.endOf(end)) ?? -1]),
    cells: cells.all.map((cell) => [
      lookOf(cell),
      cellText(cell),
      portGroupsText(cell.wholly),
      portGroupsText(cell.partly),
      portGroupsText(cell.undecided),
    ]),
    connections,
    more,
    reasons: found.all.map((reason) => partsOf(reason, decisions)),
    decisions: decisions.all,
    denied,
  };
}

/** The parts are all ports there are, so that one of them may be called the rest: the one with the longest text. */
function partsOf(
  { parts }: DirectionReason,
  decisions: Numbered<MatrixReport["decisions"][number]>,
): MatrixReport["reasons"][number] {
  const texts = parts.map(({ ports }) => portGroupsText(ports));
  const longest = texts.indexOf(texts.toSorted((a, b) => b.length - a.length)[0]!);
  return parts.map((part, i) => [
    parts.length > 1 && i === longest ? "everything else" : texts[i]!,
    decisions.of({ verdict: part.said.verdict, by: part.said.deciders.map(reportedDecider) }),
  ]);
}

const reportedDecider = (by: Decider): ReportedDecider => ({
  ...("tier" in by ? { tier: by.tier } : {}),
  text: by.kind === "no-walk" ? "no policies apply to this endpoint" : deciderText(by),
});

/** Things by number, in the order in which they were first met. */
class Numbered<T> {
  readonly all: T[] = [];
  private readonly numbers = new Map<unknown, number>();

  constructor(private readonly keyOf: (thing: T) => unknown = (thing) => thing) {}

  of(thing: T): number {
    return getOrInsert(this.numbers, this.keyOf(thing), () => this.all.push(thing) - 1);
  }
}

/** A range is another object for each connection. */
const matrixEndKey = (end: MatrixEnd): unknown => (end.kind === "external" ? matrixEndText(end) : end);

function askedAs(end: MatrixEnd): string {
  switch (end.kind) {
    case "pod":
      return `${end.namespace}/Pod/${end.name}`;
    case "workload":
      return `${end.namespace}/${end.workload}/${end.name}`;
    case "node":
      return `node:${end.name}`;
    case "external":
      return formatAddress({ family: end.range.family, value: end.range.first });
    // One of its pods would have to be named.
    case "namespace":
      return "";
  }
}
