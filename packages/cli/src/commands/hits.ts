import type * as AgentPackage from "@tierwall/agent";
import type { JsonValue } from "@tierwall/core";
import { visible } from "@tierwall/core/report";
import { type Command, Option } from "commander";
import { printData } from "./explain.js";
import { print, styleFor, printMessage } from "../output/terminal.js";

interface HitsFlags {
  readonly control: string;
  readonly state?: string;
  readonly never?: boolean;
  readonly output: "text" | "json";
}

export function addHits(program: Command, finish: (status: number) => void): void {
  program
    .command("hits")
    .summary("which rules decided anything on this node, and which never did")
    .description(
      "Asks the agent of this node how often, and when last, each rule for its pods decided a connection. A rule that is never " +
        "hit may be unused, or needed only rarely. Counts survive restarts of the agent and of the node. " +
        "A rule is counted here from the moment that a pod of this node needs it; other nodes have their own counts.",
    )
    .option("--never", "only rules that never decided anything")
    .option("--control <socket>", "where the agent answers", "/run/tierwall/agent.sock")
    .option("--state <file>", "read the saved counts of an agent, instead of asking one")
    .addOption(
      new Option("-o, --output <format>", "the output format").choices(["text", "json"]).default("text"),
    )
    .addHelpText(
      "after",
      `
Examples:
  # On a node
  tierwall hits

  # Candidates for removal
  tierwall hits --never

  # Without a running agent
  tierwall hits --state /var/lib/tierwall/hits.json

  # What was denied most, for a script
  tierwall hits -o json | jq '[.rules[] | select(.verdict == "Deny")] | sort_by(-.packets) | .[:10]'

Exit status: 0 when there is an answer, 2 when no agent answers or the state cannot be read.`,
    )
    .action(async (flags: HitsFlags) => finish(await runHits(flags)));
}

async function runHits(flags: HitsFlags): Promise<number> {
  // Loaded when it is wanted: other commands start faster without it.
  const agent = await import("@tierwall/agent");
  const found = await reportFrom(agent, flags);
  if (!found.ok) {
    printMessage(found.message);
    return 2;
  }
  const all = found.value;
  const shown = flags.never ? { ...all, rules: all.rules.filter(agent.neverHit) } : all;
  if (flags.output === "json") printData(shown as unknown as JsonValue, "json");
  else if (flags.never && shown.rules.length === 0 && all.rules.length > 0)
    print(`All rules on ${visible(all.node)} have decided something.`);
  else print(agent.hitsText(shown, styleFor(process.stdout)));
  return 0;
}

type Found =
  | { readonly ok: true; readonly value: AgentPackage.HitsReport }
  | { readonly ok: false; readonly message: string };

async function reportFrom(agent: typeof AgentPackage, flags: HitsFlags): Promise<Found> {
  if (flags.state === undefined) return agent.askAgent(flags.control, "GET /hits");
  const { saved, problem } = agent.readStateFile(flags.state);
  if (saved !== undefined) return { ok: true, value: agent.hitsReport(saved) };
  return {
    ok: false,
    message: problem ?? `\`${flags.state}\` does not exist: no agent has counted there yet`,
  };
}
