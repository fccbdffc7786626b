import type { AgentStatus, Outcome } from "@tierwall/agent";
import type { Style } from "@tierwall/core";
import { Argument, type Command, Option } from "commander";
import {
  type AgentFlags,
  agentOptions,
  contradiction,
  nodeName,
  withAgentFlags,
} from "../input/agent-flags.js";
import { duration } from "../input/quantity.js";
import { collect } from "../input/state.js";
import { print, printText, styleFor, printMessage } from "../output/terminal.js";

const actions = ["run", "status", "doctor", "apply", "confirm", "give-up"] as const;
type Action = (typeof actions)[number];

export function addAgent(program: Command, finish: (status: number) => void): void {
  withAgentFlags(
    program
      .command("agent")
      .summary("enforce policies on this node, in the kernel")
      .description(
        "Enforces the verdicts of `tierwall explain` on a node, with one nftables table: watches manifests or a cluster, keeps " +
          "the table up to date, counts, and logs what is denied. Needs root, nft and conntrack. When it ends, for whatever reason, " +
          "the kernel keeps the rules: `tierwall agent --cleanup` removes them.\n\n" +
          "`agent apply` loads rules on trial: unless they are confirmed in time, the kernel goes back by itself. Rules that " +
          "were confirmed stay until `tierwall agent --cleanup`.",
      )
      .addArgument(
        new Argument("[action]", "run the agent, or send a command to the one that runs")
          .choices(actions)
          .default("run"),
      ),
  )
    .option("--cleanup", "remove everything that Tierwall wrote to the kernel, and exit")
    .addOption(
      new Option("--confirm <time>", "apply: how long to wait for `agent confirm`")
        .argParser(duration)
        .default(60_000, "60s"),
    )
    .option(
      "--guard <url>",
      "apply: go back at once when this fails: tcp://HOST:PORT, http(s)://…, dns://SERVER/NAME (repeatable)",
      collect,
    )
    .addOption(
      new Option("-o, --output <format>", "status, doctor: how to answer")
        .choices(["text", "json"])
        .default("text"),
    )
    .addHelpText(
      "after",
      `
Examples:
  # Enforce a folder of manifests on a host of its own, and watch it
  tierwall agent -f /etc/tierwall --node web-1 --pod-range 10.244.1.0/24

  # On a node of a cluster, but deny nothing yet
  tierwall agent --shadow --audit-log /var/log/tierwall/audit.jsonl

  # Try rules for a minute; go back if the API server is unreachable, or without \`agent confirm\`
  tierwall agent apply -f ./new --node web-1 --confirm 60s --guard tcp://10.0.0.1:6443
  tierwall agent confirm

  # What it is doing
  tierwall agent status

  # Check this node: kernel, network plugin, kube-proxy, other programs, and the agent
  tierwall agent doctor

  # Remove everything that \`agent\` and \`agent apply\` wrote to the kernel, after the agent has ended
  tierwall agent --cleanup

docs/how-to/agent.md and docs/how-to/troubleshoot-agent.md have more.
Exit status: 0 ended or done, 1 rules were taken back, no agent answers, or the doctor found a failure, 2 it
cannot start.`,
    )
    .action(async (action: Action, flags: AgentFlags) => finish(await perform(action, flags)));
}

/** The agent is loaded when it is wanted: other commands start faster without it. */
async function perform(action: Action, flags: AgentFlags): Promise<number> {
  const wrong = contradiction(flags);
  if (wrong !== undefined) {
    printMessage(wrong);
    return 2;
  }
  const agent = await import("@tierwall/agent");
  switch (action) {
    case "run":
      if (flags.cleanup) return report(await agent.cleanUp(agentOptions(flags)));
      return agent.runAgent(agentOptions(flags));
    case "apply":
      return agent.tryRules(agentOptions(flags), { wait: flags.confirm, guards: flags.guard ?? [] });
    case "status":
      return reportStatus(await agent.askAgent(flags.control, "GET /status"), flags, agent.statusText);
    case "doctor": {
      const checkup = await agent.examineNode(nodeName(flags), flags.control);
      if (flags.output === "json") print(JSON.stringify(checkup, undefined, 2));
      else printText(agent.checkupText(checkup, styleFor(process.stdout)));
      return agent.hasFailures(checkup) ? 1 : 0;
    }
    case "confirm":
      return report(await agent.askAgent(flags.control, "POST /confirm"));
    case "give-up":
      return report(await agent.askAgent(flags.control, "POST /give-up"));
  }
}

function report(answer: Outcome<string>): number {
  if (answer.ok) print(answer.value);
  else printMessage(answer.message);
  return answer.ok ? 0 : 1;
}

function reportStatus(
  answer: Outcome<AgentStatus>,
  { output }: AgentFlags,
  textOf: (status: AgentStatus, style: Style) => string,
): number {
  if (!answer.ok) return report(answer);
  if (output === "json") print(JSON.stringify(answer.value, undefined, 2));
  else print(textOf(answer.value, styleFor(process.stdout)));
  return 0;
}
