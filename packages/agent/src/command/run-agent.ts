import { join } from "node:path";
import { type Connection, messageOf, openMetrics } from "@tierwall/kube";
import { refuseToStart, serviceLog, stopSignal } from "@tierwall/kube/service";
import type { Logger } from "pino";
import type { AgentOptions } from "../agent-options.js";
import { Agent } from "../agent.js";
import { NodeCompiler } from "../compile/node-compiler.js";
import { KernelTable } from "../kernel/kernel-table.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { RangeMemory } from "../loop/range-trust.js";
import { StartupHold } from "../loop/startup-hold.js";
import { serveControl } from "../observe/control.js";
import { modesOf } from "../observe/decider.js";
import { NodeLease } from "../observe/node-lease.js";
import { AgentReport } from "./agent-report.js";
import { DiagnosticsLog } from "./diagnostics-log.js";
import { type EnforcedNode, openNode } from "./node.js";
import { openSource, type OpenSource } from "./source.js";

/** Enforces until it receives a signal to stop. Returns the exit status. */
export async function runAgent(options: AgentOptions): Promise<number> {
  const log = serviceLog({ node: options.node.node });
  const report = new AgentReport(options, log);
  let node: EnforcedNode | undefined;
  const opened = await openNode(options, log, {
    onDrift: (drift) => report.drifted(drift, node?.observer.metrics),
  });
  if (!opened.ok) return refuseToStart(log, opened.message);
  node = opened.value;
  const holding = startupHoldOf(options, log, node);
  const source = await openSource(options.source, log, node.observer.metrics, {
    onNode: (name, podRanges) => void holding.nodeSeen(name, podRanges),
  });
  const running = source.ok ? await start(options, log, report, node, source.value, holding) : source;
  if (!running.ok) {
    await node.close();
    return refuseToStart(log, running.message);
  }
  // For log rotation.
  process.on("SIGHUP", () => node.observer.reopen());
  const signal = await stopSignal();
  log.info({ signal }, "stopping; the rules stay in the kernel");
  await running.value();
  await node.close();
  return 0;
}

type Stop = () => Promise<void>;

/** How often the agent looks for other programs that let packets bypass the rules, in milliseconds. */
const inspectEvery = 10_000;

async function start(
  options: AgentOptions,
  log: Logger,
  report: AgentReport,
  node: EnforcedNode,
  source: OpenSource,
  holding: StartupHold,
): Promise<Outcome<Stop>> {
  const { metrics } = node.observer;
  const diagnostics = new DiagnosticsLog(log);
  const lease = leaseOf(options, source, log);
  const agent = new Agent({
    options: node.options,
    source: source.source,
    compilerFor: (of) => new NodeCompiler(of, modesOf),
    enforce: (turn) => {
      node.placePods(turn);
      node.observer.coming(turn.program);
      return node.enforcement.enforce(turn);
    },
    onProgrammed: (programmed) => {
      holding.over(programmed.options.localRanges, programmed.options.rangesDoubted === true);
      node.observer.programmed(programmed.program, programmed.situation.cluster);
      diagnostics.take(programmed.situation);
      node.logChangedSettings();
      report.programmed(programmed, { metrics, pods: agent.pods });
      lease?.programmed(programmed.situation.policies);
    },
    onFailure: (cause, retryIn) => report.failed(cause, retryIn, metrics),
    onProblem: (kind, message) => node.problems.report(kind, message),
    log,
  });
  const served = await serve(options, node, {
    status: () => report.status(node, agent.pods, source.status()),
    waitingFor: () =>
      report.hasRules ? node.problems.unready : "no rules are in the kernel yet: tierwall agent status",
    connection: source.cluster?.connection,
    log,
  });
  if (!served.ok) return served;
  // After all checks that can make an agent refuse to start: such an agent writes nothing.
  await holding.begin();
  const timers = [
    setInterval(() => void verify(node, log), options.resync),
    setInterval(() => void node.inspect(), inspectEvery),
    watchMemory(log),
  ];
  // Not awaited: reading the state of the cluster can take long, and signals are handled meanwhile.
  void agent.start().catch((cause: unknown) => log.error(`the source failed: ${String(cause)}`));
  return done(async () => {
    for (const timer of timers) clearInterval(timer);
    holding.stop();
    diagnostics.stop();
    await agent.stop();
    await lease?.stop();
    await served.value();
  });
}

