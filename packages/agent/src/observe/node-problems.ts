import type { Logger } from "pino";
import type { AgentMetrics } from "./metrics.js";

/** Problems with the network of a node that the agent cannot fix, by kind. */
const problemKinds = ["pod-range", "shared-addresses", "ipvs", "bridges", "flowtables"] as const;
type ProblemKind = (typeof problemKinds)[number];

export interface NodeProblem {
  readonly kind: ProblemKind;
  /** What is wrong, its consequence, and what to do. */
  readonly message: string;
  /** When it was first seen. */
  readonly since: string;
}

/** With these, some packets bypass the rules: the agent is not ready. */
const blocking: readonly ProblemKind[] = ["ipvs"];

/** A message that keeps changing is logged at most this often, in milliseconds; the status always has the latest. */
const quietFor = 60_000;

/** The current problems: for the log, the metrics, the status, and readiness. */
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

  /** `message`: undefined if there is no problem of this kind. */
  report(kind: ProblemKind, message: string | undefined): void {
    const before = this.#present.get(kind);
    if (before?.message === message) return;
    this.gauge.set({ kind }, message === undefined ? 0 : 1);
    if (message === undefined) {
      this.#present.delete(kind);
      this.#logged.delete(kind);
      this.log.info({ problem: kind }, `resolved: ${before!.message}`);
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
