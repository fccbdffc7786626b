import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { AskedPort, AskedPair } from "../analysis/explain/ask.js";
import type { State } from "../state/state.js";
import { compile, type Engine } from "../engine/engine.js";
import type { ChangedBlock, ChangedSide, Ports } from "../engine/change/changed-block.js";
import type { Update } from "../engine/change/update.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Direction, Tiers } from "../policy/model.js";
import { type Endpoint, formatEndpoint } from "../evaluate/flow.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "../../testing/every-flow.js";
import { expandPairs } from "../../testing/expanded-pairs.js";
import {
  anyHistory,
  anyHistoryWithForeign,
  type ClusterMoment,
  updateBetween,
} from "../../testing/arbitrary/history.js";
import { about } from "../../testing/arbitrary/scenario.js";

// Many histories of many clusters take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

/** The same moments, reached in other ways. */
const tellings: Record<string, (moments: readonly ClusterMoment[]) => readonly ClusterMoment[]> = {
  "as it was": (moments) => moments,
  reversed: (moments) => moments.toReversed(),
  squashed: (moments) => [moments[0]!, moments.at(-1)!],
  duplicated: (moments) => moments.flatMap((moment) => [moment, moment]),
  "there and back": (moments) => [...moments, ...moments.toReversed(), ...moments],
};

const stateOf = (moment: ClusterMoment): State => ({
  ...moment,
  policies: [],
  podRanges: new Map(),
  written: [],
  definitions: [],
  tiersAs: () => moment.tiers,
  setup: {},
  withDefinitions: () => stateOf(moment),
  diagnostics: [],
  skipped: new Map(),
  foreign: [],
  caveats: [],
  usable: true,
});

describe("an engine that was updated", () => {
  for (const [name, retell] of Object.entries(tellings))
    it(`gives the answers of one compiled from scratch, with history ${name}`, () => {
      fc.assert(
        fc.property(anyHistory, (history) => {
          const [first, ...others] = retell(history);
          const engine = compile(first!.cluster, first!.tiers);
          let before = first!;
          for (const moment of others) {
            engine.update(updateBetween(before, moment));
            expectFresh(engine, moment);
            before = moment;
          }
        }),
        { numRuns: runs },
      );
    });

  it("S9.3: gives the answers of one compiled from scratch, with policies of other APIs", () => {
    fc.assert(
      fc.property(anyHistoryWithForeign, (history) => {
        const engine = compile(history[0]!.cluster, history[0]!.tiers);
        for (const [i, moment] of history.slice(1).entries()) {
          engine.update(updateBetween(history[i]!, moment));
          expectFresh(engine, moment);
        }
      }),
      { numRuns: runs },
    );
  });

  it("also if updates are split, with empty ones in between", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const engine = compile(history[0]!.cluster, history[0]!.tiers);
        for (const [i, moment] of history.slice(1).entries()) {
          for (const part of partsOf(updateBetween(history[i]!, moment))) {
            engine.update(part);
            expect(engine.update({}).pairs).toEqual([]);
          }
          expectFresh(engine, moment);
        }
      }),
      { numRuns: runs },
    );
  });

  it("are correct whether or not the changed pairs are requested", () => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, isLooked) => {
        const engine = compile(history[0]!.cluster, history[0]!.tiers);
        for (const [i, moment] of history.slice(1).entries()) {
          if (isLooked) expandPairs(engine);
          engine.follow(updateBetween(history[i]!, moment));
        }
        expectFresh(engine, history.at(-1)!);
      }),
      { numRuns: runs },
    );
  });

  it("reports exactly the pairs that changed", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const engine = compile(history[0]!.cluster, history[0]!.tiers);
        // An update must keep the tables correct that were read before.
        expect([...engine.pairs()].length).toBeGreaterThanOrEqual(0);
        const asked = askedAbout(history);
        let then = new Witness(history[0]!, asked);
        for (const moment of history.slice(1)) {
          const now = new Witness(moment, asked);
          const { pairs } = engine.update(updateBetween(then.moment, moment));
          expect(reported(engine, pairs, moment, asked)).toEqual(expected(then, now, asked));
          then = now;
        }
      }),
      { numRuns: runs },
    );
  });
});

const runs = Number(process.env.RUNS ?? 60);

