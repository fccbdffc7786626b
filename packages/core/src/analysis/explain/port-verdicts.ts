import { getOrInsert } from "../../collections/maps.js";
import { type ConnectionVerdict, evaluate, type Verdict } from "../../evaluate/evaluate.js";
import { explore } from "../../evaluate/facts.js";
import { type Endpoint, type Flow, subjectOf } from "../../evaluate/flow.js";
import { anyPeerMatches, isSubject, namedPorts } from "../../evaluate/match.js";
import type { Decision } from "../../evaluate/walk.js";
import type { Direction, Protocol, Rule, Tiers, TransportProtocol } from "../../policy/model.js";
import type { AskedPair } from "./ask.js";
import type { State } from "../../state/state.js";

/** Ports of one protocol that get the same verdict for the same reason. */
export interface PortSet {
  readonly protocol: Protocol;
  /** Empty for ICMP. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  readonly verdict: Verdict;
  readonly connection: ConnectionVerdict;
}

const transports = ["TCP", "UDP", "SCTP"] as const;

/**
 * The verdict for every port. Rules cut the ports of a protocol into intervals within which nothing can change; one
 * port of each is asked about. Costs (rules that concern the pair) × (intervals).
 */
export function portSets(state: State, pair: AskedPair, only?: TransportProtocol): readonly PortSet[] {
  const { tiers, notes } = concerning(state, pair);
  const evaluateAt = (protocol: Protocol, port: number): ConnectionVerdict => {
    const connection = evaluate(state.cluster, tiers, { ...pair, protocol, port });
    const noted = (direction: Direction) => ({
      ...connection[direction],
      notes: [...new Set([...notes[direction], ...connection[direction].notes])],
    });
    return { verdict: connection.verdict, egress: noted("egress"), ingress: noted("ingress") };
  };
  const sets = transports
    .filter((protocol) => only === undefined || protocol === only)
    .flatMap((protocol) => {
      const starts = startsOf(tiers, protocol, pair.destination);
      return starts.map((first, i) => ({
        protocol,
        first,
        last: (starts[i + 1] ?? 65536) - 1,
        connection: evaluateAt(protocol, first),
      }));
    });
  const merged = new Map<string, { set: Omit<PortSet, "ranges">; ranges: [number, number][] }>();
  for (const { protocol, first, last, connection } of sets) {
    const key = `${protocol} ${reasonOf(connection)}`;
    const known = getOrInsert(merged, key, () => ({
      set: { protocol, verdict: connection.verdict, connection },
      ranges: [],
    }));
    const previous = known.ranges.at(-1);
    if (previous !== undefined && previous[1] === first - 1) previous[1] = last;
    else known.ranges.push([first, last]);
  }
  const ports: PortSet[] = [...merged.values()].map(({ set, ranges }) => ({ ...set, ranges }));
  if (only !== undefined) return ports;
  const icmp = evaluateAt("ICMP", 0);
  return [...ports, { protocol: "ICMP", ranges: [], verdict: icmp.verdict, connection: icmp }];
}

/**
 * Only the rules whose subject and peers can match this pair; the others never match, whatever the port. What was
 * assumed for this is noted.
 */
function concerning(state: State, pair: AskedPair): { tiers: Tiers; notes: Record<Direction, Set<string>> } {
  const flow: Flow = { ...pair, protocol: "TCP", port: 0 };
  const notes = { egress: new Set<string>(), ingress: new Set<string>() };
  const narrow = (direction: Direction, end: Endpoint, other: Endpoint) => {
    const subject = subjectOf(end);
    if (subject === undefined) return [];
    const concerns = (rule: Rule) => {
      if (!isSubject(rule.subject, subject)) return false;
      const runs = explore((unknowns) =>
        anyPeerMatches(rule, subject, other, { flow, cluster: state.cluster, unknowns }),
      );
      for (const note of runs.flatMap((run) => run.notes)) notes[direction].add(note);
      return runs.some((run) => run.value);
    };
    return state.tiers[direction].map((tier) => ({ ...tier, rules: tier.rules.filter(concerns) }));
  };
  const tiers = {
    egress: narrow("egress", pair.source, pair.destination),
    ingress: narrow("ingress", pair.destination, pair.source),
  };
  return { tiers, notes };
}

/** Where an interval begins: at 1, at each range, and after it. */
function startsOf(tiers: Tiers, protocol: TransportProtocol, destination: Endpoint): readonly number[] {
  const starts = new Set([1]);
  for (const tier of [...tiers.egress, ...tiers.ingress])
    for (const { ports } of tier.rules)
      for (const port of ports === "every" ? [] : ports) {
        if (port.kind === "range" && port.protocol === protocol) starts.add(port.first).add(port.last + 1);
        if (port.kind === "named")
          for (const number of namedPorts(destination, port.name, protocol))
            starts.add(number).add(number + 1);
      }
  return [...starts].filter((port) => port >= 1 && port <= 65535).toSorted((a, b) => a - b);
}

/** Two connections have the same reason when the same rules decide both directions, on the same conditions. */
function reasonOf({ egress, ingress }: ConnectionVerdict): string {
  return [egress, ingress]
    .map(
      ({ verdict, decisions, missing }) =>
        `${verdict} ${decisions.map(deciderKey).join("|")} ${missing.map((fact) => fact.key).join()}`,
    )
    .join(" / ");
}

function deciderKey({ by, verdict, conditions }: Decision): string {
  if (by.kind !== "rule") return `${verdict} ${by.kind}`;
  const { policy, path } = by.rule.origin;
  const name = `${policy.group} ${policy.kind} ${policy.namespace ?? ""}/${policy.name}`;
  return `${verdict} ${name} ${path} ${conditions.join()}`;
}
