import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointsAt } from "../analysis/endpoints/resolve.js";
import { readConntrack } from "../analysis/replay/records.js";
import { Replay } from "../analysis/replay/replay.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Endpoint } from "../evaluate/flow.js";
import { type Address, formatAddress } from "../net/address.js";
import { contains } from "../net/cidr.js";
import { outsideEnds, probedPorts } from "../../testing/all-ends.js";
import { anyScenario, stateIn } from "../../testing/arbitrary/scenario.js";

describe("replaying a table of connections", () => {
  it("gives each the verdict of the evaluator", () => {
    fc.assert(
      fc.property(anyScenario({ maxLength: 5 }), (scenario) => {
        const state = stateIn(scenario);
        const { cluster, tiers } = state;
        const services = cluster.services.flatMap(({ addresses }) => addresses.map(formatAddress));
        const addresses = [
          ...[...cluster.pods.values(), ...cluster.nodes.values()].flatMap((end) => end.addresses),
          ...outsideEnds.map(({ address }) => address),
        ].filter((address) => !services.includes(formatAddress(address)));
        const replay = new Replay(state);
        const wanted: Record<Verdict, number> = { Allow: 0, Deny: 0, Undecided: 0 };
        for (const [from, to] of pairsOf(addresses)) {
          // Random clusters give each address to one endpoint.
          const [source, destination] = [from, to].map((one) => endpointsAt(cluster, one).at(-1)!) as [
            Endpoint,
            Endpoint,
          ];
          // Addresses of pods that the input does not have are not evaluated.
          const isGone = (end: Endpoint) =>
            end.kind === "external" && cluster.facts.podCidrs.some((range) => contains(range, end.address));
          if (isGone(source) || isGone(destination)) continue;
          for (const { protocol, port } of probedPorts.filter((probed) => probed.protocol !== "ICMP")) {
            const ends = `src=${formatAddress(from)} dst=${formatAddress(to)} sport=9 dport=${port}`;
            replay.add(readConntrack(`${protocol.toLowerCase()} 6 9 ${ends}`));
            const toItself =
              source.kind === "pod" && destination.kind === "pod" && source.pod === destination.pod;
            const flow = { source, destination, protocol, port, family: from.family };
            wanted[evaluate(cluster, tiers, toItself ? { ...flow, toItself } : flow).verdict]++;
          }
        }
        expect(replay.result()).toMatchObject({ verdicts: wanted, broken: 0 });
      }),
      { numRuns: Number(process.env.RUNS ?? 40) },
    );
  });
});

function* pairsOf(addresses: readonly Address[]): Iterable<readonly [Address, Address]> {
  for (const from of addresses) for (const to of addresses) if (from.family === to.family) yield [from, to];
}
