import type { Json, JsonObject } from "@tierwall/core/manifest";
import { appName, fieldWhen, here, itemIf, itemsOf, itemWhen, valueOf, withEntries } from "./marked.js";
import { called, type Component, inNamespace, nameOf, selectorOf } from "./names.js";
import { webhookConfigurationName } from "./roles.js";

export const ports = { controllerMetrics: 9464, agentMetrics: 9465, webhook: 9443, page: 8080 } as const;

/** A second, as is usual, is short for a process whose processors are throttled while it reads a large cluster. */
const probe = (path: string, port: number, host: JsonObject = {}): JsonObject => ({
  httpGet: { path, port, ...host },
  periodSeconds: 10,
  timeoutSeconds: 5,
});

/** A node that starts many pods is slow: no container is killed for that within two minutes. */
const startupProbe = (port: number, host: JsonObject = {}): JsonObject => ({
  ...probe("/livez", port, host),
  periodSeconds: 2,
  failureThreshold: 60,
});

/** Nothing that a process needs not; what it needs is added where it is needed. */
export const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true } as const;

/** Of a pod that needs nothing of its node. */
export const unprivileged: JsonObject = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  seccompProfile: { type: "RuntimeDefault" },
};

/** Both images are for Linux, and so is nftables. */
export const linux = { "kubernetes.io/os": "linux" } as const;

export const webhookServiceName = called("webhook");

const pageTokens = "/etc/tierwall/page";
const clientAuthorities = "/etc/tierwall/webhook-client-ca";

/** In different zones and on different nodes, where there are several. */
const spread = (component: Component): readonly JsonObject[] =>
  ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: selectorOf(component) },
  }));

export const controllerDeployment: JsonObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: inNamespace("controller"),
  spec: {
    replicas: valueOf("controller.replicas"),
    selector: { matchLabels: selectorOf("controller") },
    template: {
      metadata: { labels: selectorOf("controller") },
      spec: {
        serviceAccountName: nameOf("controller"),
        imagePullSecrets: valueOf("imagePullSecrets"),
        nodeSelector: withEntries(linux, "controller.nodeSelector"),
        priorityClassName: "system-cluster-critical",
        securityContext: unprivileged,
        topologySpreadConstraints: spread("controller"),
        containers: [
          {
            name: "controller",
            image: `${valueOf("image.repository")}:${valueOf("image.tag")}`,
            imagePullPolicy: valueOf("image.pullPolicy"),
            args: [
              "controller",
              `--metrics-address=:${ports.controllerMetrics}`,
              `--metrics-auth=${valueOf("metrics.auth")}`,
              itemIf("webhook.enabled", `--webhook-port=${ports.webhook}`),
              itemIf("webhook.enabled", `--webhook-service=${webhookServiceName}`),
              itemIf("webhook.enabled", `--webhook-configuration=${webhookConfigurationName}`),
              itemIf("webhook.clientCA.names", `--webhook-client-ca=${clientAuthorities}/ca.crt`),
              itemsOf("webhook.clientCA.names", "--webhook-client-name="),
              itemIf("page.enabled", `--page-port=${ports.page}`),
              itemIf("page.enabled", `--page-token-file=${pageTokens}/token`),
              itemsOf("controller.extraArgs"),
            ],
            ports: [
              { name: "metrics", containerPort: ports.controllerMetrics },
              { name: "webhook", containerPort: ports.webhook },
              { name: "page", containerPort: ports.page },
            ],
            startupProbe: startupProbe(ports.controllerMetrics),
            livenessProbe: probe("/livez", ports.controllerMetrics),
            readinessProbe: probe("/readyz", ports.controllerMetrics),
            resources: valueOf("controller.resources"),
            securityContext: { ...confined, capabilities: { drop: ["ALL"] } },
            volumeMounts: [
              { name: "page", mountPath: pageTokens, readOnly: true },
              { name: "webhook-client-ca", mountPath: clientAuthorities, readOnly: true },
            ],
          },
        ],
        // Without the page and client certificates, there are no such Secrets.
        volumes: [
          { name: "page", secret: { secretName: valueOf("page.secret"), optional: true } },
          {
            name: "webhook-client-ca",
            secret: { secretName: valueOf("webhook.clientCA.secret"), optional: true },
          },
        ],
      },
    },
  },
};

export const controllerBudget: JsonObject = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: inNamespace("controller"),
  spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf("controller") } },
};

/** Folders of the node: the socket of the agent and its counters outlive its pod. */
export const folders = { run: "/run/tierwall", state: "/var/lib/tierwall" } as const;

export const agentImage: JsonObject = {
  image: `${valueOf("agent.image")}:${valueOf("image.tag")}`,
  imagePullPolicy: valueOf("image.pullPolicy"),
};

/** nft and NFLOG ask for this one capability, and for no other. */
export const netAdmin: JsonObject = {
  ...confined,
  runAsUser: 0,
  capabilities: { drop: ["ALL"], add: ["NET_ADMIN"] },
};

/** The kubelet asks the address of the node, unless the probe names another: the agent has no other network. */
const agentHost = fieldWhen("metrics.address", "loopback", "host", "127.0.0.1");

export const agentDaemonSet: JsonObject = {
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: inNamespace("agent"),
  spec: {
    selector: { matchLabels: selectorOf("agent") },
    // The kernel keeps the rules while one is exchanged for another.
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
    template: {
      metadata: { labels: selectorOf("agent") },
      spec: {
        serviceAccountName: nameOf("agent"),
        imagePullSecrets: valueOf("imagePullSecrets"),
        nodeSelector: withEntries(linux, "agent.nodeSelector"),
        priorityClassName: "system-node-critical",
        hostNetwork: true,
        dnsPolicy: "ClusterFirstWithHostNet",
        tolerations: valueOf("agent.tolerations"),
        securityContext: { seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "agent",
            ...agentImage,
            args: [
              "agent",
              itemWhen("metrics.address", "all", `--metrics-address=:${ports.agentMetrics}`),
              itemWhen("metrics.address", "loopback", `--metrics-address=127.0.0.1:${ports.agentMetrics}`),
              `--metrics-auth=${valueOf("metrics.auth")}`,
              "--audit-log=-",
              `--unknown-pods=${valueOf("agent.unknownPods")}`,
              itemWhen("agent.mode", "shadow", "--shadow"),
              itemsOf("agent.extraArgs"),
            ],
            env: [{ name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
            ports: [{ name: "metrics", containerPort: ports.agentMetrics, hostPort: ports.agentMetrics }],
            startupProbe: startupProbe(ports.agentMetrics, agentHost),
            livenessProbe: probe("/livez", ports.agentMetrics, agentHost),
            readinessProbe: probe("/readyz", ports.agentMetrics, agentHost),
            resources: valueOf("agent.resources"),
            securityContext: netAdmin,
            volumeMounts: [
              { name: "run", mountPath: folders.run },
              { name: "state", mountPath: folders.state },
              { name: "tmp", mountPath: "/tmp" },
            ],
          },
        ],
        volumes: [
          { name: "run", hostPath: { path: folders.run, type: "DirectoryOrCreate" } },
          { name: "state", hostPath: { path: folders.state, type: "DirectoryOrCreate" } },
          { name: "tmp", emptyDir: { medium: "Memory" } },
        ] satisfies Json[],
      },
    },
  },
};

export const namespace: JsonObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: {
    name: here,
    labels: {
      "app.kubernetes.io/name": appName,
      // The agent is in the network of its node.
      "pod-security.kubernetes.io/enforce": "privileged",
    },
  },
};
