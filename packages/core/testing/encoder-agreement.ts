import fc from "fast-check";
import type { Cluster } from "../src/cluster/model.js";
import { domainMatches } from "../src/evaluate/domain.js";
import { type Flow, formatEndpoint } from "../src/evaluate/flow.js";
import { addressesOf } from "../src/evaluate/match.js";
import { type Decision, walk } from "../src/evaluate/walk.js";
import { type Direction, directions, type DomainPattern, type Tiers } from "../src/policy/model.js";
import { type Encoding, endOf } from "../src/prove/encode/index.js";
import { type Literal, not } from "../src/prove/sat/index.js";
import type { confirm, readWitness } from "../src/prove/world/index.js";
import { Answers, isConditional } from "../src/prove/world/index.js";
import type { State } from "../src/state/state.js";
import { domainNames } from "./arbitrary/arbitrary-vocabulary.js";
import { andForeign } from "./arbitrary/arbitrary-policies.js";
import { about, anyScenario, describeDecision } from "./arbitrary/scenario.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "./every-flow.js";
import { fixedConnection, type OwnersActs } from "./fixed-connection.js";
import { withOwnersPolicies } from "./owners-policies.js";
import { clusters } from "./search.js";

/*
 * Whether encoding and evaluator agree, both ways: each connection of a cluster is decided by the encoding as by the
 * evaluator, and each model of the encoding is a cluster on which the evaluator decides as the model says.
 */

/** What is examined; a mutant has its own. */
export interface Encoder {
  readonly Encoding: typeof Encoding;
  readonly readWitness: typeof readWitness;
  readonly confirm: typeof confirm;
}

/** Nothing is missing. Conditions and relative peers are rare among all kinds of policies, and get clusters of their own. */
export const anyCompleteScenario = fc.oneof(
  { weight: 2, arbitrary: anyScenario({ complete: true, kinds: andForeign, minLength: 1, maxLength: 8 }) },
  { weight: 1, arbitrary: anyScenario({ complete: true, ...clusters.conditional }) },
  { weight: 1, arbitrary: anyScenario({ complete: true, ...clusters.relative }) },
);

/** What was compared, for tests that check that something was. */
export interface Compared {
  readonly fault?: string;
  /** `ingress Allow own-node`, `egress Allow rule, conditional`. */
  readonly decisions: readonly string[];
}

/** Numbers that look random, the same for the same seed. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/**
 * Some connections of a cluster in which nothing is missing; in every other one, the owners of all namespaces have written
 * policies. What is fixed decides each of them; that nothing else does is asked of one in `strictly`.
 */
export function compareWorlds(
  { Encoding: Encoder }: Encoder,
  state: State,
  roll: () => number,
  count: number,
  strictly = 1,
): Compared {
  const encoding = new Encoder(state.tiers, state.cluster.cidrGroups);
  const pairs = [...memberPairs(state.cluster), ...otherPairs(state)].filter(
    ({ source, destination, family, toItself }) =>
      source !== destination && family !== undefined && !toItself,
  );
  // S11.1: two endpoints have two addresses; those at borders may be of a pod or a node that is the other endpoint.
  const distinct = pairs.filter((pair) => {
    const situation = { cluster: state.cluster, flow: { ...pair, protocol: "TCP" as const, port: 80 } };
    const [from, to] = [pair.source, pair.destination].map((end) => addressesOf(end, situation)[0]);
    return from?.value !== to?.value;
  });
  const flows = [...flowsAmong(distinct, portsAtBorders(state))];
  const decisions: string[] = [];
  const asWritten: World = { state, tiers: state.tiers, owners: { ingress: [], egress: [] } };
  const owned: World = { state, ...withOwnersPolicies(state, roll) };
  for (let i = 0; i < count && flows.length > 0; i++) {
    const flow = flows[roll() % flows.length]!;
    const fault = compareWorld(
      encoding,
      roll() % 2 === 0 ? asWritten : owned,
      flow,
      roll(),
      decisions,
      i % strictly === 0,
    );
    if (fault !== undefined) return { fault, decisions };
  }
  return { decisions };
}

interface World {
  readonly state: State;
  /** With those of the owners. */
  readonly tiers: Tiers;
  readonly owners: OwnersActs;
}

function compareWorld(
  encoding: Encoding,
  { state, tiers, owners }: World,
  flow: Flow,
  die: number,
  decisions: string[],
  isStrict: boolean,
): string | undefined {
  // Facts are what no manifest contains, and Services are not looked up.
  const cluster: Cluster = { ...state.cluster, services: [], facts: { podCidrs: [], serviceCidrs: [] } };
  const facts = someFacts(encoding, die);
  const unknowns = answersOf(facts, flow);
  const decided = (direction: Direction): Decision => walk(direction, tiers, { flow, cluster, unknowns });
  const expected = directions.flatMap((direction): Literal[] => {
    const decision = decided(direction);
    decisions.push(named(direction, decision));
    const [allows, conditionally] = [encoding.allows[direction], encoding.allowsConditionally[direction]];
    return [
      decision.verdict === "Allow" ? allows : not(allows),
      isConditional(decision) ? conditionally : not(conditionally),
    ];
  });
  if (unknowns.unanswered.length > 0) return `unanswered: ${unknowns.unanswered.join()}`;
  const fixed = fixedConnection(encoding, cluster, flow, facts, owners);
  if (encoding.solve(fixed) !== "satisfiable") return `${about(flow)}: is no connection of the encoding`;
  if (expected.every((literal) => encoding.connection.formula.isTrue(literal))) {
    if (!isStrict) return undefined;
    const agreed = encoding.connection.formula.and(expected);
    if (encoding.solve([...fixed, not(agreed)]) === "unsatisfiable") return undefined;
  }
  return `${about(flow)}: ${directions.map((direction) => describeDecision(decided(direction))).join(", ")}`;
}

