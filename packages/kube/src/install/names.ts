import type { JsonObject } from "@tierwall/core/manifest";
import { appName, fullName, here } from "./marked.js";

export type Component = "controller" | "agent" | "cleanup";

export const nameOf = (component: Component): string => called(component);

/** The name of an object: with the prefix of the installation. */
export const called = (suffix: string): string => `${fullName}-${suffix}`;

export const partOf = { "app.kubernetes.io/name": appName } as const;

/** What selects the pods of a component, and may never change. */
export const selectorOf = (component: Component) =>
  ({ ...partOf, "app.kubernetes.io/component": component }) as const;

export const inNamespace = (component: Component, name: string = nameOf(component)): JsonObject => ({
  name,
  namespace: here,
  labels: selectorOf(component),
});

export const clusterWide = (name: string, labels: Readonly<Record<string, string>> = {}): JsonObject => ({
  name,
  labels: { ...partOf, ...labels },
});
