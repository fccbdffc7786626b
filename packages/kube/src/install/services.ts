import type { JsonObject } from "@tierwall/core/manifest";
import { fieldWhen, here, valueOf, withEntries } from "./marked.js";
import { type Component, inNamespace, nameOf, selectorOf } from "./names.js";
import type { SettingPath } from "./settings.js";

/* How clients reach the controller and the agents, and which clients may. */

interface ServicePort {
  readonly name: string;
  readonly port: number;
  readonly targetPort: string;
}

/** `headless`: lists the pods for a ServiceMonitor, and has no cluster IP. */
export const service = (
  component: Component,
  name: string,
  port: ServicePort,
  headless?: "headless",
): JsonObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: inNamespace(component, name),
  spec: {
    ...(headless === undefined ? {} : { clusterIP: "None" }),
    selector: selectorOf(component),
    ports: [{ ...port }],
  },
});

/** Which clients may connect to a port of the controller. Kubelets of its node always may. */
export const openTo = (name: string, port: number, from: SettingPath): JsonObject => ({
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

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

/**
 * How the Prometheus operator finds the metrics. Agents have a ServiceMonitor too: a PodMonitor cannot send the token of the account of
 * Prometheus, only one that is stored in a Secret.
 */
export const monitor = (component: Component): JsonObject => ({
  apiVersion: "monitoring.coreos.com/v1",
  kind: "ServiceMonitor",
  metadata: {
    name: nameOf(component),
    namespace: here,
    labels: withEntries(selectorOf(component), "monitoring.labels"),
  },
  spec: {
    selector: { matchLabels: selectorOf(component) },
    endpoints: [
      {
        port: "metrics",
        interval: valueOf("monitoring.interval"),
        ...fieldWhen("metrics.auth", "token", "bearerTokenFile", tokenFile),
      },
    ],
  },
});
