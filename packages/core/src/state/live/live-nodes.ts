import { getOrInsert, setOrDelete } from "../../collections/maps.js";
import { type PodRanges, madeUp, missingNamespace, namespaceOf } from "../../cluster/build.js";
import type { Identified } from "../../cluster/identity.js";
import type { Node, Pod, Namespace } from "../../cluster/model.js";
import { addHostAddresses, nodeWith, podRangesOf, readNode } from "../../cluster/node.js";
import type { Address } from "../../net/address.js";
import { compareText } from "../../policy/assemble.js";
import type { ChangedPod } from "./live-pods.js";
import { editedMap } from "./edited-map.js";
import { sameValue } from "./same-value.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";

/** All nodes: those of the input, and those that pods run on. */
export class LiveNodes {
  private readonly written = new Map<string, Node>();
  private readonly podsOn = new Map<string, Map<string, Pod>>();
  private readonly changed = new Set<string>();
  private all: ReadonlyMap<string, Node> = new Map();
  private ranges: PodRanges = new Map();

  get podRanges(): PodRanges {
    return this.ranges;
  }

  set(name: string, object: Identified | undefined): void {
    setOrDelete(this.written, name, object && readNode(object));
    this.changed.add(name);
    this.setRanges(name, object === undefined ? [] : podRangesOf(object));
  }

  private setRanges(name: string, ranges: readonly string[]): void {
    if (sameValue(this.ranges.get(name) ?? [], ranges)) return;
    const next = new Map(this.ranges);
    setOrDelete(next, name, ranges.length === 0 ? undefined : ranges);
    this.ranges = next;
  }

  podChanged({ key, before, after }: ChangedPod): void {
    if (before?.node !== undefined) {
      const others = this.podsOn.get(before.node);
      others?.delete(key);
      if (others?.size === 0) this.podsOn.delete(before.node);
      this.changed.add(before.node);
    }
    if (after?.node !== undefined) {
      getOrInsert(this.podsOn, after.node, () => new Map()).set(key, after);
      this.changed.add(after.node);
    }
  }

  settle(): ReadonlyMap<string, Node> {
    const changes = new Map<string, Node | undefined>();
    for (const name of this.changed) {
      const node = this.nodeCalled(name);
      if (!sameValue(node, this.all.get(name))) changes.set(name, node);
    }
    this.changed.clear();
    this.all = editedMap(this.all, changes);
    return this.all;
  }

  private nodeCalled(name: string): Node | undefined {
    const [written, pods] = [this.written.get(name), this.podsOn.get(name)];
    // Pods are not needed if the node itself has addresses.
    if (pods === undefined || (written !== undefined && written.addresses.length > 0)) return written;
    const addresses: Address[] = [];
    for (const [, pod] of [...pods].toSorted(([a], [b]) => compareText(a, b)))
      addHostAddresses(addresses, pod);
    return nodeWith(name, written, addresses);
  }
}

/** All namespaces: those of the input, and those of pods and policies. */
export class LiveNamespaces {
  private readonly written = new Map<string, Namespace>();
  private readonly inhabitants = new Map<string, number>();
  private readonly changed = new Set<string>();
  private all: ReadonlyMap<string, Namespace> = new Map();

  set(name: string, object: Identified | undefined): void {
    setOrDelete(this.written, name, object && namespaceOf(name, object.labels));
    this.changed.add(name);
  }

  movedIn(namespace: string | undefined): void {
    this.count(namespace, 1);
  }

  movedOut(namespace: string | undefined): void {
    this.count(namespace, -1);
  }

  private count(namespace: string | undefined, more: number): void {
    if (namespace === undefined) return;
    const count = (this.inhabitants.get(namespace) ?? 0) + more;
    setOrDelete(this.inhabitants, namespace, count === 0 ? undefined : count);
    if (count <= 1) this.changed.add(namespace);
  }

  settle(): ReadonlyMap<string, Namespace> {
    const changes = new Map<string, Namespace | undefined>();
    for (const name of this.changed) {
      const made = this.inhabitants.has(name) ? missingNamespace(name) : undefined;
      const namespace = this.written.get(name) ?? made;
      if (!sameValue(namespace, this.all.get(name))) changes.set(name, namespace);
    }
    this.changed.clear();
    this.all = editedMap(this.all, changes);
    return this.all;
  }

  diagnostics(): readonly Diagnostic[] {
    const missing = [...this.inhabitants.keys()].filter((name) => !this.written.has(name));
    return missing.toSorted(compareText).map(madeUp);
  }
}
