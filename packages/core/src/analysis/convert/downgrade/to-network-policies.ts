import { Answers, Engine } from "../../../engine/index.js";
import { child } from "../../../cluster/fields.js";
import { grouped } from "../../../collections/maps.js";
import { noPorts, PortSets, type PortSetId } from "../../../sets/port-sets.js";
import { type LabelMatch, namespaceNameLabel } from "../../../labels/requirement.js";
import type { JsonObject } from "../../../manifest/document.js";
import type { CommentedObject } from "../../../manifest/yaml/write-yaml.js";
import { type Direction, directions, formatPolicy } from "../../../policy/model.js";
import type { PolicyDefinition, State } from "../../../state/state.js";
import type { Made } from "../draft.js";
import type { Findings } from "../findings.js";
import { Names } from "../names.js";
import { networkPolicyObject } from "../written-network-policy.js";
import { writtenSelector } from "../written-selector.js";
import { writtenAddressPeers } from "./address-peers.js";
import { type PodCell, cellsOf, commonPorts, reachabilityKey, type Reachability, Reaches } from "./reach.js";
import { needsOf } from "./needs.js";
import { PodPeers } from "./pod-peers.js";

/*
 * For a cluster that loses its cluster-wide policies: NetworkPolicies that allow what all tiers together allow now, pod by
 * pod. Nothing is translated; the engine is asked what every pod may do, and that is written down.
 *
 *   every pod, each direction:  what is allowed now   =   what NetworkPolicies alone would allow?   nothing to do
 *                                                     ⊋                                             one more NetworkPolicy
 *                                                     otherwise       those that allow too much are emptied, and one more
 */
export function toNetworkPolicies(
  state: State,
  chosen: ReadonlySet<PolicyDefinition>,
  findings: Findings,
): Made {
  return chosen.size === 0 ? { objects: [], replaced: [] } : new Downgrade(state, chosen, findings).made();
}

class Downgrade {
  private readonly rest: State;
  private readonly engines: { readonly now: Engine; readonly alone: Engine };
  private readonly cells: readonly PodCell[];
  private readonly reaches: { readonly now: Reaches; readonly alone: Reaches };
  private readonly podPeers: PodPeers;
  private readonly names: Names;
  private readonly refused = new Set<string>();

  constructor(
    private readonly state: State,
    private readonly chosen: ReadonlySet<PolicyDefinition>,
    private readonly findings: Findings,
  ) {
    this.rest = state.withDefinitions(state.definitions.filter((definition) => !chosen.has(definition)));
    this.names = new Names(this.rest.policies);
    // Port sets of both go by the same numbers.
    const answers = new Answers(new PortSets());
    this.engines = {
      now: Engine.of(state.cluster, state.tiers, answers),
      alone: Engine.of(state.cluster, this.rest.tiers, answers),
    };
    this.cells = cellsOf([this.engines.now, this.engines.alone]);
    this.podPeers = new PodPeers(this.cells, state.cluster);
    this.reaches = {
      now: new Reaches(this.engines.now, 0, this.cells),
      alone: new Reaches(this.engines.alone, 1, this.cells),
    };
  }

  made(): Made {
    const { needed, wanted, emptied } = needsOf(this.cells, this.reaches, this.rest, this.engines.now.ports);
    const objects = [
      ...[...emptied].map((definition) => this.emptied(definition)),
      ...directions.flatMap((direction) => this.policies(direction, needed[direction], wanted[direction])),
    ];
    this.findings.remark(
      "The output is correct for the pods, namespaces and nodes that exist now. Convert again when labels or namespaces change.",
    );
    return { objects, replaced: [...this.chosen, ...emptied] };
  }

  /** The same policy without rules: it goes on isolating, and others allow. */
  private emptied({ object, policy, lowered }: PolicyDefinition): CommentedObject {
    this.findings.remark(
      "allows what cluster-wide policies deny; its rules are removed, and new policies contain what it still allows",
      formatPolicy(policy),
    );
    const { podSelector = {} } = child(object.value, "spec");
    const isolated = Object.fromEntries(lowered.isolation.map(({ direction }) => [direction, undefined]));
    const { name, namespace = "default" } = policy;
    const text = "Without rules: other policies for its pods contain what it still allows.";
    return {
      value: networkPolicyObject({ name, namespace }, podSelector, isolated),
      comments: [{ path: [], side: "before", text }],
    };
  }

