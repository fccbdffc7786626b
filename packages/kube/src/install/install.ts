import type { JsonObject } from "@tierwall/core/manifest";
import { definitionsOf } from "../crds/bundles.js";
import { webhookConfiguration } from "../webhook/configuration.js";
import { filledIn, here, valueOf } from "./marked.js";
import { systemNamespace } from "../controller/programmed-report.js";
import { ownLeases } from "./own-leases.js";
import { metricsReaders, monitors } from "./monitors.js";
import { clusterWide, nameOf } from "./names.js";
import {
  agentRoles,
  controllerRoles,
  firstDraftEditors,
  firstDraftRoles,
  peoplesRoles,
  webhookConfigurationName,
} from "./roles.js";
import {
  agentMetricsService,
  metricsNetworkPolicy,
  metricsService,
  pageNetworkPolicy,
  pageService,
  webhookNetworkPolicy,
  webhookService,
} from "./services.js";
import { type SettingPath, usualValues, type Values } from "./settings.js";
import {
  account,
  agentDaemonSet,
  controllerBudget,
  controllerDeployment,
  namespace,
  webhookServiceName,
} from "./workloads.js";

/** What is installed together, in the order in which it is applied. */
export const parts = ["crds", "roles", "controller", "webhook", "agent", "first-draft"] as const;

export type Part = (typeof parts)[number];

/**
 * What one file has that is applied and deleted: everything but the definitions. Who deletes a definition deletes all
 * policies of its kind, so definitions are applied on their own, from deploy/crds.
 */
export const usualParts: readonly Part[] = parts.filter((part) => part !== "crds");

/** An object, and the switches that must be on for it to be there. */
export interface Installed {
  readonly object: JsonObject;
  readonly when: readonly SettingPath[];
}

const withSwitches = (when: readonly SettingPath[], objects: readonly JsonObject[]): readonly Installed[] =>
  objects.map((object) => ({ object, when }));

const definitions = (bundle: "released" | "first-draft"): readonly JsonObject[] =>
  definitionsOf(bundle) as unknown as readonly JsonObject[];

/** With marks where settings decide. */
export function markedObjects(part: Part): readonly Installed[] {
  switch (part) {
    case "crds":
      return [
        ...withSwitches([], definitions("released")),
        ...withSwitches(["firstDraft.enabled"], definitions("first-draft")),
      ];
    case "roles":
      return [...withSwitches([], peoplesRoles), ...withSwitches(["monitoring.enabled"], [metricsReaders])];
    case "controller":
      return withSwitches(
        ["controller.enabled"],
        [account("controller"), ...controllerRoles, metricsService, controllerDeployment, controllerBudget],
      ).concat(
        withSwitches(["controller.enabled", "networkPolicy.enabled"], [metricsNetworkPolicy]),
        withSwitches(["controller.enabled", "page.enabled"], [pageService]),
        withSwitches(["controller.enabled", "page.enabled", "networkPolicy.enabled"], [pageNetworkPolicy]),
        withSwitches(["controller.enabled", "monitoring.enabled"], [monitors.controller]),
      );
    case "webhook":
      return [
        ...withSwitches(["controller.enabled", "webhook.enabled"], [webhookService, configuration()]),
        ...withSwitches(
          ["controller.enabled", "webhook.enabled", "networkPolicy.enabled"],
          [webhookNetworkPolicy],
        ),
      ];
    case "agent":
      return [
        ...withSwitches(["agent.enabled"], [account("agent"), ...agentRoles]),
        ...withSwitches(["agent.enabled", "agent.ownLeasesOnly"], ownLeases),
        ...withSwitches(["agent.enabled"], [agentDaemonSet]),
        ...withSwitches(["agent.enabled", "monitoring.enabled"], [agentMetricsService, monitors.agent]),
      ];
    case "first-draft":
      return [
        ...withSwitches(["firstDraft.enabled"], firstDraftRoles),
        ...withSwitches(["firstDraft.enabled", "firstDraft.letEditorsManage"], [firstDraftEditors]),
      ];
  }
}

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
