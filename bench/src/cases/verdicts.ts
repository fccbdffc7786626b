import { compile } from "@tierwall/core/engine";
import { parsedState } from "../generate/parsed.js";
import { planCluster } from "../generate/plan.js";
import { Random } from "../generate/random.js";
import type { Shape } from "../generate/shape.js";
import { usualPorts } from "../generate/vocabulary.js";
import { collectGarbage, secondsSince } from "./clock.js";
import { connection, type Flow } from "./connection.js";

export interface VerdictsInput {
  readonly shape: Shape;
  readonly seed: number;
}

export interface VerdictsResult {
  readonly verdictMicroseconds: number;
  readonly explainMicroseconds: number;
}

const flowCount = 100_000;
const rounds = 5;

/** Asks a compiled cluster about one connection after the other. */
export function verdicts({ shape, seed }: VerdictsInput): VerdictsResult {
  const { cluster, tiers } = parsedState(planCluster(shape, seed));
  const random = new Random(seed).fork("verdicts");
  const pods = [...cluster.pods.values()];
  const flows = Array.from({ length: flowCount }, () =>
    connection(cluster, random.pick(pods), random.pick(pods), random.pick(usualPorts)),
  );
  const engine = compile(cluster, tiers);
  return {
    verdictMicroseconds: microseconds(flows, (flow) => engine.verdict(flow)),
    explainMicroseconds: microseconds(flows, (flow) => engine.explain(flow)),
  };
}

/** For one flow, after one round over all of them that is not counted. */
function microseconds(flows: readonly Flow[], ask: (flow: Flow) => unknown): number {
  for (const flow of flows) ask(flow);
  collectGarbage();
  const start = performance.now();
  for (let round = 0; round < rounds; round++) for (const flow of flows) ask(flow);
  return (secondsSince(start) / (rounds * flows.length)) * 1e6;
}
