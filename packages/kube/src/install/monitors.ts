import type { JsonObject } from "@tierwall/core/manifest";
import { fieldWhen, here, valueOf, withEntries } from "./marked.js";
import { called, clusterWide, type Component, nameOf, selectorOf } from "./names.js";
import { metricsReaderName } from "./roles.js";

/*
 * How the Prometheus operator finds the metrics, and which accounts may read them. Agents have a ServiceMonitor too: a PodMonitor
 * cannot send the token of the account of Prometheus, only one that is stored in a Secret.
 */

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

const monitor = (component: Component): JsonObject => ({
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

export const monitors = { controller: monitor("controller"), agent: monitor("agent") } as const;

export const metricsReaders: JsonObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: clusterWide(called("metrics-readers")),
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: metricsReaderName },
  subjects: valueOf("monitoring.readers"),
};
