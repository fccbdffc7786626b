import { frame, KernelTable, NodeCompiler, type NodeOptions, type NodeProgram } from "@tierwall/agent";
import { type Inventory, parseCidr, type Tiers } from "@tierwall/core/model";
import { benchNode } from "./cluster.js";

/** Milliseconds from a changed cluster to the kernel: computing what to change, and having nft change it. */
export interface Turn {
  readonly compute: number;
  readonly nft: number;
}

const plainOptions: NodeOptions = {
  node: benchNode,
  connectionMask: 0xffff0000,
  deny: "drop",
  unknownPods: "deny",
  localRanges: [parseCidr("10.127.255.0/24")!],
  shadow: false,
  log: { group: 465, perSecond: 10, burst: 10 },
};

/** A node as the agent programs it: the compiler and the kernel's table, without the agent around them. */
export class ProgrammedNode {
  private readonly compiler: NodeCompiler;
  private program: NodeProgram | undefined;

  private constructor(
    private readonly table: KernelTable,
    private readonly options: NodeOptions,
  ) {
    this.compiler = new NodeCompiler(options, () => ({ audit: "denied", shadow: false }));
  }

  static async open(
    namespace: string,
    table = "tierwall",
    more: Partial<NodeOptions> = {},
  ): Promise<ProgrammedNode> {
    const options = { ...plainOptions, ...more };
    const opened = await KernelTable.open({
      table,
      connectionMask: options.connectionMask,
      enter: ["ip", "netns", "exec", namespace],
    });
    if (!opened.ok) throw new Error(opened.message);
    return new ProgrammedNode(opened.value, options);
  }

  async enforce(cluster: Inventory, tiers: Tiers): Promise<Turn> {
    const start = performance.now();
    const program = this.compiler.compile(cluster, tiers);
    const compiled = performance.now() - start;
    const applied = await this.table.apply((generation, place) =>
      frame(program, this.options, generation, {}, place),
    );
    if (!applied.ok) throw new Error(applied.message);
    if (applied.value.unfaithful !== undefined) throw new Error(applied.value.unfaithful[0]);
    this.program = program;
    const { compute, nft } = applied.value.milliseconds;
    return { compute: compiled + compute, nft };
  }

  /** Elements of all maps, chains and counters that the node holds. */
  get size(): { readonly elements: number; readonly chains: number; readonly counters: number } {
    const { sets, chains, counters } = this.program!.ruleset;
    const elements = [...sets.values()].reduce(
      (sum, { elements }) => sum + (elements === "learned" ? 0 : elements.size),
      0,
    );
    return { elements, chains: chains.size, counters: counters.size };
  }

  async readCounters(): Promise<number> {
    const start = performance.now();
    const read = await this.table.counters();
    if (!read.ok) throw new Error(read.message);
    return performance.now() - start;
  }

  /** Its rules stay, without an agent. */
  async leave(): Promise<void> {
    await this.table.close();
  }

  /** Takes everything out of the kernel. */
  async close(): Promise<void> {
    await this.table.cleanup();
    await this.table.close();
  }
}
