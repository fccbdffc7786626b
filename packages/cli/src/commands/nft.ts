import type * as Agent from "@tierwall/agent";
import { diagnostic } from "@tierwall/core/manifest";
import { diagnosticText } from "@tierwall/core/report";
import { ownPolicies, type State } from "@tierwall/core/state";
import type { Command } from "commander";
import { type NodeFlags, nodeOptionsOf, withNodeFlags } from "../input/node-flags.js";
import { isUsable, loadState, type StateFlags, printRemarks, withStateFlags } from "../input/state.js";
import { print, styleFor, printMessage, printToStderr } from "../output/terminal.js";

interface NftFlags extends StateFlags, NodeFlags {
  readonly node: string;
  readonly annotate: boolean;
  readonly diff?: string;
}

/** The generation that a table on its own is in; on a node the agent counts on. */
const firstGeneration = 1;

export function addNft(program: Command, finish: (status: number) => void): void {
  withStateFlags(
    withNodeFlags(
      program
        .command("nft")
        .summary("the nftables ruleset that enforces the policies on one node")
        .description(
          "Prints the table that the agent would load on a node: what its pods need, and nothing else. Comments name " +
            "the policy and the rule that each part comes from. With --diff, prints what would be different if the " +
            "cluster were as in another file or folder. It writes nothing to the kernel.",
        )
        .requiredOption("--node <name>", "the node it is about"),
    )
      .option("--diff <path>", "print only what differs from the state in this file or folder")
      .option("--no-annotate", "leave out the comments"),
  )
    .addHelpText(
      "after",
      `
Examples:
  # The table of a node
  tierwall nft -f ./cluster --node worker-1

  # Would the kernel take it?
  tierwall nft -f ./cluster --node worker-1 | nft -c -f -

  # That of a node of the current cluster
  tierwall nft --node worker-1

  # What a change of policies means for a node
  tierwall nft -f ./before --node worker-1 --diff ./after

  # Remove a table that was loaded by hand with \`nft -f -\`, or by an agent that has ended
  tierwall agent --cleanup

Exit status: 0 when it was printed, or nothing differs; 1 when --diff finds a difference; 2 bad input.`,
    )
    .action(async (flags: NftFlags) => finish(await runNft(flags)));
}

async function runNft(flags: NftFlags): Promise<number> {
  // Only this command pays for it.
  const agent = await import("@tierwall/agent");
  const loaded = await loadState(flags);
  if (!isUsable(loaded, flags.verbose)) return 2;
  const table = tableOf(agent, loaded.state, flags);
  if (table === undefined) return 2;
  if (flags.diff !== undefined) return printDifference(agent, table, flags.diff, flags);
  print(
    agent.rulesetText(table.ruleset, "tierwall", flags.annotate ? table.annotations : undefined).trimEnd(),
  );
  printRemarks(loaded, flags.verbose ?? false);
  return 0;
}

async function printDifference(
  agent: typeof Agent,
  before: Table,
  path: string,
  flags: NftFlags,
): Promise<number> {
  const other = await loadState({ ...flags, filename: [path], live: false });
  if (!isUsable(other, flags.verbose)) return 2;
  const after = tableOf(agent, other.state, flags);
  if (after === undefined) return 2;
  const text = agent.differenceText(before, after);
  if (text !== "") print(text.trimEnd());
  else printMessage("nothing differs on this node");
  return text === "" ? 0 : 1;
}

type Table = NonNullable<ReturnType<typeof tableOf>>;

/** As the agent makes it of the same state and options. */
function tableOf(agent: typeof Agent, state: State, flags: NftFlags) {
  const { cluster, tiers } = ownPolicies(state); // S9.7
  const options = agent.withRanges(nodeOptionsOf(flags.node, flags), state);
  if (!cluster.nodes.has(options.node)) {
    const known = [...cluster.nodes.keys()];
    const hint = known.length === 0 ? {} : { hint: `Nodes are ${known.slice(0, 10).join(", ")}.` };
    const found = diagnostic("TW1502", `there is no node \`${options.node}\``, hint);
    printToStderr(diagnosticText(found, () => undefined, styleFor(process.stderr)));
    return undefined;
  }
  const program = new agent.NodeCompiler(options, agent.modesOf).compile(cluster, tiers);
  const ruleset = agent.frameFor({ program, options })(firstGeneration, "first");
  return { ruleset, annotations: agent.annotationsOf(ruleset, program, cluster) };
}
