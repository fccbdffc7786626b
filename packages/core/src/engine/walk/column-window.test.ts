import { describe, expect, it } from "vitest";
import { world } from "../../testing/world.js";
import { ColumnSets } from "../../sets/column-sets.js";
import { ColumnWindow, type WindowSet } from "./column-window.js";
import { Ends } from "../classes/ends.js";
import { ofHost, ofPod, ownHost } from "../compile/rule-items.js";
import { vocabularyOf } from "../classes/vocabulary.js";

/** Forty pods, which are columns 0 to 39, and a node, which is 40 and, seen by its own pods, 41. */
const pod = (i: number) =>
  `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: p${i}, labels: {app: "${i}"}}, status: {podIP: 10.0.0.${i}}}`;
const policy = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np},
  spec: {podSelector: {matchExpressions: [{key: app, operator: Exists}]}}}`;
const node =
  "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [{type: InternalIP, address: 192.168.0.1}]}}";
const { cluster, tiers } = world(
  [
    "{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
    ...Array.from({ length: 40 }, (_, i) => pod(i)),
    node,
    policy,
  ].join("\n---\n"),
).state;
const ends = new Ends(cluster, vocabularyOf(cluster, tiers));
const sets = new ColumnSets();

const windowOf = (...columns: number[]) => new ColumnWindow(ends, Uint32Array.from(columns));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const setOf = (...columns: number[]) => sets.named(columns.join(), () => columns);

function membersOf({ at, words }: WindowSet): readonly number[] {
  return [...at].flatMap((word, i) =>
    range(0, 31).flatMap((bit) => ((words[i]! >>> bit) & 1 ? 32 * word + bit : [])),
  );
}

describe("a window of columns", () => {
  it("numbers its columns in the order they are given", () => {
    const window = windowOf(7, 3, 40, 41);
    expect([...window.kindOf]).toEqual([ofPod, ofPod, ofHost, ownHost]);
    expect(membersOf(window.of(setOf(3)))).toEqual([1]);
  });

  it.each([
    { set: [0, 1, 33], whole: [], members: [0, 1, 33], words: 2, what: "the words that are not 0" },
    { set: [33, 39], whole: [], members: [33, 39], words: 1, what: "one word, where that is enough" },
    { set: range(0, 39), whole: [ofPod], members: [], words: 0, what: "a kind that it holds wholly" },
    { set: [5, 40], whole: [ofHost], members: [5], words: 1, what: "a whole kind, and others" },
    { set: [], whole: [], members: [], words: 0, what: "nothing" },
  ])("sees in the set $set $what", ({ set, whole, members, words }) => {
    const found = windowOf(...range(0, 41)).of(setOf(...set));
    expect([found.wholeKinds, membersOf(found), found.at.length]).toEqual([whole, members, words]);
  });

  it("sees only its own part of a set, which may be a whole kind then", () => {
    expect(membersOf(windowOf(10, 11, 12).of(setOf(2, 11, 20)))).toEqual([1]);
    expect(windowOf(10, 11).of(setOf(2, 10, 11, 20)).wholeKinds).toEqual([ofPod]);
  });
});
