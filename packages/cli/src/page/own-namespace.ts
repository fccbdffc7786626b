import { existsSync, readFileSync } from "node:fs";
import { systemNamespace } from "@tierwall/kube";
import type { Command } from "commander";

/** Kubernetes tells pods where they are. */
const told = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** Where the Leases of controllers and agents are, unless somebody says otherwise. */
export const ownNamespace = (): string =>
  existsSync(told) ? readFileSync(told, "utf8").trim() : systemNamespace;

export const withNamespaceFlag = (command: Command): Command =>
  command.option(
    "--namespace <name>",
    `where the Leases of controllers and agents are (default: the one of this pod, or ${systemNamespace})`,
  );
