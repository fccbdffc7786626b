import { messageOf } from "@tierwall/kube";
import type { Logger } from "pino";
import type { Agent, Programmed } from "../agent.js";
import type { AgentOptions } from "../agent-options.js";
import type { Drift } from "../kernel/kernel-table.js";
import type { AgentMetrics } from "../observe/metrics.js";
import type { AgentStatus, SourceStatus } from "../observe/status.js";
import type { EnforcedNode } from "./node.js";

/** What was written to the kernel, as the log and the status name it. */
const wrote = {
  unchanged: "nothing",
  changed: "difference",
  swapped: "whole table",
  "on trial": "whole table",
} as const;

/** What an agent has done so far, for its log, its metrics and its status. */
export class AgentReport {
  readonly #since = new Date();
  #last: { readonly programmed: Programmed; readonly at: Date } | undefined;
  #failing: string | undefined;
  #repairs = 0;

  constructor(
    private readonly options: AgentOptions,
    private readonly log: Logger,
  ) {}

  get hasRules(): boolean {
    return this.#last !== undefined;
  }

  programmed(
    programmed: Programmed,
    { metrics, pods }: { metrics: AgentMetrics; pods: Agent["pods"] },
  ): void {
    const { applied, program, situation, waited, sinceSeen } = programmed;
    const isFirst = this.#last === undefined;
    this.#last = { programmed, at: new Date() };
    this.#failing = undefined;
    metrics.applySeconds.observe({ kind: wrote[applied.kind] }, sinceSeen / 1000);
    for (const milliseconds of waited) metrics.programmingWindow.observe(milliseconds / 1000);
    metrics.generation.set(applied.generation);
    metrics.pods.set({ state: "programmed" }, pods.programmed);
    metrics.pods.set({ state: "waiting" }, pods.waiting);
    metrics.policies.set(situation.policies.length);
    metrics.rules.set(program.book.size);
    metrics.sourceChanged.setToCurrentTime();
    for (const difference of applied.unfaithful ?? [])
      this.log.error(
        { difference },
        "nft lists the table differently from what was written; please report this",
      );
    // Most changes in a cluster do not affect this node.
    const level = applied.kind === "unchanged" && !isFirst ? "debug" : "info";
    this.log[level](
      {
        wrote: wrote[applied.kind],
        ...(applied.because === undefined ? {} : { because: applied.because }),
        table: applied.table,
        generation: applied.generation,
        milliseconds: Math.round(sinceSeen),
        nft: Math.round(applied.milliseconds.nft),
        pods: pods.programmed,
        newPods: waited.length,
        policies: situation.policies.length,
        rules: program.book.size,
      },
      "rules are in the kernel",
    );
  }

  failed(cause: unknown, retryIn: number, metrics: AgentMetrics): void {
    this.#failing = messageOf(cause);
    metrics.applyFailures.inc();
    this.log.error(
      { retryInMilliseconds: retryIn, ...(isBug(cause) ? { stack: cause.stack } : {}) },
      `cannot write the rules to the kernel, which keeps the previous rules: ${this.#failing}`,
    );
  }

  drifted({ differences, repaired }: Drift, metrics: AgentMetrics | undefined): void {
    this.#repairs++;
    metrics?.driftRepairs.inc();
    const fields = { differences: differences.slice(0, 5), count: differences.length };
    if (repaired === undefined)
      this.log.warn(fields, "another process changed the table; the next rules replace it");
    else if (repaired.ok) this.log.warn(fields, "another process changed the table; it was repaired");
    else
      this.log.error(
        fields,
        `another process changed the table, and it cannot be repaired: ${repaired.message}`,
      );
  }

  status(node: EnforcedNode, pods: Agent["pods"], source: readonly SourceStatus[]): AgentStatus {
    const { table, observer, dns } = node;
    const problems = node.problems.present;
    const last = this.#last;
    const audit = observer.auditFigures;
    const until = table.trialUntil;
    return {
      version: 1,
      at: new Date().toISOString(),
      node: this.options.node.node,
      since: this.#since.toISOString(),
      table: table.name ?? this.options.table,
      generation: table.generation,
      shadow: this.options.node.shadow,
      unknownPods: unknownPodsOf(this.options),
      pods,
      policies: last?.programmed.situation.policies.length ?? 0,
      rules: last?.programmed.program.book.size ?? 0,
      ...(last === undefined ? {} : { lastApply: lastApply(last) }),
      ...(this.#failing === undefined ? {} : { failing: this.#failing }),
      ...(problems.length === 0 ? {} : { problems }),
      driftRepairs: this.#repairs,
      ...(until === undefined ? {} : { trial: { until: wallClock(until).toISOString() } }),
      source,
      ...(audit === undefined ? {} : { audit }),
      cutConnections: observer.cutConnections,
      ...(observer.lastCut.length === 0 ? {} : { lastCut: observer.lastCut }),
      ...(dns.queries === 0 ? {} : { dns: dnsFigures(last?.programmed, dns) }),
      memory: process.memoryUsage.rss(),
    };
  }
}

function unknownPodsOf({ node }: AgentOptions): NonNullable<AgentStatus["unknownPods"]> {
  const { unknownPods: verdict, unknownPodsPassAfter: passAfter } = node;
  return { verdict, ...(passAfter === undefined ? {} : { passAfter }) };
}

/** An error in the agent itself, such as a TypeError. What the kernel refuses is a plain Error. */
const isBug = (cause: unknown): cause is Error => cause instanceof Error && cause.name !== "Error";

const wallClock = (monotonic: number): Date => new Date(Date.now() + monotonic - performance.now());

function lastApply({ programmed, at }: { readonly programmed: Programmed; readonly at: Date }) {
  const { applied, sinceSeen } = programmed;
  return { at: at.toISOString(), wrote: wrote[applied.kind], milliseconds: sinceSeen };
}

function dnsFigures(programmed: Programmed | undefined, { queries, addresses }: EnforcedNode["dns"]) {
  return { names: programmed?.program.names.length ?? 0, queries, addresses };
}
