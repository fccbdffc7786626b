import { isObject, type Json } from "@tierwall/core/manifest";

/** Something about an installation that users can change. */
export interface Setting {
  /** `name` is a prefix for the names of objects, or empty. */
  readonly is: "text" | "name" | "number" | "switch" | "list" | "object";
  readonly usual: Json;
  readonly about: string;
  readonly oneOf?: readonly string[];
  readonly atLeast?: number;
  readonly atMost?: number;
}

const setting = (usual: Json, about: string, more: Partial<Setting> = {}): Setting => ({
  is: kindOf(usual),
  usual,
  about,
  ...more,
});

function kindOf(usual: Json): Setting["is"] {
  if (isObject(usual)) return "object";
  if (Array.isArray(usual)) return "list";
  return typeof usual === "boolean" ? "switch" : typeof usual === "number" ? "number" : "text";
}

/** By the path in Helm's values and in `tierwall manifests --set`. */
export const settings = {
  nameOverride: setting(
    "",
    "The label `app.kubernetes.io/name` of all objects, and the prefix of their names; `tierwall` where empty.",
    { is: "name" },
  ),
  fullnameOverride: setting("", "The prefix of the names of all objects, if it is not to be the one above.", {
    is: "name",
  }),
  imagePullSecrets: setting(
    [],
    "Secrets for pulling the images from a private registry: `[{name: registry-key}]`.",
  ),
  "image.repository": setting("tierwall", "Image of the controller."),
  "image.tag": setting("0.1.0", "Tag of both images."),
  "image.pullPolicy": setting("IfNotPresent", "When images are pulled.", {
    oneOf: ["Always", "IfNotPresent", "Never"],
  }),
  "metrics.auth": setting(
    "token",
    "Who may read /metrics of agents and controllers: `token` accounts that are bound to the ClusterRole `tierwall-metrics-reader`, `none` every client that can connect.",
    { oneOf: ["token", "none"] },
  ),
  "metrics.address": setting(
    "all",
    "Addresses of a node at which its agent serves /metrics and health: `all`, or `loopback` (127.0.0.1) for a proxy of yours on the node. Probes then use 127.0.0.1 as well, and ServiceMonitors do not reach agents.",
    { oneOf: ["all", "loopback"] },
  ),
  "networkPolicy.enabled": setting(
    true,
    "NetworkPolicies for the controller: its ports are open to the clients below, and no other port is.",
  ),
  "networkPolicy.webhookFrom": setting(
    [],
    "Peers of a NetworkPolicy that may reach the webhook, such as the addresses of the API servers: `[{ipBlock: {cidr: 10.0.0.2/32}}]`. Empty: all, because those addresses differ from cluster to cluster.",
  ),
  "networkPolicy.metricsFrom": setting(
    [],
    "Peers that may reach the metrics of the controller, such as the namespace of Prometheus: `[{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]`. Empty: all, and the token decides.",
  ),
  "networkPolicy.pageFrom": setting([], "Peers that may reach the page. Empty: all."),
  "controller.enabled": setting(
    true,
    "Conditions and events on policies, and warnings when they are applied.",
  ),
  "controller.replicas": setting(2, "One leads and writes, all answer the API server.", { atLeast: 1 }),
  "controller.resources": setting(
    { requests: { cpu: "100m", memory: "384Mi" }, limits: { memory: "2Gi" } },
    "Of each replica: 630 MB (880 MB at most) were measured with the webhook at 100,000 pods.",
  ),
  "controller.nodeSelector": setting(
    {},
    "Labels of the nodes that run the controller, in addition to `kubernetes.io/os: linux`.",
  ),
  "controller.extraArgs": setting([], "More options of `tierwall controller`."),
  "webhook.enabled": setting(true, "Shows users who apply a policy what it will do. Needs the controller."),
  "webhook.failurePolicy": setting(
    "Ignore",
    "What the API server does while no controller answers: `Fail` refuses policies then.",
    { oneOf: ["Ignore", "Fail"] },
  ),
  "webhook.timeoutSeconds": setting(
    10,
    "How long the API server waits. Fewer warnings are given where that is too short.",
    { atLeast: 1, atMost: 30 },
  ),
  "webhook.clientCA.names": setting(
    [],
    "Common names or DNS names of the client certificates of your API servers: `[kube-apiserver]`. The webhook then answers only clients with such a certificate. Empty: a secret path distinguishes API servers from other clients.",
  ),
  "webhook.clientCA.secret": setting(
    "tierwall-webhook-client-ca",
    "The Secret whose key `ca.crt` has the authorities that sign these certificates. Used where names are given.",
  ),
  "page.enabled": setting(
    false,
    "The page of the cluster, read-only, for users who have the token. Needs the controller.",
  ),
  "page.secret": setting(
    "tierwall-page",
    "The Secret whose key `token` has what to log in to the page with, of 16 characters or more.",
  ),
  "agent.enabled": setting(true, "Enforces policies on every node."),
  "agent.mode": setting(
    "enforce",
    "`shadow` counts and logs what policies would deny, and denies nothing: the first step of an installation.",
    { oneOf: ["shadow", "enforce"] },
  ),
  "agent.image": setting("tierwall-agent", "Image of the agent: nftables is in it."),
  "agent.unknownPods": setting(
    "deny",
    "What becomes of a pod's traffic before its policies are known on the node.",
    { oneOf: ["deny", "allow"] },
  ),
  "agent.ownLeasesOnly": setting(
    true,
    "Refuses an agent all Leases but that of its node. API servers before 1.30 cannot: `false` there.",
  ),
  "agent.resources": setting(
    { requests: { cpu: "50m", memory: "256Mi" }, limits: { memory: "1Gi" } },
    "Of each agent: 200 MB were measured at 10,000 pods, 390 MB (550 MB at most) at 100,000.",
  ),
  "agent.extraArgs": setting([], "More options of `tierwall agent`."),
  "agent.tolerations": setting(
    [{ operator: "Exists" }],
    "Tolerations of the agent's pods; usually they run on every node.",
  ),
  "agent.nodeSelector": setting(
    {},
    "Labels of the nodes that run an agent, in addition to `kubernetes.io/os: linux`.",
  ),
  "monitoring.enabled": setting(
    false,
    "ServiceMonitors for the controller and the agents. Needs the CRDs of the Prometheus operator. With `metrics.auth=token`, Prometheus sends the token of its own account, which must be one of `monitoring.readers` or bound to `tierwall-metrics-reader` by you.",
  ),
  "monitoring.labels": setting(
    {},
    "Labels of both, by which a Prometheus selects them: `{release: prometheus}`.",
  ),
  "monitoring.readers": setting(
    [],
    "Subjects to bind to the ClusterRole `tierwall-metrics-reader`, such as the account of Prometheus: `[{kind: ServiceAccount, name: prometheus, namespace: monitoring}]`.",
  ),
  "monitoring.interval": setting("30s", "How often metrics are scraped."),
  "firstDraft.enabled": setting(false, "The two kinds of KEP-2091's first draft as well."),
  "firstDraft.letEditorsManage": setting(
    false,
    "Lets every account with the role `admin` or `edit` in the whole cluster manage them, as the draft has it.",
  ),
};

export type SettingPath = keyof typeof settings;

export type Values = Readonly<Record<SettingPath, Json>>;

export const settingPaths = Object.keys(settings) as SettingPath[];

export const usualValues = Object.fromEntries(
  settingPaths.map((path) => [path, settings[path].usual]),
) as unknown as Values;
