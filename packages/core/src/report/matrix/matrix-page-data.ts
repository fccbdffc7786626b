import type { Cell } from "../../analysis/matrix/cells.js";
import type { Matrix, MatrixEnd } from "../../analysis/matrix/matrix.js";
import type { DirectionReason, Reason, Reasons } from "../../analysis/matrix/reasons.js";
import { formatEndpoint } from "../../evaluate/flow.js";
import type { Decider } from "../../evaluate/walk.js";
import { formatAddress } from "../../net/address.js";
import { cellText } from "./matrix-groups.js";
import { lookOf, type Picture } from "./matrix-picture.js";
import { matrixEndText } from "../party-json.js";
import { portGroupsText } from "../port-groups-text.js";
import { deciderText } from "../explanation/rule-text.js";

/** What the page knows, small enough for hundreds of thousands of connections: whatever recurs is told once, by number. */
export interface PageData {
  /** How it is called, how `tierwall explain` is asked about it, and its row in the picture. */
  readonly ends: readonly (readonly [name: string, asked: string, row: number])[];
  readonly cells: readonly (readonly [
    look: string,
    text: string,
    wholly: string,
    partly: string,
    undecided: string,
  ])[];
  /** Five numbers each: from, to, cell, and the reasons of egress and ingress. */
  readonly connections: readonly number[];
  /** By the number of a connection: more reasons, with the ends of which they hold. */
  readonly more: Readonly<
    Record<number, readonly (readonly [pair: string, egress: number, ingress: number])[]>
  >;
  readonly reasons: readonly (readonly (readonly [ports: string, said: number])[])[];
  readonly said: readonly (readonly [verdict: string, text: string])[];
  /** Whether pairs that may do nothing are among the connections. */
  readonly denied: boolean;
}

/** With more parties than this, pairs that may do nothing are left out: there are too many of them. */
const mostPartiesWithDenied = 150;

export function pageData(matrix: Matrix, picture: Picture, reasons: Reasons): PageData {
  const denied = matrix.parties.length <= mostPartiesWithDenied;
  const ends = new Numbered<MatrixEnd>(matrixEndKey);
  const cells = new Numbered<Cell>();
  const found = new Numbered<DirectionReason>();
  const said = new Numbered<readonly [verdict: string, text: string]>(String);
  const connections: number[] = [];
  const more: Record<number, readonly (readonly [string, number, number])[]> = {};
  const pairOf = ({ source, destination, family }: Reason) =>
    `${formatEndpoint(source)} → ${formatEndpoint(destination)}${family === undefined ? "" : ` over IPv${family}`}`;
  let count = 0;
  for (const connection of matrix.connections({ denied })) {
    const { from, to, cell } = connection;
    const all = reasons.of(connection);
    const [first] = all;
    if (first === undefined) continue;
    if (all.length > 1)
      more[count] = all.map((one) => [pairOf(one), found.of(one.egress), found.of(one.ingress)]);
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
  return {
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
    reasons: found.all.map((reason) => partsOf(reason, said)),
    said: said.all,
    denied,
  };
}

/** The parts are all ports there are, so that one of them may be called the rest: the one that takes most words. */
function partsOf(
  { parts }: DirectionReason,
  said: Numbered<readonly [verdict: string, text: string]>,
): readonly (readonly [ports: string, said: number])[] {
  const texts = parts.map(({ ports }) => portGroupsText(ports));
  const longest = texts.indexOf(texts.toSorted((a, b) => b.length - a.length)[0]!);
  return parts.map((part, i) => [
    parts.length > 1 && i === longest ? "everything else" : texts[i]!,
    said.of([part.said.verdict, part.said.deciders.map(decidedBy).join(", or ")]),
  ]);
}

/** Things by number, in the order in which they were first met. */
class Numbered<T> {
  readonly all: T[] = [];
  private readonly numbers = new Map<unknown, number>();

  constructor(private readonly keyOf: (thing: T) => unknown = (thing) => thing) {}

  of(thing: T): number {
    const key = this.keyOf(thing);
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.all.length);
    return this.all.push(thing) - 1;
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

function decidedBy(by: Decider): string {
  switch (by.kind) {
    case "default":
      return "nothing denies it";
    case "no-walk":
      return "no policies apply at this end";
    case "rule":
    case "isolation":
    case "own-address":
    case "own-node":
      return deciderText(by);
  }
}
