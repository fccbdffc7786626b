import { readdirSync, readFileSync } from "node:fs";
import type { JsonObject } from "@tierwall/core/manifest";
import { parse } from "yaml";
import type { ApiClient } from "./api-client.js";

/* A cluster for tests about policies: definitions, a few pods, and short ways to write policies down. */

export const systemNamespace = "tierwall-system";

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly storage?: boolean;
      readonly schema: { readonly openAPIV3Schema: JsonObject };
    }[];
  };
}

/** Of deploy/crds, or of a folder of it. */
export function definitionsIn(folder: "" | "first-draft/" | "kep-2091/"): readonly Definition[] {
  const root = new URL(`../../deploy/crds/${folder}`, import.meta.url);
  const files = readdirSync(root).filter((name) => name.endsWith(".yaml"));
  return files.map((name) => parse(readFileSync(new URL(name, root), "utf8")) as Definition);
}

/** The same, but it takes any spec, as a definition of a newer version would take more than we know. */
export function lenient(definition: Definition): Definition {
  const versions = definition.spec.versions.map((version) => {
    const { openAPIV3Schema: root } = version.schema;
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const properties = { ...(root.properties as JsonObject), spec: anything };
    return { ...version, schema: { openAPIV3Schema: { type: "object", properties } } };
  });
  return { ...definition, spec: { ...definition.spec, versions } };
}

export async function install(api: ApiClient, definitions: readonly Definition[]): Promise<void> {
  for (const definition of definitions) await api.create(definitionsPath, definition);
  for (const { spec } of definitions) {
    const path = `/apis/${spec.group}/${spec.versions[0]!.name}/${spec.names.plural}`;
    for (let tries = 0; (await api.statusOf(path)) !== 200; tries++) {
      if (tries > 1200) throw new Error(`${path} is not served`);
      await new Promise((next) => setTimeout(next, 100));
    }
  }
}

/** Where policies of a kind are, and what they call themselves. */
export interface PolicyKind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

const kindOf = (apiVersion: string, kind: string, plural: string): PolicyKind => ({
  path: `/apis/${apiVersion}/${plural}`,
  apiVersion,
  kind,
});

export const kinds = {
  cluster: kindOf("policy.networking.k8s.io/v1alpha2", "ClusterNetworkPolicy", "clusternetworkpolicies"),
  admin: kindOf("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "adminnetworkpolicies"),
  baseline: kindOf(
    "policy.networking.k8s.io/v1alpha1",
    "BaselineAdminNetworkPolicy",
    "baselineadminnetworkpolicies",
  ),
  draft: kindOf("netpol.networking.k8s.io/v1alpha1", "ClusterNetworkPolicy", "clusternetworkpolicies"),
  draftDefault: kindOf(
    "netpol.networking.k8s.io/v1alpha1",
    "ClusterDefaultNetworkPolicy",
    "clusterdefaultnetworkpolicies",
  ),
  guarantee: kindOf("tierwall.dev/v1", "Guarantee", "guarantees"),
} as const;

/** Gives back its path. */
export async function createPolicy(
  api: ApiClient,
  { path, apiVersion, kind }: PolicyKind,
  name: string,
  spec: JsonObject,
): Promise<string> {
  await api.create(path, { apiVersion, kind, metadata: { name }, spec });
  return `${path}/${name}`;
}

/** The namespace `shop` with pods web, cart and db, on nodes n1 and n2. */
export async function populate(api: ApiClient): Promise<void> {
  for (const name of [systemNamespace, "shop"])
    await api.create("/api/v1/namespaces", { metadata: { name } });
  for (const name of ["n1", "n2"]) await api.create("/api/v1/nodes", { metadata: { name } });
  for (const [i, name] of ["web", "cart", "db"].entries())
    await createPod(api, name, `10.0.0.${i + 1}`, `n${(i % 2) + 1}`);
}

export async function createPod(api: ApiClient, name: string, ip: string, nodeName = "n1"): Promise<void> {
  const spec = { nodeName, containers: [{ name: "main", image: "none" }] };
  await api.create("/api/v1/namespaces/shop/pods", { metadata: { name, labels: { app: name } }, spec });
  await api.patch(`/api/v1/namespaces/shop/pods/${name}/status`, {
    status: { phase: "Running", podIP: ip, podIPs: [{ ip }] },
  });
}

/** As subject or as peer. */
export const podsOf = (app: string): JsonObject => ({
  pods: { namespaceSelector: {}, podSelector: { matchLabels: { app } } },
});

/** The spec of a ClusterNetworkPolicy about what enters pods. */
export function guarding(
  subject: string,
  priority: number,
  ...rules: readonly (readonly [action: string, from: string])[]
): JsonObject {
  return {
    tier: "Admin",
    priority,
    subject: podsOf(subject),
    ingress: rules.map(([action, from], i) => ({ name: `rule-${i}`, action, from: [podsOf(from)] })),
  };
}

export interface FoundCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/** By type. */
export async function conditionsAt(
  api: ApiClient,
  path: string,
): Promise<Readonly<Record<string, FoundCondition>>> {
  const { body } = await api.ask({ path });
  return conditionsOf(body);
}

export function conditionsOf(object: object): Readonly<Record<string, FoundCondition>> {
  const { status } = object as { status?: { conditions?: (FoundCondition & { type: string })[] } };
  return Object.fromEntries((status?.conditions ?? []).map(({ type, ...rest }) => [type, rest]));
}
