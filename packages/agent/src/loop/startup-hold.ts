import { type Cidr, formatCidr, parseCidr } from "@tierwall/core/model";
import { LiveState } from "@tierwall/core/state";
import type { Logger } from "pino";
import { NodeCompiler } from "../compile/node-compiler.js";
import type { KernelTable } from "../kernel/kernel-table.js";
import type { NodeOptions } from "../ruleset/program.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { knownPods } from "../ruleset/vocabulary.js";
import { modesOf } from "../observe/decider.js";
import { frameFor } from "./enforcement.js";
import { sameRanges } from "./range-trust.js";

interface StartupHoldParts {
  readonly table: Pick<KernelTable, "applyBefore">;
  readonly options: NodeOptions;
  /** The ranges that the Node had when an agent last ran. */
  readonly memory: {
    readonly ranges: readonly Cidr[];
    /** Whether pods contradicted these ranges. */
    readonly doubted: boolean;
    keep(ranges: readonly Cidr[], doubted: boolean): void;
  };
  readonly log: Logger;
  /** After this many milliseconds without rules, a warning explains what to do. */
  readonly warnAfter?: number;
}

/**
 * Denies pods before the first rules. The kernel of a node that was just started has no rules, and its pods can start before
 * their policies are read. So the agent first loads the table of a cluster without pods, as soon as it knows the ranges of the
 * node's pods.
 */
export class StartupHold {
  readonly #configured: readonly Cidr[];
  #ranges: readonly Cidr[] = [];
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: StartupHoldParts) {
    this.#configured = parts.options.localRanges;
  }

  /** With the ranges that are known before the cluster is read. */
  begin(): Promise<void> {
    return this.#hold(this.#configured.length > 0 ? this.#configured : this.parts.memory.ranges);
  }

  /** The Node of this name was read; reading everything else can take long. */
  async nodeSeen(name: string, podRanges: readonly string[]): Promise<void> {
    if (this.#isOver || name !== this.parts.options.node || this.#configured.length > 0) return;
    const ranges = podRanges.flatMap((text) => parseCidr(text) ?? []);
    if (ranges.length > 0 && !sameRanges(ranges, this.#ranges)) await this.#hold(ranges);
  }

  /** Rules are in the kernel, for a node with these ranges. */
  over(ranges: readonly Cidr[], doubted: boolean): void {
    this.stop();
    this.parts.memory.keep(ranges, doubted);
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #hold(ranges: readonly Cidr[]): Promise<void> {
    this.#ranges = ranges;
    const { memory } = this.parts;
    // Ranges that pods contradicted cannot be trusted before the first rules.
    const localRanges = memory.doubted && sameRanges(ranges, memory.ranges) ? [] : ranges;
    const options = { ...this.parts.options, localRanges };
    const holds = options.unknownPods === "deny" && !options.shadow;
    const { cluster, tiers } = new LiveState({}).moment();
    const program = new NodeCompiler(options, modesOf).compile(cluster, tiers);
    const applied = await this.parts.table.applyBefore(frameFor({ program, options }), (held) => {
      if (this.#isOver || (holds && localRanges.length === 0)) return false;
      return held === undefined ? holds : hasNoKnownPods(held);
    });
    if (!applied.ok) this.parts.log.error(`cannot deny pods until there are rules: ${applied.message}`);
    else if (applied.value !== undefined && holds) this.#report(localRanges);
  }

  #report(ranges: readonly Cidr[]): void {
    const { log, warnAfter = 10_000 } = this.parts;
    const podRanges = ranges.map(formatCidr);
    log.info({ podRanges }, "pods of this node are denied until their rules are known");
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(
      () =>
        log.warn(
          { podRanges },
          "there are still no rules, and pods of this node are denied: `tierwall agent status` shows what is missing; " +
            "with --unknown-pods allow they are allowed until there are rules; while no agent runs, `tierwall agent --cleanup` removes all rules",
        ),
      warnAfter,
    ).unref();
  }
}

/**
 * Whether a table is from an agent that ended before its first rules, or from a node without pods. It is replaced according to
 * the options of this agent; otherwise pods could not be allowed while the cluster is unreachable.
 */
function hasNoKnownPods({ sets }: Ruleset): boolean {
  const known = [knownPods[4], knownPods[6]].flatMap((name) => sets.get(name) ?? []);
  return known.length > 0 && known.every(({ elements }) => elements !== "learned" && elements.size === 0);
}