  /** One for all pods of a namespace that may do the same. */
  private policies(
    direction: Direction,
    needed: ReadonlySet<PodCell>,
    wanted: ReadonlyMap<PodCell, Reachability>,
  ): readonly CommentedObject[] {
    const groups = grouped(needed, (cell) => `${cell.namespace} ${reachabilityKey(wanted.get(cell)!)}`);
    return [...groups.values()].flatMap((group) => {
      const [first] = group;
      const selectors = this.podPeers.within(first.namespace, group);
      if (selectors === undefined) {
        const { namespace, pods } = first;
        this.refuse(
          "subject",
          `the labels of \`${namespace}/${pods[0]!.name}\` do not distinguish it from pods that get other verdicts`,
        );
        return [];
      }
      const rules = this.rules(direction, first, wanted.get(first)!);
      return selectors.map((match) => this.policy(direction, first.namespace, match, rules));
    });
  }

  private policy(
    direction: Direction,
    namespace: string,
    match: LabelMatch,
    rules: readonly JsonObject[],
  ): CommentedObject {
    const who = match.flatMap(({ key, values }) =>
      key === namespaceNameLabel ? [] : values.length === 0 ? [`no-${key}`] : values,
    );
    const suffixes = [direction, ...(who.length === 0 ? ["all"] : who.slice(0, 3))];
    const name = this.names.nameFor("cluster-policies", suffixes, namespace);
    const value = networkPolicyObject({ name, namespace }, writtenSelector(match), { [direction]: rules });
    return { value, comments: [] };
  }

  private rules(direction: Direction, subject: PodCell, reach: Reachability): readonly JsonObject[] {
    const { now } = this.engines;
    const who = `${subject.namespace}/${subject.pods[0]!.name}`;
    if (reach.undecided)
      this.refuse(
        "undecided",
        `some verdicts of \`${who}\` depend on missing information, which a NetworkPolicy cannot express`,
      );
    const common = commonPorts(reach, now);
    const byPorts = grouped(this.cells, ({ index }) => String(reach.cells[index]));
    const sets = new Set([
      ...reach.cells,
      ...reach.ranges.map(({ ports }) => ports),
      ...reach.hosts.map(({ ports }) => ports),
    ]);
    const rules = common === noPorts ? [] : [this.rule(direction, undefined, common)];
    for (const ports of sets) {
      if (now.ports.subtract(ports, common) === noPorts) continue;
      const pods = this.podPeers.of(byPorts.get(String(ports)) ?? []);
      const addresses = writtenAddressPeers(reach, ports, this.cells, this.state.cluster, now.ports);
      if (pods === undefined)
        this.refuse(
          "peers",
          `connections of \`${who}\` with some pods are allowed, but not with others that have the same labels`,
        );
      if (addresses === undefined)
        this.refuse(
          "addresses",
          `connections of \`${who}\` with external addresses are allowed, but not with all pods; an ipBlock would match these pods as well`,
          "Set the address range of pods with `--pod-cidr`: it is then excluded.",
        );
      const peers = [...(pods ?? []), ...(addresses ?? [])];
      if (peers.length > 0) rules.push(this.rule(direction, peers, ports));
    }
    return rules;
  }

  private rule(direction: Direction, peers: readonly JsonObject[] | undefined, set: PortSetId): JsonObject {
    const { ports, withoutIcmp } = portList(set, this.engines.now.ports);
    if (withoutIcmp)
      this.findings.remark(
        "NetworkPolicies allow ICMP with every port or not at all; where some port is denied, so is ICMP",
      );
    return {
      ...(peers === undefined ? {} : { [direction === "ingress" ? "from" : "to"]: peers }),
      ...(ports === undefined ? {} : { ports }),
    };
  }

  /** One example of each reason is enough. */
  private refuse(reason: string, message: string, hint?: string): void {
    if (this.refused.has(reason)) return;
    this.refused.add(reason);
    this.findings.refuse(message, hint);
  }
}

const transports = ["TCP", "UDP", "SCTP"] as const;

/** A set of ports as a NetworkPolicy lists them; undefined for every port of every protocol. */
interface PortList {
  readonly ports: readonly JsonObject[] | undefined;
  /** ICMP is allowed with every port, or not at all: whether that leaves something out. */
  readonly withoutIcmp: boolean;
}

function portList(id: PortSetId, sets: PortSets): PortList {
  const isAll = (protocol: (typeof transports)[number]) => {
    const [only, ...more] = sets.ranges(id, protocol);
    return more.length === 0 && only?.[0] === 1 && only[1] === 65535;
  };
  const hasIcmp = sets.ranges(id, "ICMP").length > 0;
  if (hasIcmp && transports.every(isAll)) return { ports: undefined, withoutIcmp: false };
  const ports = transports.flatMap((protocol): readonly JsonObject[] =>
    isAll(protocol)
      ? [{ protocol }]
      : sets.ranges(id, protocol).map(([first, last]) => ({
          protocol,
          port: first,
          ...(last === first ? {} : { endPort: last }),
        })),
  );
  return { ports, withoutIcmp: hasIcmp };
}
