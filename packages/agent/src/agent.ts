import type { Inventory, Tiers } from "@tierwall/core/model";
import type { Situation, SituationSource } from "@tierwall/kube";
import type { Logger } from "pino";
import type { Applied } from "./kernel/kernel-table.js";
import type { Outcome } from "./kernel/outcome.js";
import { LatestWins } from "./loop/latest-wins.js";
import { localRanges, sameRanges } from "./loop/local-ranges.js";
import { optionWarnings } from "./loop/option-warnings.js";
import { ProgrammingWindow } from "./loop/programming-window.js";
import { RangeTrust, sourceOf } from "./loop/range-trust.js";
import type { NodeOptions, NodeProgram } from "./ruleset/program.js";
import type { NodeProblems } from "./observe/node-problems.js";

/*
 *   source ──► situation ──► compiler ──► program ──► table ──► kernel
 *                 │                         │
 *                 │    the latest wins,     ├──► names: what DNS answers go into
 *                 └──  one at a time        └──► watchers: metrics, audit log, hits
 *
 * A turn that fails leaves the kernel with the rules it has, and is tried again.
 */

interface Compiler {
  compile(cluster: Inventory, tiers: Tiers): NodeProgram;
}

/** What a turn is about: a state of the cluster, and what it means for this node. */
export interface Turn {
  readonly situation: Situation;
  readonly program: NodeProgram;
  readonly options: NodeOptions;
}

export interface Programmed extends Turn {
  readonly applied: Applied;
  /** From the first of the changes being seen to the kernel having them all, in milliseconds. */
  readonly sinceSeen: number;
  /** How long each pod that is new in the kernel waited for its rules, in milliseconds. */
  readonly waited: readonly number[];
}

export interface AgentParts {
  /** The ranges of the node's pods: those given, or, if there are none, those of its Node object. */
  readonly options: NodeOptions;
  readonly source: SituationSource;
  readonly compilerFor: (options: NodeOptions) => Compiler;
  readonly enforce: (turn: Turn) => Promise<Outcome<Applied>>;
  readonly onProgrammed: (programmed: Programmed) => void;
  readonly onFailure: (cause: unknown, retryIn: number) => void;
  readonly onProblem: NodeProblems["report"];
  readonly log: Logger;
  readonly now?: () => number;
}

/** A situation, and since when what it changes has been waiting: longer than it is old itself, after a failure. */
interface Waiting {
  readonly situation: Situation;
  readonly since: number;
}

export class Agent {
  readonly #window: ProgrammingWindow;
  readonly #turns: LatestWins<Waiting>;
  readonly #now: () => number;
  readonly #trust: RangeTrust;
  #latest: Situation | undefined;
  #endOfDoubt: NodeJS.Timeout | undefined;
  #compiler: { readonly of: NodeOptions; readonly compiler: Compiler } | undefined;

  constructor(private readonly parts: AgentParts) {
    this.#now = parts.now ?? (() => performance.now());
    this.#window = new ProgrammingWindow(parts.options.node);
    this.#trust = new RangeTrust(parts.options.node, this.#now, sourceOf(parts.options.localRanges));
    this.#turns = new LatestWins((waiting) => this.#turn(waiting), {
      merge: (waiting, { situation, since }) => ({ situation, since: Math.min(waiting.since, since) }),
      onFailure: parts.onFailure,
    });
  }

  get pods(): { readonly programmed: number; readonly waiting: number } {
    return { programmed: this.#window.programmed, waiting: this.#window.waiting };
  }

  /** Resolves when the first state was seen and the kernel holds it, or could not be given it yet. */
  async start(): Promise<void> {
    await this.parts.source.start((situation) => this.#take(situation));
  }

  /** The rules stay in the kernel. */
  async stop(): Promise<void> {
    await this.parts.source.stop();
    clearTimeout(this.#endOfDoubt);
    this.#latest = undefined;
    await this.#turns.stop();
  }

  #take(situation: Situation): Promise<void> {
    this.#latest = situation;
    this.#window.seen(situation.cluster, situation.since);
    return this.#turns.offer({ situation, since: situation.since });
  }

  async #turn({ situation, since }: Waiting): Promise<void> {
    const { options, compiler } = this.#compilerFor(situation);
    this.#awaitEndOfDoubt();
    const program = compiler.compile(situation.cluster, situation.tiers);
    const turn = { situation, program, options };
    this.parts.onProblem("shared-addresses", sharedMessage(program.sharedAddresses));
    const applied = await this.parts.enforce(turn);
    if (!applied.ok) throw new Error(applied.message);
    const now = this.#now();
    const waited = this.#window.reached(situation.cluster, now, applied.value.kind !== "unchanged");
    this.parts.onProgrammed({ ...turn, applied: applied.value, waited, sinceSeen: now - since });
  }

  /** In a quiet cluster no situation comes that would end the doubt about the pod ranges. */
  #awaitEndOfDoubt(): void {
    clearTimeout(this.#endOfDoubt);
    const { endsIn } = this.#trust;
    if (endsIn === undefined) return;
    this.#endOfDoubt = setTimeout(() => {
      if (this.#latest !== undefined) void this.#turns.offer({ situation: this.#latest, since: this.#now() });
    }, endsIn).unref();
  }

  /** A compiler remembers what it compiled; only other ranges of pods need a new one. */
  #compilerFor(situation: Situation): { readonly options: NodeOptions; readonly compiler: Compiler } {
    const { options, compilerFor } = this.parts;
    const ranges = localRanges(options.node, options.localRanges, situation);
    const doubt = options.unknownPods === "deny" ? this.#trust.doubt(situation.cluster, ranges) : undefined;
    this.parts.onProblem("pod-range", doubt);
    const before = this.#compiler?.of;
    const isSame =
      before !== undefined &&
      sameRanges(before.localRanges, ranges) &&
      (before.rangesDoubted === true) === (doubt !== undefined);
    if (this.#compiler === undefined || !isSame) {
      const of: NodeOptions = {
        ...options,
        localRanges: ranges,
        ...(doubt === undefined ? {} : { rangesDoubted: true }),
      };
      for (const doubt of optionWarnings(of, situation.cluster)) this.parts.log.warn(doubt);
      this.#compiler = { of, compiler: compilerFor(of) };
    }
    return { options: this.#compiler.of, compiler: this.#compiler.compiler };
  }
}

/** So many addresses are named. */
const mostNamed = 3;

// S1.17
function sharedMessage(shared: NodeProgram["sharedAddresses"]): string | undefined {
  if (shared.size === 0) return undefined;
  const named = [...shared].slice(0, mostNamed).map(([address, pods]) => `${address} (${pods.join(", ")})`);
  const more = shared.size > mostNamed ? ` and ${shared.size - mostNamed} more` : "";
  return (
    `several pods report the same address: ${named.join(", ")}${more}; a connection passes there only if it is allowed for each of them, ` +
    "until all but one are deleted or report another address"
  );
}
