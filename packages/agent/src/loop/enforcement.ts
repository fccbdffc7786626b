import { type Address, type Cidr, parseCidr } from "@tierwall/core/model";
import type { Turn } from "../agent.js";
import type { NameService } from "../dns/name-service.js";
import type { ClusterReach } from "../dns/reach.js";
import { dnsPart } from "../dns/redirect.js";
import { changesText, type SetChange } from "../ruleset/set-change.js";
import { leftElements } from "../dns/timed-elements.js";
import type { Applied, ElementsFor, FrameOf, KernelTable } from "../kernel/kernel-table.js";
import type { Outcome } from "../kernel/outcome.js";
import { type Additions, frame } from "../ruleset/frame.js";
import type { NodeProgram } from "../ruleset/program.js";
import { nameServers } from "./name-servers.js";

interface EnforcementParts {
  readonly table: KernelTable;
  readonly names: NameService;
  readonly reach: ClusterReach;
  readonly dnsServers: readonly Address[];
}

/** Gives a program to the kernel: its rules in one transaction, and what pods learn from DNS before and after it. */
export class Enforcement {
  #namesInUse = false;
  #adopted = false;

  constructor(private readonly parts: EnforcementParts) {}

  enforce(turn: Turn): Promise<Outcome<Applied>> {
    return this.#through(turn, (frameOf, elementsFor) => this.parts.table.apply(frameOf, elementsFor));
  }

  /** The same on trial, for so many milliseconds. */
  tryOut(turn: Turn, milliseconds: number): Promise<Outcome<Applied>> {
    return this.#through(turn, (frameOf) => this.parts.table.startTrial(frameOf, milliseconds / 1000));
  }

  async #through(
    turn: Turn,
    give: (frameOf: FrameOf, elementsFor: ElementsFor) => Promise<Outcome<Applied>>,
  ): Promise<Outcome<Applied>> {
    const { names, reach, dnsServers } = this.parts;
    const { program, situation } = turn;
    reach.update(situation.cluster, situation.tiers, podRangesOf(turn));
    if (!this.#adopted) await this.#adopt(program);
    // The next generation judges all connections anew: those that names allowed stand on what is kept for them (S8.4).
    if (this.#namesInUse) await names.refreshKept();
    const elementsFor: ElementsFor = (table) => {
      // Sets that are there keep what they hold.
      const lacking = program.names.filter(({ fresh }) => table.held?.sets.has(fresh[4]) !== true);
      return elementsText(names.elementsOf(lacking), table);
    };
    const applied = await give(frameFor(turn), elementsFor);
    if (applied.ok && (this.#namesInUse || program.names.length > 0)) {
      this.#namesInUse = program.names.length > 0;
      await names.use(program.names, nameServers(situation.cluster, dnsServers));
    }
    return applied;
  }

  /** What pods learned while an agent before this one ran is still in the kernel, in the sets that were there then. */
  async #adopt({ names: sets }: NodeProgram): Promise<void> {
    this.#adopted = true;
    const { table, names } = this.parts;
    if (table.name === undefined) return;
    for (const set of sets.flatMap(({ fresh, kept }) => [fresh[4], fresh[6], kept[4], kept[6]])) {
      const left = await leftElements(table.name, set);
      if (left.ok) names.adopt(left.value);
    }
  }
}

/** Of all nodes: an address in there may become that of a pod at any moment. */
function podRangesOf({ situation, options }: Turn): readonly Cidr[] {
  const ofNodes = [...situation.podRanges.values()].flat();
  return [...options.localRanges, ...ofNodes.flatMap((text) => parseCidr(text) ?? [])];
}

/** All of the table that a program makes, but for its generation and its place. */
export function frameFor({ program, options }: Pick<Turn, "program" | "options">): FrameOf {
  const additions: Additions =
    program.names.length === 0
      ? {}
      : { beforeInput: dnsPart.input, beforeOutput: dnsPart.output, extra: dnsPart.ruleset };
  return (generation, place) => frame(program, options, generation, additions, place);
}

/** During a trial there are two tables, and each takes what it has sets for. */
export function elementsText(
  changes: readonly SetChange[],
  { name, ruleset }: Parameters<ElementsFor>[0],
): string {
  return changesText(
    changes.filter(({ set }) => ruleset.sets.has(set)),
    name,
  );
}
