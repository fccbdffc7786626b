import type { Logger } from "pino";
import type { AgentMetrics } from "./metrics.js";

/** What is wrong with a node's network in a way that the agent cannot fix, by what it concerns. */
const problemKinds = ["pod-range", "shared-addresses", "ipvs", "bridges", "flowtables"] as const;
type ProblemKind = (typeof problemKinds)[number];

export interface NodeProblem {
  readonly kind: ProblemKind;
  /** What is wrong, what follows, and what to do. */
  readonly message: string;
  /** When it was first seen. */
  readonly since: string;
}

/** With these, rules are in the kernel and yet do not judge all packets: the agent is not ready. */
const blocking: readonly ProblemKind[] = ["ipvs"];

/** A message that keeps changing is logged this often, in milliseconds; status always has the latest. */
const quietFor = 60_000;

/** Keeps what is wrong at present: for the log, the metrics, the status, and readiness. */
export class NodeProblems {
  readonly #present = new Map<ProblemKind, NodeProblem>();
  readonly #logged = new Map<ProblemKind, number>();

  constructor(
    private readonly log: Logger,
    private readonly gauge: AgentMetrics["nodeProblem"],
    private readonly now: () => number = () => performance.now(),
  ) {
    for (const kind of problemKinds) gauge.set({ kind }, 0);
  }

  /** `message`: undefined where nothing of this kind is wrong. */
  report(kind: ProblemKind, message: string | undefined): void {
    const before = this.#present.get(kind);
    if (before?.message === message) return;
    this.gauge.set({ kind }, message === undefined ? 0 : 1);
    if (message === undefined) {
      this.#present.delete(kind);
      this.#logged.delete(kind);
      this.log.info({ problem: kind }, `no longer the case: ${before!.message}`);
      return;
    }
    this.#present.set(kind, { kind, message, since: before?.since ?? new Date().toISOString() });
    const logged = this.#logged.get(kind);
    if (logged !== undefined && this.now() - logged < quietFor) return;
    this.#logged.set(kind, this.now());
    this.log[blocking.includes(kind) ? "error" : "warn"]({ problem: kind }, message);
  }

  get present(): readonly NodeProblem[] {
    return problemKinds.flatMap((kind) => this.#present.get(kind) ?? []);
  }

  /** Why the agent is not ready. */
  get unready(): string | undefined {
    return this.present.find(({ kind }) => blocking.includes(kind))?.message;
  }
}
