import type { JsonValue } from "@tierwall/core";
import type { PolicyRef } from "@tierwall/core/model";
import { apiVersion, summarize } from "@tierwall/core/report";
import { json, type Operation } from "./operation.js";

/** How many objects of each kind there are. */
export const summaryOperation: Operation = {
  method: "GET",
  path: "/summary",
  parameters: {},
  answer: async ({ request, state }) => {
    const { title, provenance } = state.shown;
    const { cluster, policies, diagnostics, usable } = state.reading.state;
    return json(request, {
      apiVersion,
      kind: "Summary",
      title,
      provenance,
      revision: state.revision,
      usable,
      cluster: {
        namespaces: cluster.namespaces.size,
        pods: cluster.pods.size,
        workloads: cluster.workloads.length,
        nodes: cluster.nodes.size,
        services: cluster.services.length,
      },
      policies: counted(policies),
      ...summarize(diagnostics),
    });
  },
};

/** How many policies there are of each kind. */
function counted(policies: readonly PolicyRef[]): JsonValue {
  const counts = new Map<string, { group: string; version: string; kind: string; count: number }>();
  for (const { group, version, kind } of policies) {
    const key = `${group}/${version} ${kind}`;
    const known = counts.get(key) ?? { group, version, kind, count: 0 };
    known.count++;
    counts.set(key, known);
  }
  return [...counts.values()];
}
