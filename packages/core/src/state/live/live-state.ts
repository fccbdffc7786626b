import { type PodRanges, readCidrGroup } from "../../cluster/build.js";
import { type Identified, identify } from "../../cluster/identity.js";
import { type CidrGroup, type Cluster, podKey } from "../../cluster/model.js";
import { isWorkloadKind } from "../../cluster/workload.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { countsOf, setOrDelete } from "../../collections/maps.js";
import type { ForeignObject } from "../../foreign/object.js";
import { isObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { compareText } from "../../policy/assemble.js";
import type { PolicyRef, Tiers } from "../../policy/model.js";
import { identityOf, kindOf } from "../object-kind.js";
import { setWarnings } from "../warnings/set-warnings.js";
import { nameOf, skippedKinds, type State, stateOf, type StateOptions } from "../state.js";
import { unseenIn } from "../snapshot/snapshot-kind.js";
import { ownGroup } from "../test-kind.js";
import { LiveForeign } from "./live-foreign.js";
import { LiveNamespaces, LiveNodes } from "./live-nodes.js";
import { LivePods } from "./live-pods.js";
import { LivePolicies } from "./live-policies.js";
import { LiveServices } from "./live-services.js";
import { sameValue } from "./same-value.js";

export type LiveOptions = Pick<
  StateOptions,
  "facts" | "provenance" | "ciliumEnforcement" | "ciliumClusterName" | "ciliumLabels"
>;

/** A state at one moment. It is immutable; unchanged parts are the same objects as before. */
export interface Moment {
  readonly cluster: Cluster;
  readonly tiers: Tiers;
  readonly policies: readonly PolicyRef[];
  /** Objects of APIs that are not evaluated, and so not part of the tiers (S9.7). */
  readonly foreign: readonly ForeignObject[];
  readonly podRanges: PodRanges;
  /** Diagnostics of single policies, if there are any. */
  readonly complaints: ReadonlyMap<PolicyRef, readonly Diagnostic[]>;
  /** Computed on first use: warnings about all policies together take longer than most changes. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * A state to which single objects are added, changed and removed. The result is that of `readState` for the same objects, and each change
 * costs about what it changes.
 *
 *   set, remove ──► pods ──────┬─► namespaces ──┐
 *                   policies ──┘   nodes        ├─► moment()
 *                   services ───────────────────┘
 */
export class LiveState {
  private readonly pods = new LivePods();
  private readonly namespaces = new LiveNamespaces();
  private readonly nodes = new LiveNodes();
  private readonly services: LiveServices;
  private readonly policies: LivePolicies;
  private readonly foreign = new LiveForeign();
  private readonly cidrGroups = new Map<string, CidrGroup>();
  private groupList: readonly CidrGroup[] = [];
  private readonly skipped = new Map<string, string>();
  /** Of single objects, by key; only where there are any. */
  private readonly complaints = new Map<string, readonly Diagnostic[]>();
  private cluster: Cluster | undefined;
  private latest: Moment | undefined;

  constructor(private readonly options: LiveOptions = {}) {
    this.services = new LiveServices({ podCidrs: [], serviceCidrs: [], ...options.facts });
    this.policies = new LivePolicies(options);
  }

  /** Adds or replaces an object. Returns the key to remove it with. */
  set(object: ManifestObject): string {
    const key = keyOf(object);
    const kind = kindOf(object);
    this.latest = undefined;
    switch (kind.what) {
      case "cluster":
        this.complain(key, this.setClusterObject(key, object));
        break;
      case "policy":
        this.namespaces.movedOut(this.policies.namespaceOf(key));
        this.complain(key, this.policies.set(key, object, kind.kind));
        this.namespaces.movedIn(this.policies.namespaceOf(key));
        break;
      case "mistaken":
        this.complain(key, [kind.diagnostic]);
        break;
      case "other":
        this.skipped.set(key, nameOf(object));
        break;
      case "snapshot":
        this.complain(key, unseenIn(object.value));
        break;
      case "foreign":
        this.foreign.set(key, kind.kind, object);
        break;
      case "test":
        break;
    }
    return key;
  }

  remove(key: string): void {
    this.latest = undefined;
    this.complaints.delete(key);
    this.skipped.delete(key);
    this.namespaces.movedOut(this.policies.namespaceOf(key));
    this.policies.remove(key);
    this.foreign.remove(key);
    this.becomes(key, undefined);
  }

  /** The same object as long as nothing changes. */
  moment(): Moment {
    this.latest ??= this.nextMoment();
    return this.latest;
  }

  /** The same as a State, of which other policies can be tried out. Takes time for each policy. */
  state(): State {
    const { cluster, podRanges, foreign } = this.moment();
    const { definitions } = this.policies.settle();
    const rest = { cluster, podRanges, foreign, written: definitions, diagnostics: [], caveats: [] };
    return stateOf(definitions, this.options, { ...rest, skipped: new Map(), usable: true });
  }

  private complain(key: string, found: readonly Diagnostic[]): void {
    setOrDelete(this.complaints, key, found.length === 0 ? undefined : found);
  }

  private setClusterObject(key: string, object: ManifestObject): readonly Diagnostic[] {
    const diagnostics: Diagnostic[] = [];
    const identified = identify(object, this.pods.shared, diagnostics);
    this.becomes(key, identified, diagnostics);
    return diagnostics;
  }

  /** An object of the cluster as it is now; undefined: removed. */
  private becomes(key: string, object: Identified | undefined, diagnostics: Diagnostic[] = []): void {
    const [, kind = ""] = key.split(" ");
    const called = key.slice(key.lastIndexOf(" ") + 1);
    if (kind === "Pod") this.pods.set(object === undefined ? called : podKey(object), object);
    else if (kind === "Namespace") this.namespaces.set(object?.name ?? called, object);
    else if (kind === "Node") this.nodes.set(object?.name ?? called, object);
    else if (kind === "Service") this.services.set(called, object, diagnostics);
    else if (kind === "EndpointSlice") this.services.setSlice(called, object);
    else if (kind === "CiliumCIDRGroup") this.setGroup(key, object && readCidrGroup(object));
    else if (isWorkloadKind(kind)) this.pods.setWorkload(key, object);
  }

  private setGroup(key: string, group: CidrGroup | undefined): void {
    if (sameValue(group, this.cidrGroups.get(key))) return;
    setOrDelete(this.cidrGroups, key, group);
    this.groupList = [...this.cidrGroups.values()].toSorted((a, b) => compareText(a.name, b.name));
  }

  private nextMoment(): Moment {
    for (const change of this.pods.settle()) {
      this.namespaces.movedIn(change.after?.namespace);
      this.namespaces.movedOut(change.before?.namespace);
      this.nodes.podChanged(change);
    }
    const { tiers, policies, effects, complaints } = this.policies.settle();
    const cluster: Cluster = {
      namespaces: this.namespaces.settle(),
      pods: this.pods.pods,
      nodes: this.nodes.settle(),
      ...this.services.settle(),
      workloads: this.pods.workloads,
      cidrGroups: this.groupList,
    };
    const settled = this.cluster !== undefined && sameParts(cluster, this.cluster) ? this.cluster : cluster;
    this.cluster = settled;
    const single = [
      ...[...this.complaints].toSorted(([a], [b]) => compareText(a, b)).flatMap(([, found]) => found),
      ...this.pods.diagnostics,
      ...this.namespaces.diagnostics(),
      ...(this.skipped.size === 0 ? [] : [skippedKinds(countsOf(this.skipped.values()))]),
    ];
    let diagnostics: readonly Diagnostic[] | undefined;
    return {
      cluster: settled,
      tiers,
      policies,
      foreign: this.foreign.settle(policies),
      podRanges: this.nodes.podRanges,
      complaints,
      get diagnostics() {
        return (diagnostics ??= [...single, ...setWarnings(settled, effects, policies)]);
      },
    };
  }
}

/** The key of an object: a cluster cannot have two objects with the same key (S10.4). */
export function keyOf(object: ManifestObject): string {
  const kind = kindOf(object);
  const identity = identityOf(object, kind);
  if (identity !== undefined) return identity;
  const { name } = isObject(object.value.metadata) ? object.value.metadata : {};
  if (kind.what === "test" && typeof name === "string") return `${ownGroup} ${object.kind} ${name}`;
  // An object without a name is in no cluster; its place identifies it.
  const { file, line, column } = object.document.placeOf(object.path);
  return `- ${object.kind} ${JSON.stringify([file, line, column])}`;
}

function sameParts(a: Cluster, b: Cluster): boolean {
  return clusterParts.every((part) => a[part] === b[part]);
}

const clusterParts = ["namespaces", "pods", "nodes", "services", "workloads", "cidrGroups", "facts"] as const;
