import { writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { onlyInFull } from "../slice.mjs";
import { Agents } from "./agents.js";
import { findDifference } from "./find-difference.js";
import { because, labIsMissing } from "./lab/requirements.js";
import { seriesOf } from "./scenarios.js";

/*
 * The kernel against the evaluator and the engine: random clusters under random policies of all APIs, and connections
 * sent as packets. The long run asks in more clusters by these variables, with another seed each day.
 */
const clusters = [
  ...seriesOfClusters(1, 4),
  ...seriesOfClusters(
    Number(process.env.TIERWALL_PACKET_SEED ?? 1),
    Number(process.env.TIERWALL_PACKET_CLUSTERS ?? 0),
  ),
];

function seriesOfClusters(seed: number, count: number) {
  return Array.from({ length: count }, (_, number) => ({ seed, number }));
}

/** Sets of policies a cluster, and connections under each. */
const [sets, flows] = [5, 400];

const reason = labIsMissing();

describe.skipIf(reason !== undefined)(
  `packets meet the fate that the evaluator says${because(reason)}`,
  () => {
    let total = 0;
    const left = new Map<string, number>();
    afterAll(() => {
      const reasons = [...left].map(([why, count]) => `\n  ${count} not: ${why}`).join("");
      console.log(`${total} connections sent as packets${reasons}`);
    });

    const title = "random cluster $number of seed $seed";
    const timeout = 1_200_000;
    it.each(clusters.slice(0, 1))(title, { timeout }, enforcesVerdicts);
    it.each(clusters.slice(1))(title, { timeout, ...onlyInFull }, enforcesVerdicts);

    async function enforcesVerdicts({ seed, number }: (typeof clusters)[number]): Promise<void> {
      const series = seriesOf(seed + number * 1_000_003, sets);
      const wiring = number % 2 === 0 ? "routed" : "bridged";
      const { sent, found, leftOut } = await findDifference(series, {
        wiring,
        enforcer: (lab) => Agents.start(lab),
        flows,
      });
      total += sent;
      for (const [why, count] of leftOut) left.set(why, (left.get(why) ?? 0) + count);
      if (found !== undefined) keep(`${seed}-${number}`, found);
      expect(found).toBeUndefined();
      // What cannot be sent, such as to addresses that are never routed, must not be most of it.
      expect(sent).toBeGreaterThan((sets * flows) / 4);
    }
  },
);

/** `npm test` sends it from now on (found.test.ts). */
function keep(name: string, text: string): void {
  writeFileSync(new URL(`found/${name}.yaml`, import.meta.url), text);
}
