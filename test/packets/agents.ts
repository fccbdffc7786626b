import { setTimeout as sleep } from "node:timers/promises";
import type { State } from "@tierwall/core/state";
import {
  type Applied,
  frame,
  KernelTable,
  NodeCompiler,
  type NodeOptions,
  type NodeProgram,
  type Outcome,
} from "@tierwall/agent";
import { isStamped } from "../../packages/agent/src/ruleset/connection-mark.js";
import { changesText } from "../../packages/agent/src/ruleset/set-change.js";
import { resolvedPairs, usualOptions, withoutNames } from "./enforce.js";
import type { Lab } from "./lab/lab.js";

interface Agent {
  readonly compiler: NodeCompiler;
  readonly table: KernelTable;
  readonly options: NodeOptions;
}

/** What an agent has in it, on each node of a lab: a compiler with a past, and a table that is changed in place. */
export class Agents {
  private constructor(private readonly agents: readonly Agent[]) {}

  static async start(lab: Lab, connectionMask = usualOptions.connectionMask): Promise<Agents> {
    const agents: Agent[] = [];
    for (const { name, space } of lab.plan.nodes) {
      const options = { ...usualOptions, connectionMask, node: name };
      const opened = await KernelTable.open({
        table: "tierwall",
        connectionMask,
        enter: ["nsenter", `--net=/run/netns/${space}`],
        // The lab sees to its bridges itself.
        bridges: () => ({ ok: true, value: [] }),
      });
      const compiler = new NodeCompiler(options, () => ({ audit: "denied", shadow: false }));
      agents.push({ compiler, options, table: valueOf(opened) });
    }
    return new Agents(agents);
  }

  apply(state: State): Promise<readonly Applied[]> {
    return Promise.all(this.agents.map((agent) => applyOn(agent, state)));
  }

  /** Waits until connections are stamped, and answers with what, on the first node. */
  async stamping(): Promise<number> {
    for (const { table, options } of this.agents)
      while (!isStamped(options.connectionMask, table.generation)) await sleep(5);
    return this.agents[0]!.table.generation;
  }

  async stop(): Promise<void> {
    await Promise.all(this.agents.map(({ table }) => table.close()));
  }
}

async function applyOn({ compiler, table, options }: Agent, state: State): Promise<Applied> {
  const program: NodeProgram = compiler.compile(withoutNames(state.cluster), state.tiers);
  const applied = valueOf(
    await table.apply((generation, place) => frame(program, options, generation, {}, place)),
  );
  if (applied.unfaithful !== undefined) throw new Error(applied.unfaithful.join("\n"));
  for (const names of program.names)
    for (const [family, pairs] of resolvedPairs(names, state.cluster.facts.dns ?? []))
      for (const set of [names.fresh[family], names.kept[family]])
        valueOf(
          await table.changeElements(({ name }) =>
            changesText(
              pairs.map((key) => ({ kind: "renew", set, element: { key, milliseconds: 3_600_000 } })),
              name,
            ),
          ),
        );
  return applied;
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}
