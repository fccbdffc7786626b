import type { JsonObject } from "@tierwall/core/manifest";
import type { PolicyRef } from "@tierwall/core/model";
import { guaranteeKind, policyKinds } from "../cluster/kinds.js";
import { isEarlier, listAt, textAt } from "../cluster/object-fields.js";
import { conditionsOn, type StoredCondition } from "./condition.js";

/** What an API server stores of a policy that no verdict depends on. */
export interface StoredPolicy {
  readonly uid: string;
  readonly created: string;
  readonly conditions: readonly StoredCondition[];
  /** Of guarantees. */
  readonly restsOn: readonly unknown[];
}

interface Entry extends StoredPolicy {
  conditions: readonly StoredCondition[];
  restsOn: readonly unknown[];
  /** What we wrote last, and when. */
  written?: { readonly version: string; readonly at: number };
}

const groups: ReadonlySet<string> = new Set([...policyKinds, guaranteeKind].map(({ group }) => group));

/** Milliseconds after a write in which the watch may still deliver earlier versions. */
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
    const uid = object === undefined ? "" : policyUidOf(object);
    if (known !== undefined && known.uid !== uid) {
      this.byKey.delete(key);
      this.byUid.delete(known.uid);
    }
    if (object === undefined || uid === "") return;
    const created = textAt(object, "metadata", "creationTimestamp");
    const entry = this.byUid.get(uid) ?? { uid, created, conditions: [], restsOn: [] };
    this.byKey.set(key, entry);
    this.byUid.set(uid, entry);
    if (isOutdated(entry, versionOf(object))) return;
    this.read(entry, object);
    this.onChange(uid);
  }

  /** What the API server answered to our write, before the watch delivers it. */
  wrote(uid: string, object: JsonObject): void {
    const entry = this.byUid.get(uid);
    if (entry === undefined) return;
    this.read(entry, object);
    entry.written = { version: versionOf(object), at: performance.now() };
  }

  private read(entry: Entry, object: JsonObject): void {
    entry.conditions = conditionsOn(object);
    entry.restsOn = listAt(object, "status", "restsOn");
  }
}

function policyUidOf(object: JsonObject): string {
  const [group] = textAt(object, "apiVersion").split("/");
  return groups.has(group!) ? textAt(object, "metadata", "uid") : "";
}

const versionOf = (object: JsonObject): string => textAt(object, "metadata", "resourceVersion");

/** Versions grow, except where the server's data was put back to an earlier time: so this holds for a while only. */
function isOutdated({ written }: Entry, version: string): boolean {
  if (written === undefined || performance.now() - written.at > watchDelay) return false;
  return isEarlier(version, written.version);
}
