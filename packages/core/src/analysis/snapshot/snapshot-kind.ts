import { type Diagnostic, diagnostic } from "../../diagnostics/diagnostic.js";
import { texts } from "../../cluster/fields.js";
import type { JsonObject } from "../../manifest/document.js";

/** The object in a snapshot that tells what it lacks. */
export const snapshotKind = { apiVersion: "tierwall.dev/v1", kind: "Snapshot" } as const;

/** Resources, as `networkpolicies.networking.k8s.io`. */
export interface Unseen {
  /** Those that may not be read: what they hold is not known. */
  readonly forbidden: readonly string[];
  /** Those that the cluster does not serve: there are none of them. */
  readonly missing: readonly string[];
}

export function snapshotObject({ forbidden, missing }: Unseen): JsonObject {
  return { ...snapshotKind, forbidden, missing };
}

/** What answers do not cover, because it was not to be seen. */
export function unseenIn(snapshot: JsonObject): readonly Diagnostic[] {
  const [forbidden, missing] = [texts(snapshot, "forbidden"), texts(snapshot, "missing")];
  return [...forbidden.map(forbiddenKind), ...(missing.length === 0 ? [] : [missingKinds(missing)])];
}

function forbiddenKind(resource: string): Diagnostic {
  return diagnostic("TW2025", `${resource} may not be read: answers are as if there were none`, {
    hint: `Ask for a role that lists them in the whole cluster; \`kubectl auth can-i list ${resource} -A\` tells whether you may.`,
  });
}

function missingKinds(resources: readonly string[]): Diagnostic {
  return diagnostic("TW3006", `the cluster does not serve ${resources.join(", ")}: there are none`);
}
