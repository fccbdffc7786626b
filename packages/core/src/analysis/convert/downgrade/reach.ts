import { getOrInsert } from "../../../collections/maps.js";
import { type Node, type Pod, podKey } from "../../../cluster/model.js";
import {
  type AddressRange,
  canTalk,
  type EndClass,
  type Engine,
  OutsideAnswers,
} from "../../../engine/index.js";
import { everyPort, noPorts, type PortSetId } from "../../../sets/port-sets.js";
import type { Address, Family } from "../../../net/address.js";
import type { Direction } from "../../../policy/model.js";
import type { Labels } from "../../../labels/requirement.js";

/** What the policies of some pods allow in one direction, regardless of the policies of the other side. */
export interface Reachability {
  /** By the number of the cell. */
  readonly cells: readonly PortSetId[];
  /** External addresses: the longest ranges, ascending. */
  readonly ranges: readonly { readonly range: AddressRange; readonly ports: PortSetId }[];
  /** Each address of a host once, ascending. */
  readonly hosts: readonly { readonly address: Address; readonly ports: PortSetId }[];
  /** Hosts of which no address is known, by name. */
  readonly nowhere: readonly PortSetId[];
  /** Whether a verdict depends on missing information. */
  readonly undecided: boolean;
}

/** Answers for cells, from the tables of an engine. */
export class Reaches {
  private readonly outside = new Map<Family, OutsideAnswers>();
  private readonly hosts: readonly {
    readonly end: EndClass;
    readonly addresses: readonly Address[];
    readonly nowhere: readonly string[];
  }[];

  constructor(
    private readonly engine: Engine,
    /** Which of the classes of a cell is this engine's. */
    private readonly number: number,
    private readonly cells: readonly PodCell[],
  ) {
    const { cluster, ends } = engine;
    const known = (member: Pod | Node): readonly Address[] =>
      member.addresses.length > 0 || !("node" in member)
        ? member.addresses
        : (cluster.nodes.get(member.node ?? "")?.addresses ?? []);
    this.hosts = ends.classes
      .filter(({ kind }) => kind === "host")
      .map((end) => {
        const members = [...end.nodes, ...end.pods];
        const nowhere = members.filter((member) => known(member).length === 0);
        return { end, addresses: members.flatMap(known), nowhere: nowhere.map(nameOf) };
      });
  }

  of(direction: Direction, subject: PodCell): Reachability {
    const { engine } = this;
    const own = subject.classes[this.number]!;
    let undecided = false;
    const { answers } = engine;
    const allowed = (answer: number): PortSetId => {
      if (answers.undecided(answer) !== noPorts) undecided = true;
      return answers.allowed(answer);
    };
    /** In each family that both have; selectors cannot distinguish families, so what differs is not allowed. */
    const inEach = (
      families: EndClass["families"],
      ask: (family: Family | undefined) => number,
    ): PortSetId => {
      let ports = everyPort;
      for (const family of [4, 6, undefined] as const)
        if (canTalk(family, own.families, families))
          ports = engine.ports.intersect(ports, allowed(ask(family)));
      return ports;
    };
    const cells = this.cells.map((cell) => {
      const end = cell.classes[this.number]!;
      return inEach(end.families, (family) =>
        engine.view(family).answer(direction, own, { kind: "pod", end }),
      );
    });
    // S1.6: their own node always reaches pods.
    const byAddress = new Map<string, Reachability["hosts"][number]>();
    const byName = new Map<string, PortSetId>();
    for (const { end, addresses, nowhere } of this.hosts) {
      const ports = inEach(end.families, (family) =>
        engine.view(family).answer(direction, own, { kind: "host", end, nearness: "other-node" }),
      );
      for (const name of nowhere) byName.set(name, ports);
      for (const address of addresses) {
        const key = `${address.family} ${address.value.toString(16).padStart(32, "0")}`;
        const known = byAddress.get(key)?.ports ?? everyPort;
        byAddress.set(key, { address, ports: engine.ports.intersect(known, ports) });
      }
    }
    const hosts = [...byAddress.keys()].toSorted().map((key) => byAddress.get(key)!);
    const nowhere = [...byName.keys()].toSorted().map((name) => byName.get(name)!);
    const ranges = ([4, 6] as const)
      .filter((family) => canTalk(family, own.families, [family]))
      .flatMap((family) =>
        this.outsideOf(family)
          .of(direction, own)
          .runs.map(({ range, answer }) => ({ range, ports: allowed(answer) })),
      );
    return { cells, ranges, hosts, nowhere, undecided };
  }

  private outsideOf(family: Family): OutsideAnswers {
    return getOrInsert(this.outside, family, () => new OutsideAnswers(this.engine.view(family), family));
  }
}

const nameOf = (member: Pod | Node): string => ("namespace" in member ? podKey(member) : member.name);

/** The ports that are allowed for every peer. */
export function commonPorts({ cells, ranges, hosts, nowhere }: Reachability, engine: Engine): PortSetId {
  const all = [...cells, ...[...ranges, ...hosts].map(({ ports }) => ports), ...nowhere];
  return all.reduce((sum, ports) => engine.ports.intersect(sum, ports), everyPort);
}

export const reachabilityKey = ({ cells, ranges, hosts, nowhere }: Reachability): string =>
  [
    cells.join(),
    ranges.map(({ range, ports }) => `${range.family}:${range.first}:${ports}`).join(),
    hosts.map(({ ports }) => ports).join(),
    nowhere.join(),
  ].join(" ");

/** Pods that neither rules nor label selectors distinguish. */
export interface PodCell {
  readonly index: number;
  readonly namespace: string;
  readonly labels: Labels;
  /** As each of the engines knows them. */
  readonly classes: readonly EndClass[];
  readonly pods: Pod[];
}

/** The pods with their own network, as engines of the same cluster see them. */
export function cellsOf(engines: readonly Engine[]): readonly PodCell[] {
  const { cluster } = engines[0]!;
  const cells = new Map<string, PodCell>();
  for (const pod of cluster.pods.values()) {
    const classes = engines.flatMap((engine) => engine.ends.classOfMember(pod) ?? []);
    if (pod.hostNetwork || classes.length < engines.length) continue;
    const { namespace, labels } = pod;
    const sorted = JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const key = [...classes.map(({ index }) => index), namespace, sorted].join(" ");
    const known = cells.get(key);
    if (known !== undefined) known.pods.push(pod);
    else cells.set(key, { index: cells.size, namespace, labels, classes, pods: [pod] });
  }
  return [...cells.values()];
}
