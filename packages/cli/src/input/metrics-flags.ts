import type { MetricsAuth, MetricsCommand } from "@tierwall/kube";
import { type Command, Option } from "commander";

/** Where a long-running command serves metrics and health, and which clients may read them. */
export interface MetricsFlags {
  readonly metricsAddress: string;
  readonly metricsAuth: MetricsAuth;
}

export function withMetricsFlags(command: Command, address: string): Command {
  return command
    .option(
      "--metrics-address <address:port>",
      "where /metrics, /livez and /readyz are served; `none` serves nothing",
      address,
    )
    .addOption(
      new Option(
        "--metrics-auth <method>",
        "who may read /metrics: `none` every client, `token` accounts of the cluster that may `get` that URL",
      )
        .choices(["none", "token"])
        .default("none"),
    );
}

export const metricsCommand = ({
  metricsAddress: address,
  metricsAuth: auth,
}: MetricsFlags): { readonly metrics?: MetricsCommand } =>
  address === "none" ? {} : { metrics: { address, auth } };
