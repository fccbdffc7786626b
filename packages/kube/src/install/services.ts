import type { JsonObject } from "@tierwall/core/manifest";
import { valueOf } from "./marked.js";
import { called, inNamespace, nameOf, selectorOf } from "./names.js";
import type { SettingPath } from "./settings.js";
import { ports, webhookServiceName } from "./workloads.js";

/* How clients reach the controller and the agents, and which clients may. */

const service = (name: string, port: JsonObject): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: inNamespace("controller", name),
  spec: { selector: selectorOf("controller"), ports: [port] },
});

export const metricsService = service(nameOf("controller"), {
  name: "metrics",
  port: ports.controllerMetrics,
  targetPort: "metrics",
});

/** Headless: it lists the agents for a ServiceMonitor, and gives no address that stands for all of them. */
export const agentMetricsService: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: inNamespace("agent"),
  spec: {
    clusterIP: "None",
    selector: selectorOf("agent"),
    ports: [{ name: "metrics", port: ports.agentMetrics, targetPort: "metrics" }],
  },
};

export const webhookService = service(webhookServiceName, {
  name: "webhook",
  port: 443,
  targetPort: "webhook",
});

export const pageService = service(called("page"), { name: "page", port: 80, targetPort: "page" });

/** Who may connect to a port of the controller. Kubelets of its node always may. */
const openTo = (name: string, port: number, from: SettingPath): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: inNamespace("controller", name),
  spec: {
    podSelector: { matchLabels: selectorOf("controller") },
    policyTypes: ["Ingress"],
    // In this order the value has a line of its own, which chart.ts needs.
    ingress: [{ ports: [{ protocol: "TCP", port }], from: valueOf(from) }],
  },
});

export const metricsNetworkPolicy = openTo(
  nameOf("controller"),
  ports.controllerMetrics,
  "networkPolicy.metricsFrom",
);

export const webhookNetworkPolicy = openTo(webhookServiceName, ports.webhook, "networkPolicy.webhookFrom");

export const pageNetworkPolicy = openTo(called("page"), ports.page, "networkPolicy.pageFrom");
