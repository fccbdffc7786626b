import { type Address, type Cidr, formatAddress, type Inventory, parseCidr } from "@tierwall/core/model";
import type { Turn } from "../agent.js";
import type { NameService } from "../dns/name-service.js";
import type { ClusterReach } from "../dns/reach.js";
import { dnsPart, type SocketAddress } from "../dns/redirect.js";
import type { Applied, ElementsFor, FrameOf, KernelTable } from "../kernel/kernel-table.js";
import { leftElements } from "../kernel/learned.js";
import type { Outcome } from "../kernel/outcome.js";
import { type Additions, frame } from "../ruleset/frame.js";
import type { NodeProgram } from "../ruleset/program.js";
import { changesText, type SetChange } from "../ruleset/set-change.js";

interface EnforcementParts {
  readonly table: KernelTable;
  readonly names: NameService;
  readonly reach: ClusterReach;
  readonly dnsServers: readonly Address[];
}

/** Writes a program to the kernel: its rules in one transaction, and the elements that DNS answers gave. */
export class Enforcement {
  #namesInUse = false;
  #adopted = false;

  constructor(private readonly parts: EnforcementParts) {}

  enforce(turn: Turn): Promise<Outcome<Applied>> {
    return this.#through(turn, (frameOf, elementsFor) => this.parts.table.apply(frameOf, elementsFor));
  }

  /** The same on trial, for the given number of milliseconds. */
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
    // The next generation judges all connections again. Those that a name allowed need the elements of the kept sets (S8.4).
    if (this.#namesInUse) await names.refreshKept();
    const elementsFor: ElementsFor = (table) => {
      // Existing sets keep their elements.
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

  /** Reads what pods learned while an earlier agent ran: it is still in the sets of the kernel. */
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

/** Of all nodes: an address in one of these ranges can become that of a pod at any time. */
function podRangesOf({ situation, options }: Turn): readonly Cidr[] {
  const ofNodes = [...situation.podRanges.values()].flat();
  return [...options.localRanges, ...ofNodes.flatMap((text) => parseCidr(text) ?? [])];
}

/** The table of a program, as a function of its generation and its place. */
export function frameFor({ program, options }: Pick<Turn, "program" | "options">): FrameOf {
  const additions: Additions =
    program.names.length === 0
      ? {}
      : { beforeInput: dnsPart.input, beforeOutput: dnsPart.output, extra: dnsPart.ruleset };
  return (generation, place) => frame(program, options, generation, additions, place);
}

/** During a trial there are two tables. Each gets the changes of the sets that it has. */
export function elementsText(
  changes: readonly SetChange[],
  { name, ruleset }: Parameters<ElementsFor>[0],
): string {
  return changesText(
    changes.filter(({ set }) => ruleset.sets.has(set)),
    name,
  );
}

/** The servers whose answers are trusted (S8.4): the configured ones, otherwise the DNS Service of the cluster. */
export function nameServers(cluster: Inventory, configured: readonly Address[]): readonly SocketAddress[] {
  const addresses = configured.length > 0 ? configured : clusterDns(cluster);
  return [...new Set(addresses.map(formatAddress))].toSorted().map((address) => ({ address, port: 53 }));
}

function clusterDns({ services }: Inventory): readonly Address[] {
  const service = services.find(({ namespace, name }) => namespace === "kube-system" && name === "kube-dns");
  if (service === undefined) return [];
  return [...service.addresses, ...(service.endpoints ?? []).map(({ address }) => address)];
}
