import type { JsonObject } from "@tierwall/core";
import { here } from "./marked.js";

export type Component = "controller" | "agent" | "cleanup";

export const nameOf = (component: Component): string => `tierwall-${component}`;

export const partOf = { "app.kubernetes.io/name": "tierwall" } as const;

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
