import { messageOf, type Situation, type SituationSource } from "@tierwall/kube";
import { refuseToStart, serviceLog, stopSignal } from "@tierwall/kube/service";
import type { Logger } from "pino";
import { type Agent, optionWarnings, type Turn } from "../agent.js";
import type { AgentOptions } from "../agent-options.js";
import { NodeCompiler } from "../compile/node-compiler.js";
import { type Guard, parseGuard, watchGuards } from "../kernel/guards.js";
import type { TrialEnd } from "../kernel/kernel-table.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { ProgrammingWindow } from "../loop/programming-window.js";
import { withRanges } from "../loop/range-trust.js";
import type { NodeOptions } from "../ruleset/program.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { serveControl } from "../observe/control.js";
import { modesOf } from "../observe/decider.js";
import type { AgentStatus } from "../observe/status.js";
import { AgentReport } from "./agent-report.js";
import { DiagnosticsLog } from "./diagnostics-log.js";
import { type EnforcedNode, openNode } from "./node.js";
import { openSource } from "./source.js";

interface TrialOptions {
  /** How long to wait for the confirmation, in milliseconds. */
  readonly wait: number;
  /** What must stay reachable during the trial: `tcp://10.0.0.1:6443`. */
  readonly guards: readonly string[];
}

/** Applies rules on trial, and waits until they are confirmed or removed. Returns the exit status. */
export async function tryRules(options: AgentOptions, trial: TrialOptions): Promise<number> {
  const log = serviceLog({ node: options.node.node });
  const guards = parseGuards(trial.guards);
  if (!guards.ok) return refuseToStart(log, guards.message);
  let ended: (end: TrialEnd) => void = () => undefined;
  const end = new Promise<TrialEnd>((resolve) => (ended = resolve));
  const node = await openNode(options, log, { onTrialEnd: ended });
  if (!node.ok) return refuseToStart(log, node.message);
  const begun = await begin(options, trial.wait, log, node.value);
  if (!begun.ok) {
    await node.value.close();
    return refuseToStart(log, begun.message);
  }
  process.on("SIGHUP", () => undefined);
  void stopSignal().then(() => node.value.table.giveUp());
  const over = new AbortController();
  void guard(guards.value, over.signal, log, node.value);
  const how = await end;
  over.abort();
  if (how === "confirmed") log.info(confirmedText);
  else log.warn({ end: how }, restoredText);
  if (how !== "confirmed" && begun.value.onlyRules) await node.value.table.cleanup();
  await begun.value.stop();
  await node.value.close();
  return how === "confirmed" ? 0 : 1;
}

function parseGuards(texts: readonly string[]): Outcome<readonly Guard[]> {
  const guards: Guard[] = [];
  for (const text of texts) {
    const guard = parseGuard(text);
    if (!guard.ok) return guard;
    guards.push(guard.value);
  }
  return done(guards);
}

const confirmedText = "the rules are confirmed and stay in force";
const restoredText = "the previous rules are in force again";

/** One lost packet is not a failure. */
const triesOfGuards = 3;

async function guard(
  guards: readonly Guard[],
  signal: AbortSignal,
  log: Logger,
  { table }: EnforcedNode,
): Promise<void> {
  if (guards.length === 0) return;
  const problem = await watchGuards({ guards, tries: triesOfGuards, everyMilliseconds: 1_000, signal });
  if (problem === undefined) return;
  log.error(`a guard failed, so the previous rules are restored: ${problem}`);
  await table.giveUp();
}

interface Begun {
  /** There were no rules before, so the trial ends with none. */
  readonly onlyRules: boolean;
  readonly stop: () => Promise<void>;
}

async function begin(
  options: AgentOptions,
  wait: number,
  log: Logger,
  node: EnforcedNode,
): Promise<Outcome<Begun>> {
  let broken: () => void = () => undefined;
  const errors = new Promise<Outcome<Turn>>((resolve) => {
    broken = () => resolve(failed("nothing was applied: the files have errors"));
  });
  const source = await openSource(options.source, log, node.observer.metrics, { onErrors: broken });
  if (!source.ok) return source;
  const turn = await Promise.race([turnFor(node.options, source.value.source), errors]);
  await source.value.source.stop();
  if (!turn.ok) return turn;
  new DiagnosticsLog(log).write(turn.value.situation.diagnostics);
  for (const warning of optionWarnings(turn.value.options, turn.value.situation.cluster)) log.warn(warning);
  const onlyRules = node.table.generation === 0;
  if (onlyRules) {
    const applied = await node.table.apply(() => noRules);
    if (!applied.ok) return applied;
  }
  node.placePods(turn.value);
  node.observer.coming(turn.value.program);
  const tried = await node.enforcement.tryOut(turn.value, wait);
  if (!tried.ok) return tried;
  node.observer.programmed(turn.value.program, turn.value.situation.cluster);
  const report = new AgentReport(options, log);
  const pods = podsOf(turn.value);
  const sinceSeen = performance.now() - turn.value.situation.since;
  report.programmed(
    { ...turn.value, applied: tried.value, waited: [], sinceSeen },
    { metrics: node.observer.metrics, pods },
  );
  const read = source.value.status().map(({ what }) => ({ what, ok: true, state: "read once" }));
  const served = await serveTrial(options, node, () => report.status(node, pods, read));
  if (!served.ok) {
    await node.table.giveUp();
    return served;
  }
  log.warn(
    { table: tried.value.table, generation: tried.value.generation, seconds: wait / 1000 },
    "the rules are on trial: without `tierwall agent confirm`, the previous rules are restored",
  );
  return done({ onlyRules, stop: served.value });
}

/** A table that applies to no pod. */
const noRules: Ruleset = { chains: new Map(), sets: new Map(), counters: new Set() };

async function turnFor(node: NodeOptions, source: SituationSource): Promise<Outcome<Turn>> {
  let situation: Situation | undefined;
  await source.start((given) => {
    situation ??= given;
  });
  if (situation === undefined) return failed("there are no rules to try: the source has no state");
  const options = withRanges(node, situation);
  const program = new NodeCompiler(options, modesOf).compile(situation.cluster, situation.tiers);
  return done({ situation, program, options });
}

/** All pods count as programmed: a trial does not follow the cluster. */
function podsOf({ options, situation: { cluster } }: Turn): Agent["pods"] {
  const window = new ProgrammingWindow(options.node);
  window.seen(cluster, 0);
  return { programmed: window.waiting, waiting: 0 };
}

async function serveTrial(
  { control }: AgentOptions,
  node: EnforcedNode,
  status: () => AgentStatus,
): Promise<Outcome<() => Promise<void>>> {
  const answer = (outcome: Outcome<void>, text: string): Outcome<string> =>
    outcome.ok ? { ok: true, value: text } : outcome;
  try {
    const served = await serveControl(control, {
      status,
      hits: () => node.observer.hits(),
      confirm: async () => answer(await node.table.confirm(), confirmedText),
      giveUp: async () => answer(await node.table.giveUp(), restoredText),
    });
    return done(served.close);
  } catch (cause) {
    return failed(messageOf(cause));
  }
}
