import { cleanUpCluster, connect } from "@tierwall/kube";
import { type Command, Option } from "commander";
import { ownNamespace } from "../page/own-namespace.js";
import { duration } from "../input/quantity.js";
import { print, printMessage } from "../output/terminal.js";

interface CleanupFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly agents: string;
  readonly daemonset: string;
  readonly timeout: number;
}

export function addCleanup(program: Command, finish: (status: number) => void): void {
  program
    .command("cleanup")
    .summary("remove the agents of a cluster, and their rules from every node")
    .description(
      "Stops the agents of a cluster and waits until nothing of Tierwall is left in the kernels of its nodes. The " +
        "DaemonSet of `tierwall manifests --cleanup` does the work on each node, after its agent has ended. Nodes that are " +
        "not Ready are reported and not waited for.\n\n" +
        "The Job of `tierwall manifests --cleanup` and the pre-delete hook of the Helm chart run this command. On a single " +
        "node without a cluster, use `tierwall agent --cleanup`.",
    )
    .option("--kubeconfig <file>", "how to reach the cluster (default: as kubectl, or from inside a pod)")
    .option("--context <name>", "the context of the kubeconfig")
    .option(
      "--namespace <name>",
      "where the agents are (default: the namespace of this pod, or tierwall-system)",
    )
    .option("--agents <name>", "the DaemonSet of the agents, which is deleted", "tierwall-agent")
    .option("--daemonset <name>", "the DaemonSet that cleans up on each node", "tierwall-cleanup")
    .addOption(
      new Option("--timeout <time>", "how long to wait for the nodes")
        .argParser(duration)
        .default(240_000, "4m"),
    )
    .addHelpText(
      "after",
      `
Examples:
  # From a workstation: stop the agents, clean every node, and wait for it
  tierwall manifests --cleanup | kubectl apply -f -
  tierwall cleanup --context kind-test

docs/how-to/uninstall.md describes how to remove Tierwall.
Exit status: 0 every node that is Ready is clean, 1 a node is not clean in time, 2 the cluster cannot be reached.`,
    )
    .action(async (flags: CleanupFlags) => finish(await runCleanup(flags)));
}

async function runCleanup(flags: CleanupFlags): Promise<number> {
  const { kubeconfig, context, namespace = ownNamespace(), agents, daemonset, timeout } = flags;
  const connected = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!connected.ok) {
    printMessage(connected.message);
    return 2;
  }
  const isDone = await cleanUpCluster({
    connection: connected.connection,
    namespace,
    agents,
    cleanup: daemonset,
    timeoutMilliseconds: timeout,
    report: print,
  });
  return isDone ? 0 : 1;
}
