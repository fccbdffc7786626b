import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { given } from "../../diagnostics/given.js";
import { child, text, texts } from "../../cluster/fields.js";
import type { JsonObject } from "../../manifest/document.js";

/** The object in a snapshot that lists what is missing. */
export const snapshotKind = { apiVersion: "tierwall.dev/v1", kind: "Snapshot" } as const;

/** Resources, as `networkpolicies.networking.k8s.io`. */
export interface Unseen {
  /** Those that cannot be read: their objects are unknown. */
  readonly forbidden: readonly string[];
  /** Those that the cluster does not serve: there are none of them. */
  readonly missing: readonly string[];
  /** Why the APIs of the cluster could not be listed: policies of other projects may exist. */
  readonly undiscovered?: string;
  /** Those that can be read in one namespace only: their objects elsewhere are unknown. */
  readonly onlyIn?: { readonly namespace: string; readonly resources: readonly string[] };
}

export function snapshotObject({ forbidden, missing, undiscovered, onlyIn }: Unseen): JsonObject {
  return { ...snapshotKind, forbidden, missing, ...given({ undiscovered, onlyIn }) };
}

/** The same with another name for its namespace. */
export function snapshotRenamed(snapshot: JsonObject, renamed: (namespace: string) => string): JsonObject {
  const onlyIn = child(snapshot, "onlyIn");
  const namespace = text(onlyIn, "namespace");
  return namespace === undefined
    ? snapshot
    : { ...snapshot, onlyIn: { ...onlyIn, namespace: renamed(namespace) } };
}

/** What answers do not cover, because it could not be read. */
export function unseenIn(snapshot: JsonObject): readonly Diagnostic[] {
  const [forbidden, missing] = [texts(snapshot, "forbidden"), texts(snapshot, "missing")];
  const undiscovered = text(snapshot, "undiscovered");
  const onlyIn = child(snapshot, "onlyIn");
  const [partly, namespace = ""] = [texts(onlyIn, "resources"), text(onlyIn, "namespace")];
  const found: Diagnostic[] = [];
  if (partly.length > 0)
    found.push(
      unreadable(
        partly[0]!,
        `${partly.join(", ")} can be read only in namespace \`${namespace}\`; answers assume that there are none elsewhere`,
      ),
    );
  for (const resource of forbidden)
    found.push(unreadable(resource, `${resource} cannot be read; answers assume that there are none`));
  if (undiscovered !== undefined)
    found.push(
      diagnostic(
        "TW2030",
        `the APIs of the cluster cannot be listed; answers assume that there are no policies of other projects (${undiscovered})`,
        { hint: "Ask for the ClusterRole `system:discovery`; check with `kubectl get --raw /apis`." },
      ),
    );
  if (missing.length > 0)
    found.push(diagnostic("TW3006", `the cluster does not serve ${missing.join(", ")}`));
  return found;
}

const unreadable = (resource: string, message: string): Diagnostic =>
  diagnostic("TW2025", message, {
    hint: `Ask for a role that can list them in the whole cluster; check with \`kubectl auth can-i list ${resource} -A\`.`,
  });
