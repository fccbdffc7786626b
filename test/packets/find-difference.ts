import type { State } from "@tierwall/core/state";
import { formatCase } from "../../packages/core/testing/kept-case.js";
import { type Scenario, stateIn } from "../../packages/core/testing/arbitrary/scenario.js";
import { type Disagreement, disagreements, examOf } from "./comparison.js";
import { Lab } from "./lab/lab.js";
import type { Wiring } from "./lab/wiring.js";
import { flowsIn, type Series } from "./scenarios.js";

/** Makes the nodes of a lab enforce a state, and then another. */
export interface Enforcer {
  apply(state: State): Promise<unknown>;
  stop(): Promise<void>;
}

export type StartEnforcer = (lab: Lab) => Promise<Enforcer>;

export interface Search {
  readonly wiring: Wiring;
  readonly enforcer: StartEnforcer;
  /** How many connections to send under each set of policies. */
  readonly flows: number;
}

export interface SearchResult {
  readonly sent: number;
  readonly leftOut: ReadonlyMap<string, number>;
  /** The first case in which packets and verdicts do not agree, shrunk, as a text to keep. */
  readonly found?: string;
}

/** Sends random connections under each set of policies of a series, until one does not match its verdict. */
export async function findDifference(
  series: Series,
  { wiring, enforcer, flows }: Search,
): Promise<SearchResult> {
  const lab = await Lab.build(stateIn(series.scenarios[0]!).cluster, wiring);
  const leftOut = new Map<string, number>();
  let sent = 0;
  let enforcing: Enforcer | undefined;
  try {
    enforcing = await enforcer(lab);
    for (const scenario of series.scenarios) {
      const state = stateIn(scenario);
      const exam = examOf(lab, state, flowsIn(state, flows));
      await enforce(lab, enforcing, state);
      const [first] = await disagreements(lab, state, exam.asked);
      sent += exam.asked.length;
      for (const [why, count] of exam.leftOut) leftOut.set(why, (leftOut.get(why) ?? 0) + count);
      if (first !== undefined)
        return { sent, leftOut, found: formatCase(await smallest(lab, enforcing, scenario, first, wiring)) };
    }
    return { sent, leftOut };
  } finally {
    await enforcing?.stop();
    await lab.remove();
  }
}

/** Forgets tracked connections, so that all are new. */
async function enforce(lab: Lab, enforcing: Enforcer, state: State): Promise<void> {
  await enforcing.apply(state);
  await lab.forgetConnections();
}

/** Without each policy that it does not take. */
async function smallest(
  lab: Lab,
  enforcing: Enforcer,
  scenario: Scenario,
  disagreement: Disagreement,
  wiring: Wiring,
): Promise<{ readonly scenario: Scenario; readonly complaint: string }> {
  let [small, { complaint }] = [scenario, disagreement];
  for (const policy of scenario.policies) {
    const smaller = { ...small, policies: small.policies.filter((other) => other !== policy) };
    const state = stateIn(smaller);
    const again = examOf(lab, state, [disagreement.asked.flow], disagreement.asked.road);
    await enforce(lab, enforcing, state);
    const [still] = await disagreements(lab, state, again.asked);
    if (still !== undefined) [small, complaint] = [smaller, still.complaint];
  }
  return { scenario: small, complaint: `${complaint} (${wiring})` };
}
