import type { JsonObject } from "@tierwall/core";
import { systemNamespace } from "../controller/programmed-report.js";
import type { InstallOptions } from "./install.js";
import { filledIn, valueOf } from "./marked.js";
import { inNamespace, selectorOf } from "./names.js";
import { usualValues } from "./settings.js";
import { agentImage, confined, folders, namespace, netAdmin } from "./workloads.js";

/*
 * Agents leave their rules to the kernel when they go, as they may come back. Where they do not, this is run on every node: a
 * pod is Ready when nothing of Tierwall is left in the kernel of its node.
 */

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
        tolerations: valueOf("agent.tolerations"),
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        initContainers: [
          {
            name: "cleanup",
            ...agentImage,
            args: ["agent", "--cleanup"],
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

/** What takes the rules of agents that are gone out of the kernels of all nodes. */
export function cleanupObjects(options: Omit<InstallOptions, "parts"> = {}): readonly JsonObject[] {
  const { values = usualValues, namespace: name = systemNamespace } = options;
  return [namespace, cleanupDaemonSet].map((object) => filledIn(object, values, name));
}
