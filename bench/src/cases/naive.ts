import { compile } from "@tierwall/core/engine";
import type { State } from "@tierwall/core/state";
import { parsedState } from "../generate/parsed.js";
import { planCluster } from "../generate/plan.js";
import { Random } from "../generate/random.js";
import type { Shape } from "../generate/shape.js";
import { secondsSince } from "./clock.js";
import { connection } from "./connection.js";
import { type End, endsOf, literalVerdict } from "./literal.js";

export interface NaiveInput {
  readonly shape: Shape;
  readonly seed: number;
  /** Every pair of pods, or one pod for each workload, which is how other tools keep it short. */
  readonly over: "pods" | "workloads";
}

export interface NaiveResult {
  /** For all pairs; measured on `timed` of them. */
  readonly seconds: number;
  readonly pairs: number;
  readonly timed: number;
}

/** Long enough to measure, short enough to wait for. */
const budgetSeconds = 3;
/** As many ends of each kind as are drawn; fewer pods than that are all taken. */
const sampleSize = 500;
/** Pairs a row on which the engine must say the same. */
const confirmed = 20;

/**
 * The literal evaluator on pair after pair, for one port. It gets all the help there is: each pod's rules are looked up
 * beforehand, and that is not even counted.
 */
export function naive({ shape, seed, over }: NaiveInput): NaiveResult {
  const state = parsedState(planCluster(shape, seed));
  const { pods, workloads } = state.cluster;
  const all = over === "pods" ? [...pods.values()] : workloads.map((workload) => workload.pods[0]!);
  const random = new Random(seed).fork(`naive ${over}`);
  const sources = endsOf(random.some(all, sampleSize), state, "egress");
  const destinations = endsOf(random.some(all, sampleSize), state, "ingress");
  timeRows(state, sources, destinations, budgetSeconds / 4);
  const { seconds, timed } = timeRows(state, sources, destinations, budgetSeconds);
  confirm(state, sources, random.some(destinations, confirmed));
  const pairs = all.length * (all.length - 1);
  return { seconds: (seconds / timed) * pairs, pairs, timed };
}

/** Row after row until the time is up, and at least one. */
function timeRows(
  state: State,
  sources: readonly End<"egress">[],
  destinations: readonly End<"ingress">[],
  budget: number,
): { readonly seconds: number; readonly timed: number } {
  const start = performance.now();
  let timed = 0;
  for (const source of sources) {
    for (const destination of destinations) {
      if (source.pod === destination.pod) continue;
      literalVerdict(state, source, destination);
      timed++;
    }
    if (secondsSince(start) > budget) break;
  }
  return { seconds: secondsSince(start), timed };
}

/** What is faster but says something else is of no use. */
function confirm(
  state: State,
  sources: readonly End<"egress">[],
  destinations: readonly End<"ingress">[],
): void {
  const engine = compile(state.cluster, state.tiers);
  for (const source of sources)
    for (const destination of destinations) {
      if (source.pod === destination.pod) continue;
      const fast = engine.verdict(connection(state.cluster, source.pod, destination.pod, 80));
      const literal = literalVerdict(state, source, destination);
      if (fast === literal) continue;
      const [from, to] = [source.pod, destination.pod].map(({ namespace, name }) => `${namespace}/${name}`);
      throw new Error(`from ${from} to ${to}:80 the engine says ${fast}, the evaluator ${literal}`);
    }
}
