import { getOrInsert, setOrDelete } from "../../collections/maps.js";
import type { Identified } from "../../cluster/identity.js";
import { type Pod, podKey, type Workload } from "../../cluster/model.js";
import type { ReadPod } from "../../cluster/pod.js";
import { Shared } from "../../cluster/shared.js";
import { buildWorkloads, readPodObject, refKey, workloadByName } from "../../cluster/workload.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { compareText } from "../../policy/assemble.js";
import { editedMap } from "./edited-map.js";
import { sameValue } from "./same-value.js";

/** A pod that was added, removed or changed. */
export interface ChangedPod {
  readonly key: string;
  readonly before: Pod | undefined;
  readonly after: Pod | undefined;
}

/**
 * The pods there are, and their workloads. Where no workload is among the objects, as in a cluster that is watched, each pod
 * is on its own and a change costs only what changed; with workloads, the owners of all pods are determined again.
 */
export class LivePods {
  private readonly read = new Map<string, ReadPod>();
  private readonly workloadObjects = new Map<string, Identified>();
  private readonly changed = new Set<string>();
  private all: ReadonlyMap<string, Pod> = new Map();
  private workloadsByRef = new Map<string, Workload>();
  private workloadList: readonly Workload[] = [];
  private isStale = false;
  /** The number of pods that were read with the present `shared`, which only grows. */
  private readings = 0;
  shared = new Shared();
  /** Of templates. */
  diagnostics: readonly Diagnostic[] = [];

  get pods(): ReadonlyMap<string, Pod> {
    return this.all;
  }

  get workloads(): readonly Workload[] {
    return this.workloadList;
  }

  set(key: string, object: Identified | undefined): void {
    this.renewShared();
    const pod = object && readPodObject(object, this.shared);
    if (pod === undefined) {
      if (this.read.delete(key)) this.changed.add(key);
      return;
    }
    const workload = workloadByName(pod, this.shared);
    if (workload !== undefined) pod.workload = workload;
    if (sameValue(pod, this.read.get(key))) return;
    this.read.set(key, pod);
    this.changed.add(key);
  }

  setWorkload(key: string, object: Identified | undefined): void {
    setOrDelete(this.workloadObjects, key, object);
    this.isStale = true;
  }

  /** Applies the changes since the last time. */
  settle(): readonly ChangedPod[] {
    const hasWorkloads = this.isStale || (this.workloadObjects.size > 0 && this.changed.size > 0);
    const pods = hasWorkloads ? this.podsWithWorkloads() : this.read;
    const keys = hasWorkloads ? new Set([...this.all.keys(), ...pods.keys()]) : this.changed;
    const real = [...keys]
      .map((key) => ({ key, before: this.all.get(key), after: pods.get(key) }))
      .filter(({ before, after }) => !sameValue(before, after));
    this.changed.clear();
    this.isStale = false;
    if (real.length === 0) return real;
    this.all = editedMap(this.all, new Map(real.map(({ key, after }) => [key, after])));
    this.regroup(real);
    return real;
  }

  private podsWithWorkloads(): ReadonlyMap<string, Pod> {
    const pods = new Map(Array.from(this.read, ([key, pod]) => [key, { ...pod }]));
    const diagnostics: Diagnostic[] = [];
    const objects = [...this.workloadObjects].toSorted(([a], [b]) => compareText(a, b));
    buildWorkloads(
      pods,
      objects.map(([, object]) => object),
      this.shared,
      diagnostics,
    );
    this.diagnostics = diagnostics;
    return pods;
  }

  private regroup(changes: readonly ChangedPod[]): void {
    const members = new Map<string, Map<string, Pod>>();
    const membersOf = (pod: Pod | undefined) => {
      if (pod?.workload === undefined) return undefined;
      const ref = refKey(pod.workload);
      const pods = () => (this.workloadsByRef.get(ref)?.pods ?? []).map((its) => [podKey(its), its] as const);
      return getOrInsert(members, ref, () => new Map(pods()));
    };
    for (const { key, before } of changes) membersOf(before)?.delete(key);
    for (const { key, after } of changes) if (after !== undefined) membersOf(after)?.set(key, after);
    let isNew = false;
    for (const [ref, its] of members) {
      const pods = [...its.values()].toSorted((a, b) => compareText(a.name, b.name));
      isNew ||= pods.length > 0 && !this.workloadsByRef.has(ref);
      setOrDelete(this.workloadsByRef, ref, pods[0] && { ...pods[0].workload!, pods });
    }
    // The result must not depend on the order of the changes.
    if (isNew)
      this.workloadsByRef = new Map([...this.workloadsByRef].toSorted(([a], [b]) => compareText(a, b)));
    if (members.size > 0) this.workloadList = [...this.workloadsByRef.values()];
  }

  private renewShared(): void {
    if (++this.readings <= 2 * this.read.size + 10_000) return;
    this.shared = new Shared();
    this.readings = 0;
  }
}