function startupHoldOf({ stateFolder }: AgentOptions, log: Logger, { table, options }: EnforcedNode) {
  const memory = new RangeMemory(join(stateFolder, "pod-ranges.json"), options.node, (message) =>
    log.warn(message),
  );
  return new StartupHold({ table, options, memory, log });
}

/** Only an agent that watches a cluster has a Lease. */
function leaseOf({ node }: AgentOptions, { cluster }: OpenSource, log: Logger): NodeLease | undefined {
  if (cluster === undefined) return undefined;
  const { connection, namespace } = cluster;
  return new NodeLease(connection, { node: node.node, namespace, shadow: node.shadow }, log);
}

/** Repairs are reported where they happen. This reports that the table could not be compared. */
async function verify({ table }: EnforcedNode, log: Logger): Promise<void> {
  const verified = await table.verify();
  if (!verified.ok) log.warn(`cannot compare the table with the wanted rules: ${verified.message}`);
}

interface Answers {
  readonly status: () => ReturnType<AgentReport["status"]>;
  readonly waitingFor: () => string | undefined;
  /** To the API server that checks tokens; absent for files. */
  readonly connection: Connection | undefined;
  readonly log: Logger;
}

async function serve(
  { metrics: served, control }: AgentOptions,
  { observer }: EnforcedNode,
  { status, waitingFor, connection, log }: Answers,
): Promise<Outcome<Stop>> {
  const noTrial = (): Promise<Outcome<string>> =>
    Promise.resolve(failed("no rules are on trial: this agent enforces the state that it watches"));
  const stops: Stop[] = [];
  try {
    const controlled = { status, hits: () => observer.hits(), confirm: noTrial, giveUp: noTrial };
    stops.push((await serveControl(control, controlled)).close);
    if (served !== undefined) {
      const health = { broken: () => undefined, waitingFor };
      const { metrics } = observer;
      stops.push((await openMetrics(served, { metrics, health, connection, log })).close);
    }
  } catch (cause) {
    for (const stop of stops) await stop();
    return failed(messageOf(cause));
  }
  return done(async () => {
    for (const stop of stops) await stop();
  });
}

function watchMemory(log: Logger): NodeJS.Timeout {
  const watch = new MemoryWatch((megabytes) =>
    log.warn(
      { megabytes },
      "the agent uses more memory than expected; please report this with the output of `tierwall agent status`",
    ),
  );
  return setInterval(() => watch.check(), 60_000);
}

/** What the agent needs at 10,000 pods. Less is not reported. */
const expectedBytes = 250 * 1024 * 1024;

/** Warns when the process uses more memory than expected, and again each time that has grown by half. */
export class MemoryWatch {
  #next = expectedBytes;

  constructor(
    private readonly warn: (megabytes: number) => void,
    private readonly resident: () => number = () => process.memoryUsage.rss(),
  ) {}

  check(): void {
    const bytes = this.resident();
    if (bytes < this.#next) return;
    this.warn(Math.round(bytes / 1024 / 1024));
    this.#next = bytes * 1.5;
  }
}

/** Removes everything of Tierwall from the kernel. Refused while an agent runs, which would restore it. */
export async function cleanUp({ table, node }: AgentOptions): Promise<Outcome<string>> {
  // Removing rules does not depend on bridges, so it also works without br_netfilter.
  const bridges = () => done([]);
  const opened = await KernelTable.open({ table, connectionMask: node.connectionMask, bridges });
  if (!opened.ok) return opened;
  const cleaned = await opened.value.cleanup();
  await opened.value.close();
  return cleaned.ok ? done(`removed the table \`${table}\` from the kernel`) : cleaned;
}