function expectFresh(engine: Engine, moment: ClusterMoment): void {
  const state = stateOf(moment);
  const pairs = [...memberPairs(moment.cluster), ...otherPairs(state)];
  const found: string[] = [];
  for (const flow of flowsAmong(pairs, portsAtBorders(state), 0.1)) {
    const wanted = evaluate(moment.cluster, moment.tiers, flow).verdict;
    if (engine.verdict(flow) !== wanted) found.push(`${about(flow)}: ${engine.verdict(flow)} for ${wanted}`);
  }
  const expanded = expandPairs(engine);
  for (const flow of flowsAmong(memberPairs(moment.cluster), portsAtBorders(state), 0.1)) {
    const wanted = evaluate(moment.cluster, moment.tiers, flow).verdict;
    const said = expanded.verdict(flow, flow);
    if (said !== wanted) found.push(`${about(flow)}: ${said} for ${wanted}, among all pairs`);
  }
  expect([...found, ...expanded.complaints]).toEqual([]);
}

/** One change at a time. */
function partsOf({ tiers, pods, nodes, namespaces, rest }: Update): readonly Update[] {
  return [
    ...(rest === undefined ? [] : [{ rest }]),
    ...[...(namespaces ?? [])].map((entry) => ({ namespaces: new Map([entry]) })),
    ...[...(nodes ?? [])].map((entry) => ({ nodes: new Map([entry]) })),
    ...[...(pods ?? [])].map((entry) => ({ pods: new Map([entry]) })),
    ...(tiers === undefined ? [] : [{ tiers }]),
  ];
}

/** What is asked about at each moment of a history: everything that some rule of any moment could distinguish. */
interface Asked {
  readonly tiers: Tiers;
  readonly ports: readonly AskedPort[];
  /** By port, a representative that no rule of any moment distinguishes from it. */
  readonly alike: readonly number[];
}

function askedAbout(history: readonly ClusterMoment[]): Asked {
  const all = (direction: Direction) => history.flatMap(({ tiers }) => tiers[direction]);
  const tiers = { egress: all("egress"), ingress: all("ingress") };
  const ports = new Map<string, AskedPort>();
  const ranges: { readonly protocol: string; readonly first: number; readonly last: number }[] = [];
  for (const { cluster } of history) {
    for (const port of portsAtBorders(stateOf({ cluster, tiers }))) ports.set(portName(port), port);
    for (const pod of cluster.pods.values())
      for (const { protocol, port } of pod.ports) ranges.push({ protocol, first: port, last: port });
  }
  for (const { rules } of [...tiers.egress, ...tiers.ingress])
    for (const { ports: matches } of rules)
      for (const match of matches === "every" ? [] : matches) if (match.kind === "range") ranges.push(match);
  const sorted = [...ports.values()].toSorted(
    (a, b) => Number(a.protocol > b.protocol) - Number(a.protocol < b.protocol) || a.port - b.port,
  );
  const isIn = ({ protocol, port }: AskedPort, range: (typeof ranges)[number]) =>
    protocol === range.protocol && port >= range.first && port <= range.last;
  let first = 0;
  const alike = sorted.map((port, i) => {
    const before = sorted[i - 1];
    if (
      before?.protocol !== port.protocol ||
      ranges.some((range) => isIn(before, range) !== isIn(port, range))
    )
      first = i;
    return first;
  });
  return { tiers, ports: sorted, alike };
}

const portName = ({ protocol, port }: AskedPort): string => `${protocol} ${port}`;

/** What the literal evaluator says at one moment. */
class Witness {
  readonly pairs: ReadonlyMap<string, ReadonlyMap<AskedPair["family"], AskedPair>>;
  private readonly said = new Map<string, readonly Verdict[]>();

  constructor(
    readonly moment: ClusterMoment,
    private readonly asked: Asked,
  ) {
    this.pairs = byEnds(pairsAt(moment, asked.tiers));
  }

  /** By port; undefined for endpoints that do not exist, or not in this family. */
  verdicts(ends: string, family: AskedPair["family"]): readonly Verdict[] | undefined {
    const key = `${ends} ${family}`;
    const known = this.said.get(key);
    if (known !== undefined) return known;
    const pair = pairIn(family, this.pairs.get(ends) ?? new Map<AskedPair["family"], AskedPair>());
    if (pair === undefined) return undefined;
    const { cluster, tiers } = this.moment;
    const { ports, alike } = this.asked;
    const made: Verdict[] = [];
    for (const [i, port] of ports.entries())
      made.push(made[alike[i]!] ?? evaluate(cluster, tiers, { ...pair, ...port }).verdict);
    this.said.set(key, made);
    return made;
  }
}

