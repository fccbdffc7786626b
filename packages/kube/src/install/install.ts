import type { JsonObject } from "@tierwall/core/manifest";
import { systemNamespace } from "../controller/programmed-report.js";
import { type BundleName, definitionsOf } from "../crds/bundles.js";
import { webhookConfiguration } from "../webhook/configuration.js";
import { filledIn, here, valueOf } from "./marked.js";
import { called, clusterWide, nameOf } from "./names.js";
import { ownLeases } from "./own-leases.js";
import {
  agentAccount,
  controllerAccount,
  firstDraftEditors,
  firstDraftRoles,
  metricsReaders,
  peoplesRoles,
  webhookConfigurationName,
} from "./roles.js";
import { monitor, openTo, service } from "./services.js";
import { type SettingPath, usualValues, type Values } from "./settings.js";
import {
  agentDaemonSet,
  controllerBudget,
  controllerDeployment,
  namespace,
  ports,
  webhookServiceName,
} from "./workloads.js";

/** What is installed together, in the order in which it is applied. */
export const parts = ["crds", "roles", "controller", "webhook", "agent", "first-draft"] as const;

export type Part = (typeof parts)[number];

/**
 * What one file has that is applied and deleted: everything but the definitions. Deleting a definition deletes all
 * policies of its kind, so definitions are applied on their own, from deploy/crds.
 */
export const usualParts: readonly Part[] = parts.filter((part) => part !== "crds");

/** An object, and the switches that must be on for it to be there. */
export interface Installed {
  readonly object: JsonObject;
  readonly when: readonly SettingPath[];
}

const definitions = (bundle: BundleName) => definitionsOf(bundle) as unknown as readonly JsonObject[];

const [controller, agent, page] = ["controller.enabled", "agent.enabled", "page.enabled"] as const;
const [webhook, firstDraft] = ["webhook.enabled", "firstDraft.enabled"] as const;
const [isolated, monitored] = ["networkPolicy.enabled", "monitoring.enabled"] as const;

const metrics = (port: number) => ({ name: "metrics", port, targetPort: "metrics" });

/** Each row has the switches that must be on, and the objects that are then there, with marks where settings decide. */
const objectsOf: Readonly<
  Record<Part, () => readonly (readonly [when: readonly SettingPath[], ...objects: readonly JsonObject[]])[]>
> = {
  crds: () => [
    [[], ...definitions("released"), ...definitions("guarantees")],
    [[firstDraft], ...definitions("first-draft")],
  ],
  roles: () => [
    [[], ...peoplesRoles],
    [[monitored], metricsReaders],
  ],
  controller: () => [
    [[controller], ...controllerAccount],
    [[controller], service("controller", nameOf("controller"), metrics(ports.controllerMetrics))],
    [[controller], controllerDeployment, controllerBudget],
    [
      [controller, isolated],
      openTo(nameOf("controller"), ports.controllerMetrics, "networkPolicy.metricsFrom"),
    ],
    [
      [controller, page],
      service("controller", called("page"), { name: "page", port: 80, targetPort: "page" }),
    ],
    [[controller, page, isolated], openTo(called("page"), ports.page, "networkPolicy.pageFrom")],
    [[controller, monitored], monitor("controller")],
  ],
  webhook: () => [
    [
      [controller, webhook],
      service("controller", webhookServiceName, { name: "webhook", port: 443, targetPort: "webhook" }),
      configuration(),
    ],
    [[controller, webhook, isolated], openTo(webhookServiceName, ports.webhook, "networkPolicy.webhookFrom")],
  ],
  agent: () => [
    [[agent], ...agentAccount],
    [[agent, "agent.ownLeasesOnly"], ...ownLeases],
    [[agent], agentDaemonSet],
    [
      [agent, monitored],
      service("agent", nameOf("agent"), metrics(ports.agentMetrics), "headless"),
      monitor("agent"),
    ],
  ],
  "first-draft": () => [
    [[firstDraft], ...firstDraftRoles],
    [[firstDraft, "firstDraft.letEditorsManage"], firstDraftEditors],
  ],
};

export const markedObjects = (part: Part): readonly Installed[] =>
  objectsOf[part]().flatMap(([when, ...objects]) => objects.map((object) => ({ object, when })));

function configuration(): JsonObject {
  const made = webhookConfiguration({
    serviceAccount: nameOf("controller"),
    namespace: here,
    address: { service: { name: webhookServiceName, namespace: here, port: 443 } },
    failurePolicy: valueOf("webhook.failurePolicy") as "Ignore",
    timeoutSeconds: valueOf("webhook.timeoutSeconds") as unknown as number,
  }) as JsonObject;
  return { ...made, metadata: clusterWide(webhookConfigurationName) };
}

export interface InstallOptions {
  readonly values?: Values;
  readonly namespace?: string;
  readonly parts?: readonly Part[];
}

/** All objects of an installation, in the order in which they are applied. */
export function installObjects(options: InstallOptions = {}): readonly JsonObject[] {
  const { values = usualValues, namespace: name = systemNamespace, parts: wanted = usualParts } = options;
  const isOn = (path: SettingPath) => values[path] === true;
  const objects = wanted.flatMap((part) =>
    markedObjects(part).flatMap(({ object, when }) => (when.every(isOn) ? [object] : [])),
  );
  const needsNamespace = wanted.some((part) => part !== "crds" && part !== "roles");
  return [...(needsNamespace ? [namespace] : []), ...objects].map((object) => filledIn(object, values, name));
}