const named = (direction: Direction, decision: Decision): string =>
  `${direction} ${decision.verdict} ${decision.by.kind}${isConditional(decision) ? ", conditional" : ""}`;

const apiServerEnd = (key: string) =>
  (["source", "destination"] as const).find((end) => key === `apiserver ${end}`);

/**
 * Facts that can hold together, by the keys of the encoding: names are consistent, everything else is random. No fact makes a pod
 * the API server (S7.5): one that would is among them, and must not matter.
 */
function someFacts({ connection }: Encoding, die: number): ReadonlyMap<string, boolean> {
  const names = domainNames.filter((_, i) => ((die >>> i) & 1) === 1);
  return new Map(
    [...connection.facts.keys()].map((key, i) => {
      const [, kind, text] = /^dns:([a-z]+):(.*)$/.exec(key) ?? [];
      if (kind !== undefined)
        return [key, names.some((name) => domainMatches({ kind, text } as DomainPattern, name))];
      return [key, ((die >>> (4 + i)) & 1) === 1];
    }),
  );
}

/** The same facts, by the keys under which the evaluator asks. */
function answersOf(facts: ReadonlyMap<string, boolean>, flow: Flow): Answers {
  const renamed = [...facts].map(([key, value]): [string, boolean] => {
    const end = apiServerEnd(key);
    return [end === undefined ? key : `apiserver:${formatEndpoint(flow[end])}`, value];
  });
  return new Answers(new Map(renamed));
}

/**
 * Some models, anywhere among all connections: a part of the variables has random values, as far as it can. In some a certain rule
 * matches, and in some the outcome is a certain one, so that what few connections have is compared as well.
 */
export function compareModels(encoder: Encoder, state: State, roll: () => number, count: number): Compared {
  const encoding = new encoder.Encoding(state.tiers, state.cluster.cidrGroups);
  const { solver, connection, switches } = encoding;
  const isSwitch = new Set([...switches.values()].map((literal) => literal >> 1));
  const decisions: string[] = [];
  const aims = [[], matchesOfRules(encoding, state.tiers), outcomesOf(encoding)];
  for (let i = 0; i < count; i++) {
    const aimed = aims[roll() % aims.length]!;
    const aim = aimed[roll() % Math.max(aimed.length, 1)];
    const wanted: Literal[] = [encoding.asWritten, ...(aim === undefined ? [] : [aim])];
    for (const direction of directions)
      for (const act of Object.values(connection.owners[direction]))
        wanted.push(roll() % 4 === 0 ? act : not(act));
    for (let j = 0; j < 24; j++) {
      const literal = (roll() % (solver.variables * 2 - 2)) + 2;
      if (!isSwitch.has(literal >> 1)) wanted.push(literal);
    }
    while (encoding.solve(wanted) === "unsatisfiable") {
      const core = solver.core.filter((literal) => literal !== encoding.asWritten);
      const dropped = core.findLast((literal) => literal !== aim) ?? core[0];
      if (dropped === undefined) return { fault: "there is no connection at all", decisions };
      wanted.splice(wanted.indexOf(dropped), 1);
    }
    const fault = compareModel(encoder, encoding, state, decisions);
    if (fault !== undefined) return { fault, decisions };
  }
  return { decisions };
}

const matchesOfRules = ({ matching, connection }: Encoding, tiers: Tiers): readonly Literal[] =>
  directions.flatMap((direction) =>
    tiers[direction].flatMap(({ rules }) =>
      rules.map(({ subject, ports, peers }) =>
        connection.formula.and([
          matching.isSubject(subject, endOf(direction)),
          matching.portsMatch(ports),
          matching.anyPeerMatches(peers, endOf(direction)),
        ]),
      ),
    ),
  );

const outcomesOf = ({ allows, allowsConditionally }: Encoding): readonly Literal[] =>
  directions.flatMap((direction) => [
    allows[direction],
    not(allows[direction]),
    allowsConditionally[direction],
  ]);

function compareModel(
  { readWitness: read, confirm: ask }: Encoder,
  encoding: Encoding,
  state: State,
  seen: string[],
): string | undefined {
  const { decisions, problems, manifests } = ask(state, read(encoding));
  if (problems.length > 0) return `${problems.join()}\n${manifests}`;
  for (const direction of directions) {
    const decision = decisions[direction];
    seen.push(named(direction, decision));
    const says = (literal: Literal) => encoding.connection.formula.isTrue(literal);
    const agree =
      says(encoding.allows[direction]) === (decision.verdict === "Allow") &&
      says(encoding.allowsConditionally[direction]) === isConditional(decision);
    if (!agree) return `${direction} ${describeDecision(decision)}\n${manifests}`;
  }
  return undefined;
}
