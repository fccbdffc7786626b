import type { Cluster } from "../../cluster/model.js";
import { explore } from "../../evaluate/facts.js";
import { type Endpoint, type Flow, subjectOf } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction, Isolation, Tier } from "../../policy/model.js";
import { type Cell, turnsIn } from "../walk/cell-walk.js";
import type { EndClass } from "../classes/ends.js";
import { DeciderEffects } from "./decider-effects.js";
import type { Nearness, Other } from "../compile/layer.js";
import { type LiteralTurn, literalTurns } from "../walk/literal-turns.js";
import { endpointsOf, nearnessOf } from "../classes/members.js";
import { offsets, portAt, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import { type Asked, type Part, partsOf } from "../pairs/reach.js";
import type { Item } from "../compile/rule-items.js";
import { canTalk } from "../classes/talking.js";
import { realPorts } from "../change/translation.js";
import type { View } from "../compile/view.js";

const directions = ["egress", "ingress"] as const;

/**
 * The effect of each rule, for one endpoint: whether there is another endpoint and a port for which the rule is reached
 * before the verdict is final. As subject: for rules that apply to the endpoint. As peer: for rules that apply to
 * others and mention it.
 */
export class EndpointEffects {
  readonly asSubject = { egress: new DeciderEffects(), ingress: new DeciderEffects() };
  readonly asPeer = { egress: new DeciderEffects(), ingress: new DeciderEffects() };
  /** Every port that there is. */
  private readonly all: PortSetId;
  private readonly numbers = new Map<Item | Isolation, number>();
  private readonly spoken = new Map<DeciderEffects, Set<string>>();

  constructor(
    private readonly cluster: Cluster,
    private readonly endpoint: Endpoint,
    private readonly asked: Asked,
    ports: PortSets,
  ) {
    this.all = realPorts(ports);
  }

  /** All pods and hosts that the endpoint can connect to, in the view's family. */
  addInside(view: View): void {
    const { asked } = this;
    const families = asked.kind === "external" ? [asked.family] : asked.end.families;
    for (const end of view.ends.classes) {
      if (!canTalk(view.family, families, end.families)) continue;
      for (const part of partsOf(end, asked)) {
        const isItself = asked.kind === "end" && asked.end === end;
        // S1.6: through a Service, a pod can connect to itself like to any other pod.
        if (part.count > 0 || isItself) this.addAsSubject(view, part);
        if (part.count > 0 || (isItself && isTemplatePod(this.endpoint))) this.addAsPeer(view, part);
      }
    }
  }

  addOutside(view: View, family: Family): void {
    if (this.asked.kind === "external" || this.asked.end.kind === "host") return;
    const { atoms } = view.ends.vocabulary;
    const [from, to] = atoms.rangeOf({ family, first: 0n, prefix: 0 });
    for (let atom = from; atom < to; atom++) {
      const external = () => ({ kind: "external", address: atoms.firstOf(atom) }) as const;
      for (const direction of directions)
        this.add(this.asSubject[direction], view, direction, {
          subject: this.asked.end,
          other: { kind: "external", atom },
          ends: () => [this.endpoint, external()],
        });
    }
  }

  private addAsSubject(view: View, part: Part): void {
    if (this.asked.kind === "external" || this.asked.end.kind === "host") return;
    const { end: subject } = this.asked;
    for (const direction of directions)
      this.add(this.asSubject[direction], view, direction, {
        subject,
        other: asOther(part.end, part.nearness),
        ends: () => [this.endpoint, this.memberOf(part)],
      });
  }

  private addAsPeer(view: View, part: Part): void {
    if (part.end.kind === "host") return;
    const { asked } = this;
    const other: Other =
      asked.kind === "external" ? { kind: "external", atom: asked.atom } : asOther(asked.end, part.nearness);
    for (const direction of directions)
      this.add(this.asPeer[direction], view, direction, {
        subject: part.end,
        other,
        ends: () => [this.memberOf(part), this.endpoint],
      });
  }

  /** Any member of a part; the end itself only where there is no other. */
  private memberOf({ end, nearness }: Part): Endpoint {
    let found = this.endpoint;
    for (const member of endpointsOf(this.cluster, end)) {
      if (nearness !== undefined && nearnessOf(member, this.endpoint) !== nearness) continue;
      found = member;
      if (member.kind !== "pod" || this.endpoint.kind !== "pod" || member.pod !== this.endpoint.pod) break;
    }
    return found;
  }

  private add(effects: DeciderEffects, view: View, direction: Direction, meeting: Meeting): void {
    const { ports } = view.answers;
    const cells = placesOf(meeting.other).map((other) => view.cell(direction, meeting.subject, other));
    const turns = cells.map((cell) => turnsIn(cell, view.states, ports, this.all));
    if (turns.every((list) => list !== undefined)) {
      effects.addTurns(turns, ports);
      return;
    }
    if (meeting.other.kind === "external" && this.isKnown(effects, cells)) return;
    for (const runs of this.literalRuns(view, direction, meeting, cells)) effects.addRuns(runs);
  }

  /** The answer is known if the same rules match or may match an external address, and the same policies isolate. */
  private isKnown(effects: DeciderEffects, cells: readonly Cell[]): boolean {
    const speaking = cells.flatMap(({ layers }) =>
      layers.flatMap(({ items, isolation }) => [...items, ...isolation]),
    );
    const key = speaking.map((part) => this.numberOf(part)).join();
    const known = this.spoken.get(effects) ?? new Set();
    const isKnown = known.has(key);
    this.spoken.set(effects, known.add(key));
    return isKnown;
  }

  private numberOf(part: Item | Isolation): number {
    const known = this.numbers.get(part) ?? this.numbers.size;
    this.numbers.set(part, known);
    return known;
  }

  /** If facts are missing: for one port of each interval that rules distinguish, the turns for each set of answers. */
  private *literalRuns(
    view: View,
    direction: Direction,
    { subject: end, ends }: Meeting,
    cells: readonly Cell[],
  ): Iterable<readonly (readonly LiteralTurn[])[]> {
    const [subject, other] = ends();
    const pod = subjectOf(subject)!;
    const tiers = speakingTiers(view.literalTiers(direction, end), cells);
    const [source, destination] = direction === "egress" ? [subject, other] : [other, subject];
    const family = view.family === undefined ? {} : { family: view.family };
    for (const point of pointsOf(cells, view.answers.ports)) {
      const flow: Flow = { source, destination, ...portAt(point), ...family };
      const runs = explore((unknowns) =>
        literalTurns(direction, tiers, pod, { flow, cluster: this.cluster, unknowns }),
      );
      yield runs.map((run) => run.value);
    }
  }
}

/** Two endpoints, one of which has policies. */
interface Meeting {
  readonly subject: EndClass;
  readonly other: Other;
  /** The same as members of the cluster; looked for only where facts are missing. */
  readonly ends: () => readonly [subject: Endpoint, other: Endpoint];
}

const asOther = (end: EndClass, nearness: Nearness | undefined): Other =>
  end.kind === "pod" ? { kind: "pod", end } : { kind: "host", end, nearness: nearness ?? "other-node" };

/** S1.6: a host of which it is not known whether the pod runs there is one or the other. */
function placesOf(other: Other): readonly Other[] {
  if (other.kind !== "host" || other.nearness !== "unknown-node") return [other];
  return [
    { ...other, nearness: "own-node" },
    { ...other, nearness: "other-node" },
  ];
}

/** A pod from a workload's template has others like it. */
const isTemplatePod = (end: Endpoint): boolean => end.kind === "pod" && end.pod.fromTemplate === true;

/** The tiers with only the rules that match, or may match, one of the cells. */
function speakingTiers(tiers: readonly Tier[], cells: readonly Cell[]): readonly Tier[] {
  return tiers.map((tier, i) => {
    const speaking = new Set(cells.flatMap(({ layers }) => layers[i]!.items.map(({ rule }) => rule)));
    return { ...tier, rules: tier.rules.filter((rule) => speaking.has(rule)) };
  });
}

/** The first port of each interval that the rules of the cells distinguish; port 0 does not exist. */
function pointsOf(cells: readonly Cell[], ports: PortSets): readonly number[] {
  const points = new Set<number>(Object.values(offsets));
  for (const { layers } of cells)
    for (const { items } of layers)
      for (const item of items) for (const point of ports.bordersOf(item.ports)) points.add(point);
  const isZero = (point: number) => point !== offsets.ICMP && portAt(point).port === 0;
  const real = [...points]
    .filter((point) => point <= offsets.ICMP)
    .map((point) => (isZero(point) ? point + 1 : point));
  return [...new Set(real)];
}
