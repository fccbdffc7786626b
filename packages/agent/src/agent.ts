import type { Inventory, Tiers } from "@tierwall/core/model";
import { Delivery, type Situation, type SituationSource } from "@tierwall/kube";
import type { Logger } from "pino";
import type { Applied } from "./kernel/kernel-table.js";
import type { Outcome } from "./kernel/outcome.js";
import { ProgrammingWindow } from "./loop/programming-window.js";
import { localRanges, RangeTrust, sameRanges, sourceOf } from "./loop/range-trust.js";
import type { NodeProblems } from "./observe/node-problems.js";
import type { NodeOptions, NodeProgram } from "./ruleset/program.js";

/*
 *   source ──► situation ──► compiler ──► program ──► table ──► kernel
 *                 │                         │
 *                 │    the latest wins,     ├──► names: the sets that DNS answers fill
 *                 └──  one at a time        └──► observers: metrics, audit log, hits
 *
 * A turn that fails leaves the rules in the kernel as they are, and is retried.
 */

interface Compiler {
  compile(cluster: Inventory, tiers: Tiers): NodeProgram;
}

/** One update: a state of the cluster, and the program that it gives for this node. */
export interface Turn {
  readonly situation: Situation;
  readonly program: NodeProgram;
  readonly options: NodeOptions;
}

export interface Programmed extends Turn {
  readonly applied: Applied;
  /** From the moment the first change was seen until the kernel has all of them, in milliseconds. */
  readonly sinceSeen: number;
  /** How long each pod that is new in the kernel waited for its rules, in milliseconds. */
  readonly waited: readonly number[];
}

export interface AgentParts {
  /** `localRanges`: the configured ranges; if there are none, those of the Node object are used. */
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

export class Agent {
  readonly #window: ProgrammingWindow;
  readonly #turns: Delivery;
  readonly #now: () => number;
  readonly #trust: RangeTrust;
  #latest: Situation | undefined;
  #endOfDoubt: NodeJS.Timeout | undefined;
  #compiler: { readonly of: NodeOptions; readonly compiler: Compiler } | undefined;

  constructor(private readonly parts: AgentParts) {
    this.#now = parts.now ?? (() => performance.now());
    this.#window = new ProgrammingWindow(parts.options.node);
    this.#trust = new RangeTrust(parts.options.node, this.#now, sourceOf(parts.options.localRanges));
    this.#turns = new Delivery((since) => this.#turn(since), undefined, parts.onFailure);
  }

  get pods(): { readonly programmed: number; readonly waiting: number } {
    return { programmed: this.#window.programmed, waiting: this.#window.waiting };
  }

  /** Resolves after the first state was seen and the first attempt to write it to the kernel ended. */
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
    return this.#turns.now(situation.since);
  }

  /** `since`: when its first change was seen; after a failure, the first one that is not in the kernel. */
  async #turn(since: number): Promise<void> {
    const situation = this.#latest;
    if (situation === undefined) return;
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

  /** In a quiet cluster there is no new situation, so a timer ends the doubt about the pod ranges. */
  #awaitEndOfDoubt(): void {
    clearTimeout(this.#endOfDoubt);
    const { endsIn } = this.#trust;
    if (endsIn === undefined) return;
    this.#endOfDoubt = setTimeout(() => void this.#turns.now(this.#now()), endsIn).unref();
  }

  /** A compiler keeps its results between turns. A new one is needed only when the pod ranges change. */
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
      for (const warning of optionWarnings(of, situation.cluster)) this.parts.log.warn(warning);
      this.#compiler = { of, compiler: compilerFor(of) };
    }
    return { options: this.#compiler.of, compiler: this.#compiler.compiler };
  }
}

/** The number of addresses that the message names. */
const mostNamed = 3;

// S1.17
function sharedMessage(shared: NodeProgram["sharedAddresses"]): string | undefined {
  if (shared.size === 0) return undefined;
  const named = [...shared].slice(0, mostNamed).map(([address, pods]) => `${address} (${pods.join(", ")})`);
  const more = shared.size > mostNamed ? ` and ${shared.size - mostNamed} more` : "";
  return (
    `several pods report the same address: ${named.join(", ")}${more}; a connection is allowed only if it is allowed for each of them, ` +
    "until all except one are deleted or report another address"
  );
}

/** Warnings about options that do not fit the node. */
export function optionWarnings(
  options: Pick<NodeOptions, "node" | "unknownPods" | "localRanges" | "forgedSources">,
  { nodes }: Pick<Inventory, "nodes">,
): readonly string[] {
  const { node, unknownPods, localRanges, forgedSources } = options;
  return [
    ...(nodes.has(node) ? [] : [`there is no node ${node}, and no pod runs on it: check --node`]),
    ...(localRanges.length > 0 || unknownPods === "allow"
      ? []
      : [
          `node ${node} has no podCIDRs, and --pod-range is not set: unknown pods cannot be distinguished from other addresses and are not denied`,
        ]),
    ...(localRanges.length > 0 && unknownPods === "deny" && forgedSources === "pass"
      ? [
          "the rules cannot check through which device an address is reached, because this kernel is older than Linux 5.19: a pod that sends from a spoofed address can evade its egress rules; set net.ipv4.conf.all.rp_filter=1, and see docs/explanation/agent/attackers.md",
        ]
      : []),
  ];
}
