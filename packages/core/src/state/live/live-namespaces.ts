import { setOrDelete } from "../../collections/maps.js";
import { madeUp, missingNamespace, namespaceOf } from "../../cluster/build.js";
import type { Identified } from "../../cluster/identity.js";
import type { Namespace } from "../../cluster/model.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { compareText } from "../../policy/assemble.js";
import { editedMap } from "./edited-map.js";
import { sameValue } from "./same-value.js";

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
