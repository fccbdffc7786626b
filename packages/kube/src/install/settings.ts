import type { Json } from "@tierwall/core/manifest";

/** Something about an installation that people may want otherwise. */
export interface Setting {
  /** `name` is a prefix for the names of objects, or empty. */
  readonly is: "text" | "name" | "number" | "switch" | "list" | "object";
  readonly usual: Json;
  readonly about: string;
  readonly oneOf?: readonly string[];
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** By the path that Helm's values and `tierwall manifests --set` know them by. */
export const settings = {
  nameOverride: {
    is: "name",
    usual: "",
    about:
      "The label `app.kubernetes.io/name` of all objects, and the prefix of their names; `tierwall` where empty.",
  },
  fullnameOverride: {
    is: "name",
    usual: "",
    about: "The prefix of the names of all objects, if it is not to be the one above.",
  },
  imagePullSecrets: {
    is: "list",
    usual: [],
    about: "Secrets for pulling the images from a private registry: `[{name: registry-key}]`.",
  },
  "image.repository": { is: "text", usual: "tierwall", about: "Image of the controller." },
  "image.tag": { is: "text", usual: "0.1.0", about: "Tag of both images." },
  "image.pullPolicy": {
    is: "text",
    usual: "IfNotPresent",
    about: "When images are pulled.",
    oneOf: ["Always", "IfNotPresent", "Never"],
  },
  "metrics.auth": {
    is: "text",
    usual: "token",
    about:
      "Who may read /metrics of agents and controllers: `token` accounts that are bound to the ClusterRole `tierwall-metrics-reader`, `none` every client that can connect.",
    oneOf: ["token", "none"],
  },
  "metrics.address": {
    is: "text",
    usual: "all",
    about:
      "Addresses of a node at which its agent serves /metrics and health: `all`, or `loopback` (127.0.0.1) for a proxy of yours on the node. Probes then use 127.0.0.1 as well, and ServiceMonitors do not reach agents.",
    oneOf: ["all", "loopback"],
  },
  "networkPolicy.enabled": {
    is: "switch",
    usual: true,
    about:
      "NetworkPolicies for the controller: its ports are open to the clients below, and no other port is.",
  },
  "networkPolicy.webhookFrom": {
    is: "list",
    usual: [],
    about:
      "Peers of a NetworkPolicy that may reach the webhook, such as the addresses of the API servers: `[{ipBlock: {cidr: 10.0.0.2/32}}]`. Empty: all, because those addresses differ from cluster to cluster.",
  },
  "networkPolicy.metricsFrom": {
    is: "list",
    usual: [],
    about:
      "Peers that may reach the metrics of the controller, such as the namespace of Prometheus: `[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]`. Empty: all, and the token decides.",
  },
  "networkPolicy.pageFrom": {
    is: "list",
    usual: [],
    about: "Peers that may reach the page. Empty: all.",
  },
  "controller.enabled": {
    is: "switch",
    usual: true,
    about: "Conditions and events on policies, and warnings when they are applied.",
  },
  "controller.replicas": {
    is: "number",
    usual: 2,
    atLeast: 1,
    about: "One leads and writes, all answer the API server.",
  },
  "controller.resources": {
    is: "object",
    usual: { requests: { cpu: "100m", memory: "384Mi" }, limits: { memory: "2Gi" } },
    about: "Of each replica: 630 MB (880 MB at most) were measured with the webhook at 100,000 pods.",
  },
  "controller.nodeSelector": {
    is: "object",
    usual: {},
    about: "Labels of the nodes that run the controller, in addition to `kubernetes.io/os: linux`.",
  },
  "controller.extraArgs": { is: "list", usual: [], about: "More options of `tierwall controller`." },
  "webhook.enabled": {
    is: "switch",
    usual: true,
    about: "Tells whoever applies a policy what it will do. Needs the controller.",
  },
  "webhook.failurePolicy": {
    is: "text",
    usual: "Ignore",
    about: "What the API server does while no controller answers: `Fail` refuses policies then.",
    oneOf: ["Ignore", "Fail"],
  },
  "webhook.timeoutSeconds": {
    is: "number",
    usual: 10,
    atLeast: 1,
    atMost: 30,
    about: "How long the API server waits. Fewer warnings are given where that is too short.",
  },
  "webhook.clientCA.names": {
    is: "list",
    usual: [],
    about:
      "Common names or DNS names of the client certificates of your API servers: `[kube-apiserver]`. The webhook then answers only clients with such a certificate. Empty: a secret path tells API servers from others.",
  },
  "webhook.clientCA.secret": {
    is: "text",
    usual: "tierwall-webhook-client-ca",
    about:
      "The Secret whose key `ca.crt` has the authorities that sign these certificates. Used where names are given.",
  },
  "page.enabled": {
    is: "switch",
    usual: false,
    about: "The page of the cluster, read-only, for whoever has the token. Needs the controller.",
  },
  "page.secret": {
    is: "text",
    usual: "tierwall-page",
    about: "The Secret whose key `token` has what to log in to the page with, of 16 characters or more.",
  },
  "agent.enabled": { is: "switch", usual: true, about: "Enforces policies on every node." },
  "agent.mode": {
    is: "text",
    usual: "enforce",
    about:
      "`shadow` counts and logs what policies would deny, and denies nothing: the first step of an installation.",
    oneOf: ["shadow", "enforce"],
  },
  "agent.image": { is: "text", usual: "tierwall-agent", about: "Image of the agent: nftables is in it." },
  "agent.unknownPods": {
    is: "text",
    usual: "deny",
    about: "What becomes of a pod's traffic before its policies are known on the node.",
    oneOf: ["deny", "allow"],
  },
  "agent.ownLeasesOnly": {
    is: "switch",
    usual: true,
    about: "Refuses an agent all Leases but that of its node. API servers before 1.30 cannot: `false` there.",
  },
  "agent.resources": {
    is: "object",
    usual: { requests: { cpu: "50m", memory: "256Mi" }, limits: { memory: "1Gi" } },
    about: "Of each agent: 200 MB were measured at 10,000 pods, 390 MB (550 MB at most) at 100,000.",
  },
  "agent.extraArgs": {
    is: "list",
    usual: [],
    about: "More options of `tierwall agent`.",
  },
  "agent.tolerations": {
    is: "list",
    usual: [{ operator: "Exists" }],
    about: "Tolerations of the agent's pods; usually they run on every node.",
  },
  "agent.nodeSelector": {
    is: "object",
    usual: {},
    about: "Labels of the nodes that run an agent, in addition to `kubernetes.io/os: linux`.",
  },
  "monitoring.enabled": {
    is: "switch",
    usual: false,
    about:
      "ServiceMonitors for the controller and the agents. Needs the CRDs of the Prometheus operator. With `metrics.auth=token`, Prometheus sends the token of its own account, which must be one of `monitoring.readers` or bound to `tierwall-metrics-reader` by you.",
  },
  "monitoring.labels": {
    is: "object",
    usual: {},
    about: "Labels of both, by which a Prometheus selects them: `{release: prometheus}`.",
  },
  "monitoring.readers": {
    is: "list",
    usual: [],
    about:
      "Subjects to bind to the ClusterRole `tierwall-metrics-reader`, such as the account of Prometheus: `[{kind: ServiceAccount, name: prometheus, namespace: monitoring}]`.",
  },
  "monitoring.interval": { is: "text", usual: "30s", about: "How often metrics are scraped." },
  "firstDraft.enabled": {
    is: "switch",
    usual: false,
    about: "The two kinds of KEP-2091's first draft as well.",
  },
  "firstDraft.letEditorsManage": {
    is: "switch",
    usual: false,
    about:
      "Lets everybody with the role `admin` or `edit` in the whole cluster manage them, as the draft has it.",
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingPath = keyof typeof settings;

export type Values = Readonly<Record<SettingPath, Json>>;

export const settingPaths = Object.keys(settings) as SettingPath[];

export const usualValues = Object.fromEntries(
  settingPaths.map((path) => [path, settings[path].usual]),
) as unknown as Values;
