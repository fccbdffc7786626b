import { existsSync, readFileSync } from "node:fs";
import { systemNamespace } from "@tierwall/kube";
import type { Command } from "commander";

/** Where Kubernetes writes the namespace of a pod. */
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/** Where the Leases of controllers and agents are by default. */
export const ownNamespace = (): string =>
  existsSync(namespaceFile) ? readFileSync(namespaceFile, "utf8").trim() : systemNamespace;

export const withNamespaceFlag = (command: Command): Command =>
  command.option(
    "--namespace <name>",
    `where the Leases of controllers and agents are (default: the one of this pod, or ${systemNamespace})`,
  );
