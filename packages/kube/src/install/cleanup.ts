import type { JsonObject } from "@tierwall/core/manifest";
import { systemNamespace } from "../controller/programmed-report.js";
import type { InstallOptions } from "./install.js";
import { filledIn, here, itemsOf, valueOf } from "./marked.js";
import { inNamespace, nameOf, partOf, selectorOf } from "./names.js";
import { cleanupAccount } from "./roles.js";
import { usualValues } from "./settings.js";
import { agentImage, confined, folders, linux, namespace, netAdmin, unprivileged } from "./workloads.js";

/*
 * Agents leave their rules in the kernel when they end, since they may be started again. When they are removed for good, the Job
 * stops them, and the DaemonSet removes the rules: one of its pods is Ready when nothing of Tierwall is left in the kernel of its node.
 * The Job ends when that is so on every node (uninstall/cleanup-cluster.ts). The chart runs both before it is uninstalled.
 */

const everywhere = [{ operator: "Exists" }];

/**
 * The scheduler keeps a node free of the cleanup while it has the pod of an agent: an agent that is started again
 * after the cleanup would undo it.
 */
const awayFromAgents = {
  topologyKey: "kubernetes.io/hostname",
  labelSelector: { matchLabels: selectorOf("agent") },
};

const cleanupDaemonSet: JsonObject = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: inNamespace("cleanup"),
  spec: {
    selector: { matchLabels: selectorOf("cleanup") },
    template: {
      metadata: { labels: selectorOf("cleanup") },
      spec: {
        priorityClassName: "system-node-critical",
        automountServiceAccountToken: false,
        hostNetwork: true,
        terminationGracePeriodSeconds: 0,
        imagePullSecrets: valueOf("imagePullSecrets"),
        // Wherever an agent has ever run, whichever nodes have one now.
        nodeSelector: linux,
        tolerations: everywhere,
        affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [awayFromAgents] } },
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        initContainers: [
          {
            name: "cleanup",
            ...agentImage,
            // They may name another table, or other bits of the connection mark.
            args: ["agent", "--cleanup", itemsOf("agent.extraArgs")],
            securityContext: netAdmin,
            // Where agents keep their lock: while one runs, nothing is removed.
            volumeMounts: [
              { name: "state", mountPath: folders.state },
              { name: "tmp", mountPath: "/tmp" },
            ],
          },
        ],
        // The pods of a DaemonSet never end: this one waits to be deleted.
        containers: [
          {
            name: "done",
            ...agentImage,
            command: ["sleep", "infinity"],
            securityContext: { ...confined, runAsUser: 65532, capabilities: { drop: ["ALL"] } },
          },
        ],
        volumes: [
          { name: "state", hostPath: { path: folders.state, type: "DirectoryOrCreate" } },
          { name: "tmp", emptyDir: { medium: "Memory" } },
        ],
      },
    },
  },
};

const cleanupJob: JsonObject = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: inNamespace("cleanup"),
  spec: {
    backoffLimit: 0,
    // Its log names the nodes that were down.
    ttlSecondsAfterFinished: 86_400,
    template: {
      metadata: { labels: { ...partOf, "app.kubernetes.io/component": "cleanup-job" } },
      spec: {
        serviceAccountName: nameOf("cleanup"),
        priorityClassName: "system-cluster-critical",
        restartPolicy: "Never",
        // Without agents, a pod with an address of its own is unknown to the rules that are left, and denied.
        hostNetwork: true,
        imagePullSecrets: valueOf("imagePullSecrets"),
        nodeSelector: linux,
        tolerations: everywhere,
        securityContext: unprivileged,
        containers: [
          {
            name: "cleanup",
            ...agentImage,
            args: [
              "cleanup",
              `--namespace=${here}`,
              `--agents=${nameOf("agent")}`,
              `--daemonset=${nameOf("cleanup")}`,
              "--timeout=4m",
            ],
            securityContext: { ...confined, capabilities: { drop: ["ALL"] } },
          },
        ],
      },
    },
  },
};

/** In the order in which they are applied. */
export const markedCleanup: readonly JsonObject[] = [...cleanupAccount, cleanupDaemonSet, cleanupJob];

/** What stops the agents, and removes their rules from the kernels of all nodes. */
export function cleanupObjects(options: Omit<InstallOptions, "parts"> = {}): readonly JsonObject[] {
  const { values = usualValues, namespace: name = systemNamespace } = options;
  return [namespace, ...markedCleanup].map((object) => filledIn(object, values, name));
}
