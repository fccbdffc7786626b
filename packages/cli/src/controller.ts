import { existsSync, readFileSync } from "node:fs";
import type { Address, Cidr } from "@tierwall/core";
import { runController, systemNamespace } from "@tierwall/kube";
import { type Command, InvalidArgumentError, Option } from "commander";
import { duration } from "./quantity.js";
import { address, cidr, collectWith } from "./state.js";

interface ControllerFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly leaseDuration: number;
  readonly metricsAddress: string;
  readonly podCidr?: readonly Cidr[];
  readonly kubeApiserver?: readonly Address[];
  readonly ciliumEnforcement?: "default" | "always" | "never";
}

export function addController(program: Command, finish: (status: number) => void): void {
  program
    .command("controller")
    .summary("tell a cluster what its policies do, in conditions and events")
    .description(
      "Watches a cluster and writes on each policy of the whole cluster what there is to know of it: Accepted (it is " +
        "understood), Programmed (how many nodes enforce it), Conflicted (another of the same priority disagrees) and " +
        "Shadowed (some of its rules never decide anything). The owner of a NetworkPolicy gets an Event when a policy of " +
        "the cluster overrides it.\n\n" +
        "Several may run: one leads and writes, the others know as much and take over. It enforces nothing: that is what " +
        "`tierwall agent` does on each node.",
    )
    .option("--kubeconfig <file>", "how to reach the cluster (default: as kubectl, or from inside a pod)")
    .option("--context <name>", "the context of the kubeconfig")
    .option(
      "--namespace <name>",
      `where the Leases of controllers and agents are (default: the one of this pod, or ${systemNamespace})`,
    )
    .addOption(
      new Option("--lease-duration <time>", "how long others wait for a leader that is silent")
        .argParser(leaseDuration)
        .default(15_000, "15s"),
    )
    .option(
      "--metrics-address <address:port>",
      "where /metrics, /livez and /readyz are; `none` serves nothing",
      "127.0.0.1:9464",
    )
    .option(
      "--pod-cidr <cidr>",
      "the range that all pods get their addresses from (repeatable)",
      collectWith(cidr),
    )
    .option("--kube-apiserver <address>", "an address of the API server (repeatable)", collectWith(address))
    .addOption(
      new Option("--cilium-enforcement <mode>", "Cilium's policy enforcement mode").choices([
        "default",
        "always",
        "never",
      ]),
    )
    .addHelpText(
      "after",
      `
Examples:
  # In a cluster: with a service account that may write conditions, events and Leases
  tierwall controller --metrics-address :9464

  # From outside, to try it
  kubectl create namespace ${systemNamespace}
  tierwall controller --context kind-test

  # What it says
  kubectl get clusternetworkpolicies
  kubectl describe clusternetworkpolicy deny-all
  kubectl wait --for=condition=Programmed clusternetworkpolicy/deny-all

docs/controller.md tells what each condition means and how it fails.
Exit status: 0 ended by a signal, 2 it cannot start.`,
    )
    .action(async (flags: ControllerFlags) => finish(await start(flags)));
}

function start(flags: ControllerFlags): Promise<number> {
  const { kubeconfig, context, metricsAddress, podCidr, kubeApiserver, ciliumEnforcement } = flags;
  return runController({
    connection: {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    },
    namespace: flags.namespace ?? ownNamespace() ?? systemNamespace,
    leaseDuration: flags.leaseDuration,
    state: {
      facts: {
        ...(podCidr === undefined ? {} : { podCidrs: podCidr }),
        ...(kubeApiserver === undefined ? {} : { apiServer: kubeApiserver }),
      },
      ...(ciliumEnforcement === undefined ? {} : { ciliumEnforcement }),
    },
    ...(metricsAddress === "none" ? {} : { metricsAddress }),
  });
}

/** Kubernetes tells pods where they are. */
function ownNamespace(): string | undefined {
  const path = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}

function leaseDuration(text: string): number {
  const value = duration(text);
  if (value >= 1000) return value;
  throw new InvalidArgumentError(`\`${text}\` is too short: Leases count in seconds`);
}
