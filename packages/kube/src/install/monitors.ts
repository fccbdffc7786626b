import type { JsonObject } from "@tierwall/core";
import { entriesOf, here, valueOf } from "./marked.js";
import { type Component, nameOf, selectorOf } from "./names.js";

/* How the Prometheus operator finds the metrics. Agents have no Service: each answers for its own node. */

function monitor(kind: "ServiceMonitor" | "PodMonitor", component: Component, endpoints: string): JsonObject {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind,
    metadata: {
      name: nameOf(component),
      namespace: here,
      labels: { ...selectorOf(component), ...entriesOf("monitoring.labels") },
    },
    spec: {
      selector: { matchLabels: selectorOf(component) },
      [endpoints]: [{ port: "metrics", interval: valueOf("monitoring.interval") }],
    },
  };
}

export const monitors = {
  controller: monitor("ServiceMonitor", "controller", "endpoints"),
  agent: monitor("PodMonitor", "agent", "podMetricsEndpoints"),
} as const;
