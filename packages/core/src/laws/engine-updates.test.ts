import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AskedPort, Pair } from "../analysis/ask.js";
import type { State } from "../analysis/state.js";
import { compile, type Engine } from "../engine/engine.js";
import type { ChangedPairs, Ports } from "../engine/changed-pairs.js";
import type { Member } from "../engine/ends.js";
import type { AddressRange } from "../engine/outside-runs.js";
import type { Update } from "../engine/update.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import { type Endpoint, formatEndpoint } from "../evaluate/flow.js";
import { flowsAmong, memberPairs, otherPairs, portsAtBorders } from "../testing/every-flow.js";
import { expandPairs } from "../testing/expanded-pairs.js";
import { anyHistory, type Moment, updateBetween } from "../testing/history.js";
import { about } from "../testing/scenario.js";

/** The same moments, come to in other ways. */
const tellings: Record<string, (moments: readonly Moment[]) => readonly Moment[]> = {
  "as it was": (moments) => moments,
  reversed: (moments) => moments.toReversed(),
  squashed: (moments) => [moments[0]!, moments.at(-1)!],
  duplicated: (moments) => moments.flatMap((moment) => [moment, moment]),
  "there and back": (moments) => [...moments, ...moments.toReversed(), ...moments],
};

const stateOf = (moment: Moment): State => ({
  ...moment,
  policies: [],
  written: [],
  definitions: [],
  withDefinitions: () => stateOf(moment),
  diagnostics: [],
  skipped: new Map(),
  usable: true,
});

describe("an engine that was updated", () => {
  for (const [name, retell] of Object.entries(tellings))
    it(`says what one compiled from scratch says, the history being ${name}`, () => {
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

  it("says so when updates are taken apart, with empty ones in between", () => {
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

  it("tells exactly which pairs changed", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const engine = compile(history[0]!.cluster, history[0]!.tiers);
        for (const [i, after] of history.slice(1).entries()) {
          const before = history[i]!;
          const { pairs } = engine.update(updateBetween(before, after));
          expect(reported(engine, pairs, before, after)).toEqual(expected(before, after));
        }
      }),
      { numRuns: runs },
    );
  });
});

const runs = Number(process.env.RUNS ?? 60);

function expectFresh(engine: Engine, moment: Moment): void {
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

/** `beta/pod-1 -> node node-1 IPv4 TCP 80: Allow, now Deny`, for all pairs that were and are there. */
function expected(before: Moment, after: Moment): readonly string[] {
  const ports = portsOf(before, after);
  const [then, now] = [byEnds(pairsAt(before, after)), byEnds(pairsAt(after, before))];
  return [...now]
    .flatMap(([ends, pairsNow]) => {
      const pairsThen = then.get(ends) ?? new Map<Pair["family"], Pair>();
      return families.flatMap((family) => {
        const [was, is] = [pairIn(family, pairsThen), pairIn(family, pairsNow)];
        if (was === undefined || is === undefined) return [];
        if (family !== undefined && !pairsThen.has(family) && !pairsNow.has(family)) return [];
        return ports.flatMap((port) => {
          const verdicts = [
            evaluate(before.cluster, before.tiers, { ...was, ...port }).verdict,
            evaluate(after.cluster, after.tiers, { ...is, ...port }).verdict,
          ] as const;
          return verdicts[0] === verdicts[1]
            ? []
            : `${nameOf(is)} ${port.protocol} ${port.port}: ${verdicts.join(", now ")}`;
        });
      });
    })
    .toSorted();
}

const families = [4, 6, undefined] as const;

function byEnds(pairs: readonly Pair[]): ReadonlyMap<string, ReadonlyMap<Pair["family"], Pair>> {
  const found = new Map<string, Map<Pair["family"], Pair>>();
  for (const pair of pairs) {
    const ends = `${formatEndpoint(pair.source)} -> ${formatEndpoint(pair.destination)}`;
    found.set(ends, (found.get(ends) ?? new Map<Pair["family"], Pair>()).set(pair.family, pair));
  }
  return found;
}

/** Ends without addresses may be of each family, so that they can be compared with what they are once they have some. */
function pairIn(family: Pair["family"], pairs: ReadonlyMap<Pair["family"], Pair>): Pair | undefined {
  const found = pairs.get(family) ?? pairs.get(undefined);
  return found && family !== undefined ? { ...found, family } : found;
}

const portsOf = (before: Moment, after: Moment): readonly AskedPort[] => {
  const all = [...portsAtBorders(stateOf(before)), ...portsAtBorders(stateOf(after))];
  return [...new Map(all.map((port) => [`${port.protocol} ${port.port}`, port])).values()];
};

/** Pairs of members, and of members with external addresses at the borders that either moment draws. */
function pairsAt(moment: Moment, other: Moment): readonly Pair[] {
  const tiers = {
    egress: [...moment.tiers.egress, ...other.tiers.egress],
    ingress: [...moment.tiers.ingress, ...other.tiers.ingress],
  };
  const outside = otherPairs(stateOf({ cluster: moment.cluster, tiers })).filter(
    ({ source, destination }) =>
      (source.kind === "external" && destination.kind === "pod") ||
      (source.kind === "pod" && destination.kind === "external"),
  );
  return [...memberPairs(moment.cluster), ...outside];
}

const nameOf = ({ source, destination, family }: Pair): string =>
  `${formatEndpoint(source)} -> ${formatEndpoint(destination)} IPv${family ?? "?"}`;

function reported(
  engine: Engine,
  changes: readonly ChangedPairs[],
  before: Moment,
  after: Moment,
): readonly string[] {
  const ports = portsOf(before, after);
  const outside = pairsAt(after, before)
    .flatMap(({ source, destination }) => [source, destination])
    .filter((end) => end.kind === "external");
  const addresses = [...new Map(outside.map((end) => [formatEndpoint(end), end])).values()];
  const endsOf = (end: Member | AddressRange): readonly Endpoint[] =>
    "first" in end
      ? addresses.filter(
          ({ address: { family, value } }) =>
            family === end.family && value >= end.first && value <= end.last,
        )
      : "hostNetwork" in end
        ? [{ kind: "pod", pod: end, namespace: after.cluster.namespaces.get(end.namespace)! }]
        : [{ kind: "node", node: end }];
  return changes
    .flatMap(({ pairs, family, before: was, after: is }) =>
      [...pairs()].flatMap(({ from, to }) =>
        endsOf(from).flatMap((source) =>
          endsOf(to).flatMap((destination) =>
            ports.flatMap((port) => {
              const [then, now] = [verdictIn(engine, was, port), verdictIn(engine, is, port)];
              const name = nameOf({ source, destination, ...(family === undefined ? {} : { family }) });
              return then === now ? [] : `${name} ${port.protocol} ${port.port}: ${then}, now ${now}`;
            }),
          ),
        ),
      ),
    )
    .toSorted();
}

function verdictIn({ ports }: Engine, { allowed, undecided }: Ports, { protocol, port }: AskedPort): Verdict {
  if (ports.contains(allowed, protocol, port)) return "Allow";
  return ports.contains(undecided, protocol, port) ? "Undecided" : "Deny";
}
