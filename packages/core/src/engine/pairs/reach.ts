import type { Cluster } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction } from "../../policy/model.js";
import type { AnswerId } from "../compile/answers.js";
import { type EndClass, sizeOf } from "../classes/ends.js";
import { rangesByAnswer } from "./external-pairs.js";
import type { Nearness } from "../compile/layer.js";
import { endpointsOf, nearnessOf, nodeOf } from "../classes/members.js";
import { type AddressRange, OutsideAnswers } from "./outside-runs.js";
import { everyPort, type PortSetId } from "../../sets/port-sets.js";
import { canTalk } from "../classes/talking.js";
import type { View } from "../compile/view.js";

/** The other ends of one end that get the same answer. */
export type Reached = ReachedEnds | ReachedAddresses;

interface Said {
  /** The address family of the connections, if the endpoints determine it (S1.15). */
  readonly family: Family | undefined;
  readonly allowed: PortSetId;
  readonly undecided: PortSetId;
}

export interface ReachedEnds extends Said {
  readonly kind: "ends";
  readonly classes: readonly EndClass[];
  /** How many of their members. */
  readonly count: number;
  /** Where one end is a host and the other a pod: which of the members are meant (S1.6). */
  readonly nearness: Nearness | undefined;
  /** One by one; never the end itself. */
  readonly members: () => Iterable<Endpoint>;
}

export interface ReachedAddresses extends Said {
  readonly kind: "external";
  readonly ranges: readonly AddressRange[];
}

/** The end that is asked about: one of the cluster, or an external address. */
export type Asked =
  | { readonly kind: "end"; readonly end: EndClass; readonly endpoint: Endpoint }
  | { readonly kind: "external"; readonly atom: number; readonly family: Family };

/** All other ends of one family, by what they get; `direction` is that of the connections, seen from the end asked about. */
export function* reachIn(
  view: View,
  cluster: Cluster,
  direction: Direction,
  asked: Asked,
): Iterable<Reached> {
  const { family, answers } = view;
  const said = (answer: AnswerId): Said => ({
    family,
    allowed: answers.allowed(answer),
    undecided: answers.undecided(answer),
  });
  for (const { answer, nearness, parts } of peersOf(view, direction, asked)) {
    const classes = parts.map(({ end }) => end);
    const count = parts.reduce((sum, part) => sum + part.count, 0);
    const members = () => membersOf(cluster, classes, nearness, asked);
    yield { kind: "ends", ...said(answer), classes, count, nearness, members };
  }
  if (family === undefined || asked.kind === "external" || asked.end.kind === "host") return;
  if (!canTalk(family, asked.end.families, [family])) return;
  const { runs } = new OutsideAnswers(view, family).of(direction, asked.end);
  for (const [answer, ranges] of rangesByAnswer(runs)) yield { kind: "external", ...said(answer), ranges };
}

/** Members of one class that stand alike to the end asked about. */
export interface Part {
  readonly end: EndClass;
  readonly nearness: Nearness | undefined;
  readonly count: number;
}

interface Peers {
  readonly answer: AnswerId;
  readonly nearness: Nearness | undefined;
  readonly parts: Part[];
}

function peersOf(view: View, direction: Direction, asked: Asked): Iterable<Peers> {
  const found = new Map<string, Peers>();
  const families = asked.kind === "external" ? [asked.family] : asked.end.families;
  for (const end of view.ends.classes) {
    if (!canTalk(view.family, families, end.families)) continue;
    for (const part of partsOf(end, asked)) {
      if (part.count === 0) continue;
      const answer = answerFor(view, direction, asked, part);
      const key = `${end.kind} ${part.nearness} ${answer}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { answer, nearness: part.nearness, parts: [part] });
      else known.parts.push(part);
    }
  }
  return found.values();
}

export function partsOf(end: EndClass, asked: Asked): readonly Part[] {
  const all = sizeOf(end);
  if (asked.kind === "external") return [{ end, nearness: undefined, count: all }];
  if (asked.end.kind === end.kind)
    return [{ end, nearness: undefined, count: end === asked.end ? all - 1 : all }];
  const node = nodeOf(asked.endpoint);
  if (node === undefined || !end.placed) return [{ end, nearness: "unknown-node", count: all }];
  const isOn = (name: string | undefined) => name === node;
  const own =
    end.pods.filter((pod) => isOn(pod.node)).length + end.nodes.filter(({ name }) => isOn(name)).length;
  return [
    { end, nearness: "own-node", count: own },
    { end, nearness: "other-node", count: all - own },
  ];
}

function answerFor(view: View, direction: Direction, asked: Asked, { end, nearness }: Part): AnswerId {
  const back = direction === "egress" ? "ingress" : "egress";
  if (asked.kind === "external") return view.answer(back, end, { kind: "external", atom: asked.atom });
  if (nearness === undefined) {
    if (end.kind === "host") return everyPort;
    return direction === "egress" ? view.pairAnswer(asked.end, end) : view.pairAnswer(end, asked.end);
  }
  return end.kind === "host"
    ? view.answer(direction, asked.end, { kind: "host", end, nearness })
    : view.answer(back, end, { kind: "host", end: asked.end, nearness });
}

function* membersOf(
  cluster: Cluster,
  classes: readonly EndClass[],
  nearness: Nearness | undefined,
  asked: Asked,
): Iterable<Endpoint> {
  for (const end of classes)
    for (const member of endpointsOf(cluster, end)) {
      if (asked.kind === "end") {
        if (isSame(member, asked.endpoint)) continue;
        if (nearness !== undefined && nearness !== nearnessOf(asked.endpoint, member)) continue;
      }
      yield member;
    }
}

function isSame(a: Endpoint, b: Endpoint): boolean {
  if (a.kind === "pod") return b.kind === "pod" && a.pod === b.pod;
  return a.kind === "node" && b.kind === "node" && a.node === b.node;
}
