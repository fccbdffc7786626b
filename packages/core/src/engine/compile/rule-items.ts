import { type Direction, isUnsettled, type Peer, type Rule } from "../../policy/model.js";
import type { ColumnSet, ColumnSets } from "../../sets/column-sets.js";
import type { EndClass } from "../classes/ends.js";
import type { PeerSet } from "../classes/peer-sets.js";
import { noPorts, type PortSetId } from "../../sets/port-sets.js";
import { hasNamedPorts, type RulePorts } from "./rule-ports.js";
import { isRelative } from "../classes/settled-peer.js";
import { type Effect, isSure, type Step, stepOf } from "../walk/cell-states.js";

/** The other ends that rules look at: pods and hosts, or external addresses. */
export interface Space {
  readonly columns: number;
  readonly sets: ColumnSets;
  readonly of: (peer: Peer, subject: EndClass) => PeerSet;
  /** One endpoint class for each set of named ports. `portNamingAt` returns the one that applies to a column. */
  readonly portNamings: () => Iterable<EndClass | undefined>;
  readonly portNamingAt: (column: number) => EndClass | undefined;
  /** Columns are grouped by kind, because rules often match all columns of a kind. */
  readonly kinds: number;
  readonly kindOf: (column: number) => number;
  /** The columns of the kind `ownHost`: few. */
  readonly ownHosts: () => readonly number[];
}

/** The kinds of columns inside a cluster. Addresses outside are of the first kind, too. */
export const ofPod = 0;
export const ofHost = 1;
/** S1.6: hosts seen by the pods that run on them. */
export const ownHost = 2;

/** A part of a rule: for these columns, this happens to these ports. */
export interface Item {
  readonly set: ColumnSet;
  readonly ports: PortSetId;
  readonly effect: Effect;
  readonly rule: Rule;
  /** Ports and effect, for the walk. */
  readonly step: Step;
}

/** Takes rules apart into items, each once for all subjects that it means the same for. */
export class RuleItems {
  private readonly known = new Map<Rule, readonly Item[]>();
  /** The same for rules that mean something else only for subjects which name ports otherwise. */
  private readonly byNaming = new Map<Rule, Map<EndClass | undefined, readonly Item[]>>();

  constructor(
    private readonly direction: Direction,
    private readonly space: Space,
    private readonly ports: RulePorts,
    /** One end for all that name ports alike. */
    private readonly namingOf: (end: EndClass) => EndClass | undefined,
  ) {}

  of(rule: Rule, subject: EndClass): readonly Item[] {
    const known = this.known.get(rule);
    if (known !== undefined) return known;
    const namings = this.byNaming.get(rule);
    return namings?.get(this.namingOf(subject)) ?? this.find(rule, subject);
  }

  private find(rule: Rule, subject: EndClass): readonly Item[] {
    const found = this.compute(rule, subject);
    if (!this.dependsOnSubject(rule)) this.known.set(rule, found);
    else if (!rule.peers.some(isRelative)) {
      const namings = this.byNaming.get(rule) ?? new Map<EndClass | undefined, readonly Item[]>();
      this.byNaming.set(rule, namings.set(this.namingOf(subject), found));
    }
    return found;
  }

  dependsOnSubject(rule: Rule): boolean {
    return rule.peers.some(isRelative) || (this.direction === "ingress" && hasNamedPorts(rule));
  }

  /** What surely matches comes before what may: a peer that is sure makes the others idle. */
  private compute(rule: Rule, subject: EndClass): readonly Item[] {
    const sets = rule.peers.map((peer) => this.space.of(peer, subject));
    return [
      ...sets.flatMap(({ yes }) => this.on(yes, rule, subject, effectOf(rule))),
      ...sets.flatMap(({ maybe }) => this.on(maybe, rule, subject, "Maybe")),
    ];
  }

  private on(set: ColumnSet, rule: Rule, subject: EndClass, effect: Effect): readonly Item[] {
    if (this.direction === "egress") return this.byPorts(set, rule, effect);
    const { sets, kindOf } = this.space;
    const isOwn = (column: number) => kindOf(column) === ownHost;
    const holdsOwn = this.space.ownHosts().some((column) => set.holds(column));
    const ports = this.ports.of(rule, subject);
    // Most hold no own node. They never will, as only pods come later.
    const others = holdsOwn ? sets.part(set, "others", (column) => !isOwn(column)) : set;
    const found = this.item(others, ports, effect, rule);
    if (!rule.bindsOwnNode) return found;
    // S1.6, S7.8: to its own node, only such rules say anything, and what they say is Deny.
    const own = sets.part(set, "own", isOwn);
    return [...found, ...this.item(own, ports, isSure(effect) ? "Deny" : effect, rule)];
  }

  /** S1.8: going out, named ports are those of the peer, so that one rule means other ports for other peers. */
  private byPorts(set: ColumnSet, rule: Rule, effect: Effect): readonly Item[] {
    const { sets, portNamings, portNamingAt } = this.space;
    if (!hasNamedPorts(rule)) return this.item(set, this.ports.of(rule, undefined), effect, rule);
    const names = JSON.stringify(rule.ports);
    // Of all that there are, as the set may come to hold ends that have others than those it holds now.
    const portsOf = new Map(Array.from(portNamings(), (end) => [end, this.ports.of(rule, end)]));
    return [...new Set(portsOf.values())].flatMap((ports) => {
      const isSo = (column: number) => portsOf.get(portNamingAt(column)) === ports;
      const part = sets.part(set, `${names} as ${ports}`, isSo);
      return this.item(part, ports, effect, rule);
    });
  }

  private item(set: ColumnSet, ports: PortSetId, effect: Effect, rule: Rule): readonly Item[] {
    if (set === this.space.sets.empty || ports === noPorts) return [];
    return [{ set, ports, effect, rule, step: stepOf(ports, effect, rule.action) }];
  }
}

// S7.7: two rules may wait for the same authentication; S9.3: what a foreign object does is a fact of its own.
function effectOf(rule: Rule): Effect {
  if (!isUnsettled(rule)) return rule.action;
  return rule.condition?.kind === "foreign" ? "Undecided" : "Maybe";
}
