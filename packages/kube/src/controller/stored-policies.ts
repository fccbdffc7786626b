import { isObject, type JsonObject, type PolicyRef } from "@tierwall/core";
import { conditionsOn, type StoredCondition } from "./condition.js";

/** What an API server holds of a policy that no verdict hangs on. */
export interface StoredPolicy {
  readonly uid: string;
  readonly created: string;
  readonly conditions: readonly StoredCondition[];
}

interface Entry extends StoredPolicy {
  conditions: readonly StoredCondition[];
  /** What we wrote last, and when. */
  written?: { readonly version: string; readonly at: number };
}

const policyGroups = [
  "networking.k8s.io",
  "policy.networking.k8s.io",
  "netpol.networking.k8s.io",
  "cilium.io",
];

/** Milliseconds after a write in which the watch may still tell of versions before it. */
const watchDelay = 10_000;

/** Policies as the API server last gave them out: what conditions they have, and since when they are there. */
export class StoredPolicies {
  private readonly byKey = new Map<string, Entry>();
  private readonly byUid = new Map<string, Entry>();

  constructor(private readonly onChange: (uid: string) => void) {}

  of({ stored }: Pick<PolicyRef, "stored">): StoredPolicy | undefined {
    return stored === undefined ? undefined : this.byUid.get(stored.uid);
  }

  /** An object of any kind that came or changed; undefined: it is gone. */
  saw(key: string, object: JsonObject | undefined): void {
    const known = this.byKey.get(key);
    const uid = object === undefined ? undefined : policyUidOf(object);
    if (known !== undefined && known.uid !== uid) {
      this.byKey.delete(key);
      this.byUid.delete(known.uid);
    }
    if (object === undefined || uid === undefined) return;
    const { creationTimestamp: created, resourceVersion } = object.metadata as JsonObject;
    const entry = this.byUid.get(uid) ?? { uid, created: textIn(created), conditions: [] };
    this.byKey.set(key, entry);
    this.byUid.set(uid, entry);
    if (isOutdated(entry, textIn(resourceVersion))) return;
    entry.conditions = conditionsOn(object);
    this.onChange(uid);
  }

  /** What the API server answered to a write of ours, before it tells everybody. */
  wrote(uid: string, object: JsonObject): void {
    const entry = this.byUid.get(uid);
    if (entry === undefined) return;
    const { resourceVersion } = isObject(object.metadata) ? object.metadata : {};
    entry.conditions = conditionsOn(object);
    entry.written = { version: textIn(resourceVersion), at: performance.now() };
  }
}

function policyUidOf({ apiVersion, metadata }: JsonObject): string | undefined {
  const uid = isObject(metadata) ? metadata.uid : undefined;
  const [group] = textIn(apiVersion).split("/");
  return typeof uid === "string" && policyGroups.includes(group!) ? uid : undefined;
}

/** Versions grow, except where the server's data was put back to an earlier time: so this holds for a while only. */
function isOutdated({ written }: Entry, version: string): boolean {
  if (written === undefined || performance.now() - written.at > watchDelay) return false;
  return /^\d+$/.test(version) && /^\d+$/.test(written.version) && BigInt(version) < BigInt(written.version);
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