/** `beta/pod-1 -> node node-1 IPv4 TCP 80: Allow, now Deny`, for all pairs that were and are there. */
function expected(then: Witness, now: Witness, { ports }: Asked): readonly string[] {
  return [...now.pairs.keys()]
    .flatMap((ends) =>
      families.flatMap((family) => {
        const isKnown = [then, now].some(({ pairs }) => pairs.get(ends)?.has(family));
        const [was, is] = [then.verdicts(ends, family), now.verdicts(ends, family)];
        if (was === undefined || is === undefined || (family !== undefined && !isKnown)) return [];
        return ports.flatMap((port, i) =>
          was[i] === is[i] ? [] : `${ends} IPv${family ?? "?"} ${portName(port)}: ${was[i]}, now ${is[i]}`,
        );
      }),
    )
    .toSorted();
}

const families = [4, 6, undefined] as const;

function byEnds(
  pairs: readonly AskedPair[],
): ReadonlyMap<string, ReadonlyMap<AskedPair["family"], AskedPair>> {
  const found = new Map<string, Map<AskedPair["family"], AskedPair>>();
  for (const pair of pairs) {
    const ends = `${formatEndpoint(pair.source)} -> ${formatEndpoint(pair.destination)}`;
    found.set(ends, (found.get(ends) ?? new Map<AskedPair["family"], AskedPair>()).set(pair.family, pair));
  }
  return found;
}

/** Endpoints without addresses may have either family, so that they can be compared with their later state. */
function pairIn(
  family: AskedPair["family"],
  pairs: ReadonlyMap<AskedPair["family"], AskedPair>,
): AskedPair | undefined {
  const found = pairs.get(family) ?? pairs.get(undefined);
  return found && family !== undefined ? { ...found, family } : found;
}

/** Pairs of members, and of members with external addresses at the borders that any moment draws. */
function pairsAt({ cluster }: ClusterMoment, tiers: Tiers): readonly AskedPair[] {
  const outside = otherPairs(stateOf({ cluster, tiers })).filter(
    ({ source, destination }) =>
      (source.kind === "external" && destination.kind === "pod") ||
      (source.kind === "pod" && destination.kind === "external"),
  );
  return [...memberPairs(cluster), ...outside];
}

const nameOf = ({ source, destination, family }: AskedPair): string =>
  `${formatEndpoint(source)} -> ${formatEndpoint(destination)} IPv${family ?? "?"}`;

function reported(
  engine: Engine,
  changes: readonly ChangedBlock[],
  after: ClusterMoment,
  { ports, tiers }: Asked,
): readonly string[] {
  const outside = pairsAt(after, tiers)
    .flatMap(({ source, destination }) => [source, destination])
    .filter((end) => end.kind === "external");
  const addresses = [...new Map(outside.map((end) => [formatEndpoint(end), end])).values()];
  /** An external end is the first address of a range: here, those of the range that are asked about. */
  const endsOf = (side: ChangedSide, end: Endpoint): readonly Endpoint[] => {
    if (side.kind === "ends" || end.kind !== "external") return [end];
    const { first, last } = side.ranges.find(
      (range) => range.family === end.address.family && range.first === end.address.value,
    )!;
    return addresses.filter(
      ({ address: { family, value } }) => family === end.address.family && value >= first && value <= last,
    );
  };
  return changes
    .flatMap((block) => {
      const { family, before: was, after: is, from, to } = block;
      return [...block.pairs()].flatMap((pair) =>
        endsOf(from, pair.source.after).flatMap((source) =>
          endsOf(to, pair.destination.after).flatMap((destination) =>
            ports.flatMap((port) => {
              const [then, now] = [verdictIn(engine, was, port), verdictIn(engine, is, port)];
              const name = nameOf({ source, destination, ...(family === undefined ? {} : { family }) });
              return then === now ? [] : `${name} ${portName(port)}: ${then}, now ${now}`;
            }),
          ),
        ),
      );
    })
    .toSorted();
}

function verdictIn({ ports }: Engine, { allowed, undecided }: Ports, { protocol, port }: AskedPort): Verdict {
  if (ports.contains(allowed, protocol, port)) return "Allow";
  return ports.contains(undecided, protocol, port) ? "Undecided" : "Deny";
}
