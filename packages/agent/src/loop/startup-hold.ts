import { type Cidr, formatCidr, parseCidr } from "@tierwall/core/model";
import { LiveState } from "@tierwall/core/state";
import type { Logger } from "pino";
import { NodeCompiler } from "../compile/node-compiler.js";
import type { KernelTable } from "../kernel/kernel-table.js";
import type { NodeOptions } from "../ruleset/program.js";
import type { Ruleset } from "../ruleset/ruleset.js";
import { knownPods } from "../ruleset/vocabulary.js";
import { modesOf } from "../observe/modes.js";
import { frameFor } from "./enforcement.js";
import { sameRanges } from "./local-ranges.js";

interface StartupHoldParts {
  readonly table: Pick<KernelTable, "applyBefore">;
  readonly options: NodeOptions;
  /** The ranges that the Node had when an agent last knew them, and whom to tell of others. */
  readonly memory: {
    readonly ranges: readonly Cidr[];
    /** Pods were seen that contradict these ranges. */
    readonly doubted: boolean;
    keep(ranges: readonly Cidr[], doubted: boolean): void;
  };
  readonly log: Logger;
  /** After so many milliseconds without rules it is said what can be done. */
  readonly patience?: number;
}

/**
 * The time before the first rules. A node that was just started has none in its kernel, and its pods may be quicker than whoever
 * says what they may do: so the table of a cluster in which nobody is known comes first, as soon as the ranges of the
 * node's pods are known.
 */
export class StartupHold {
  readonly #configured: readonly Cidr[];
  #ranges: readonly Cidr[] = [];
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: StartupHoldParts) {
    this.#configured = parts.options.localRanges;
  }

  /** By what is known before anybody is asked. */
  begin(): Promise<void> {
    return this.#hold(this.#configured.length > 0 ? this.#configured : this.parts.memory.ranges);
  }

  /** The Node of this name was read, and all else may be long in coming. */
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
    // Of ranges that were contradicted nothing is known before the first rules, so they say nothing about unknown pods.
    const localRanges = memory.doubted && sameRanges(ranges, memory.ranges) ? [] : ranges;
    const options = { ...this.parts.options, localRanges };
    const holds = options.unknownPods === "deny" && !options.shadow;
    const { cluster, tiers } = new LiveState({}).moment();
    const program = new NodeCompiler(options, modesOf).compile(cluster, tiers);
    const applied = await this.parts.table.applyBefore(frameFor({ program, options }), (held) => {
      if (this.#isOver || (holds && localRanges.length === 0)) return false;
      return held === undefined ? holds : hasNoKnownPods(held);
    });
    if (!applied.ok)
      this.parts.log.error(`pods cannot be held back until there are rules: ${applied.message}`);
    else if (applied.value !== undefined && holds) this.#say(localRanges);
  }

  #say(ranges: readonly Cidr[]): void {
    const { log, patience = 10_000 } = this.parts;
    const podRanges = ranges.map(formatCidr);
    log.info({ podRanges }, "pods of this node are held back until it is known what they may do");
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#timer = setTimeout(
      () =>
        log.warn(
          { podRanges },
          "there are still no rules, and pods of this node are held back: `tierwall agent status` says what is missing; " +
            "with --unknown-pods allow they pass until there are, and `tierwall agent --cleanup` lets everything pass while no agent runs",
        ),
      patience,
    ).unref();
  }
}

/**
 * What an agent left behind that ended before its first rules, or one on a node without pods. It gives way to what this agent was
 * told, lest nobody could let pods pass while the cluster is out of reach.
 */
function hasNoKnownPods({ sets }: Ruleset): boolean {
  const known = [knownPods[4], knownPods[6]].flatMap((name) => sets.get(name) ?? []);
  return known.length > 0 && known.every(({ elements }) => elements !== "learned" && elements.size === 0);
}
