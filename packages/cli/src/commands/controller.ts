import type { Result } from "@tierwall/core";
import { diagnostic } from "@tierwall/core/manifest";
import type { Address, Cidr } from "@tierwall/core/model";
import {
  runController,
  serviceHost,
  type StartService,
  systemNamespace,
  usualConfiguration,
} from "@tierwall/kube";
import { type Command, InvalidArgumentError, Option } from "commander";
import { controllerPage } from "../page/controller-page.js";
import { type CiliumFlags, ciliumOptions } from "../input/cilium-flags.js";
import { metricsCommand, type MetricsFlags, withMetricsFlags } from "../input/metrics-flags.js";
import { ownNamespace, withNamespaceFlag } from "../page/own-namespace.js";
import { readToken } from "../page/page-token.js";
import { duration, portNumber } from "../input/quantity.js";
import { collect, collectWith, withLiveFactFlags } from "../input/state.js";
import { printMessage } from "../output/terminal.js";

interface ControllerFlags extends CiliumFlags, MetricsFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly leaseDuration: number;
  readonly pagePort?: number;
  readonly pageTokenFile?: string;
  readonly pageHost?: readonly string[];
  readonly podCidr?: readonly Cidr[];
  readonly kubeApiserver?: readonly Address[];
  readonly webhookPort: number;
  readonly webhookService: string;
  readonly webhookHost?: readonly string[];
  readonly webhookConfiguration: string;
  readonly webhookClientCa?: string;
  readonly webhookClientName?: readonly string[];
}

export function addController(program: Command, finish: (status: number) => void): void {
  const command = program
    .command("controller")
    .summary("report what policies do, in conditions and Events")
    .description(
      "Watches a cluster and writes conditions on each cluster-wide policy: Accepted (it is " +
        "understood), Programmed (how many nodes enforce it), Conflicted (another policy of the same priority conflicts) and " +
        "Shadowed (some of its rules never decide anything). The owner of a NetworkPolicy gets an Event when a policy of " +
        "the cluster overrides it.\n\n" +
        "With --webhook-port, API servers can ask it about policies before they accept them: invalid policies are refused, and " +
        "`kubectl apply` prints what the others deny, override and lock out.\n\n" +
        "Several may run: one leads and writes, and the others can take over. It enforces nothing: that is what " +
        "`tierwall agent` does on each node.",
    )
    .option("--kubeconfig <file>", "how to reach the cluster (default: as kubectl, or from inside a pod)")
    .option("--context <name>", "the context of the kubeconfig");
  withLiveFactFlags(
    withMetricsFlags(
      withNamespaceFlag(command).addOption(
        new Option("--lease-duration <time>", "how long others wait for a leader that is silent")
          .argParser(leaseDuration)
          .default(15_000, "15s"),
      ),
      "127.0.0.1:9464",
    )
      .addOption(
        new Option("--page-port <port>", "serve the page of the cluster there (default: no page)").argParser(
          portNumber,
        ),
      )
      .option("--page-token-file <file>", "the token to log in to the page with (required)")
      .option("--page-host <name>", "a name under which browsers reach the page (repeatable)", collect),
  )
    .addOption(
      new Option("--webhook-port <port>", "the port of the webhook; 0 for no webhook")
        .argParser(portNumber)
        .default(0),
    )
    .option(
      "--webhook-service <name>",
      "the Service that API servers reach the webhook by",
      "tierwall-webhook",
    )
    .option(
      "--webhook-host <name>",
      "a name or address by which API servers reach it instead (repeatable)",
      collectWith((text: string) => text),
    )
    .option(
      "--webhook-configuration <name>",
      "the ValidatingWebhookConfiguration to write the trusted certificates to",
      usualConfiguration,
    )
    .option(
      "--webhook-client-ca <file>",
      "answer only clients with a certificate that one of these authorities signed (default: every client)",
    )
    .option(
      "--webhook-client-name <name>",
      "a name that such a certificate must have (repeatable)",
      collectWith((text: string) => text),
    )
    .addHelpText(
      "after",
      `
Examples:
  # In a cluster: with a service account that may write conditions, events and Leases
  tierwall controller --metrics-address :9464 --metrics-auth token

  # From outside, to try it
  kubectl create namespace ${systemNamespace}
  tierwall controller --context kind-test

  # In a cluster, with the webhook
  tierwall controller --metrics-address :9464 --metrics-auth token --webhook-port 9443

  # With the page of the cluster, which needs a token
  tierwall controller --page-port 8080 --page-token-file /etc/tierwall/page-token --page-host tierwall.example.com

  # What it wrote
  kubectl get clusternetworkpolicies
  kubectl describe clusternetworkpolicy deny-all
  kubectl wait --for=condition=Programmed clusternetworkpolicy/deny-all

docs/reference/conditions.md explains each condition, docs/how-to/webhook.md what kubectl prints.
Exit status: 0 ended by a signal, 2 it cannot start.`,
    )
    .action(async (flags: ControllerFlags) => finish(await start(flags)));
}

async function start(flags: ControllerFlags): Promise<number> {
  const { kubeconfig, context, podCidr, kubeApiserver } = flags;
  const namespace = flags.namespace ?? ownNamespace();
  if (flags.webhookClientName !== undefined && flags.webhookClientCa === undefined) {
    printMessage(
      "--webhook-client-name needs --webhook-client-ca: without an authority no certificate is asked for",
    );
    return 2;
  }
  const page = pageOf(flags);
  if (page?.ok === false) {
    printMessage(page.diagnostic.message);
    return 2;
  }
  return runController({
    connection: {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    },
    namespace,
    leaseDuration: flags.leaseDuration,
    state: {
      facts: {
        ...(podCidr === undefined ? {} : { podCidrs: podCidr }),
        ...(kubeApiserver === undefined ? {} : { apiServer: kubeApiserver }),
      },
      ...ciliumOptions(flags),
    },
    ...metricsCommand(flags),
    ...(flags.webhookPort === 0 ? {} : { webhook: webhookOptions(flags, namespace) }),
    ...(page === undefined ? {} : { keepsObjects: true, services: [page.value] }),
  });
}

/** In a cluster every client could reach the page, so it needs a token. */
function pageOf({ pagePort, pageTokenFile, pageHost }: ControllerFlags): Result<StartService> | undefined {
  if (pagePort === undefined) return undefined;
  if (pageTokenFile === undefined)
    return {
      ok: false,
      diagnostic: diagnostic(
        "TW1004",
        "a page needs a token; name the file that holds it with --page-token-file",
      ),
    };
  const token = readToken(pageTokenFile);
  if (!token.ok) return token;
  return { ok: true, value: controllerPage({ port: pagePort, hosts: pageHost ?? [], token: token.value }) };
}

function webhookOptions(flags: ControllerFlags, namespace: string) {
  const { webhookPort, webhookService, webhookHost, webhookConfiguration: configuration } = flags;
  const { webhookClientCa: authorityFile, webhookClientName: clientNames = [] } = flags;
  return {
    port: webhookPort,
    names: webhookHost ?? [serviceHost(webhookService, namespace)],
    configuration,
    ...(authorityFile === undefined ? {} : { clients: { authorityFile, names: clientNames } }),
  };
}

function leaseDuration(text: string): number {
  const value = duration(text);
  if (value >= 1000) return value;
  throw new InvalidArgumentError(`\`${text}\` is too short: Leases count in seconds`);
}
