import { isSubject, namedNamespaces } from "@tierwall/core/engine";
import {
  type Direction,
  formatAddress,
  type Inventory,
  type Isolation,
  namespaceNameLabel,
  type Pod,
  type PodEndpoint,
  type PodSelection,
  type Rule,
  type TierName,
  type Tiers,
} from "@tierwall/core/model";
import { getOrInsert, grouped } from "@tierwall/core/state";
import { sameList } from "../../ruleset/equality.js";
import { namespaceOf } from "../endpoints/ends.js";
import type { PodChanges } from "../endpoints/pod-changes.js";

/** Pods of this node that no rule can distinguish as subjects. */
export interface Subject {
  readonly key: string;
  readonly sample: PodEndpoint;
}

/** The part of one tier that applies to a subject. */
export interface Row {
  readonly direction: Direction;
  readonly tier: TierName;
  readonly rules: readonly Rule[];
  readonly isolation: readonly Isolation[];
}

export type Rows = Readonly<Record<Direction, readonly Row[]>>;

/** Finds the rules that apply to pods of this node. Results are reused while pods and rules stay the same. */
export class Subjects {
  /** The pods of this node with their own network and an address. */
  readonly pods = new Map<Pod, Subject>();
  /** S1.17: pods of other nodes that report an address of one of these. */
  rivals: ReadonlyMap<Pod, Subject> = new Map();
  /** S1.17: subjects with a pod that shares an address with a pod of another subject. The same object while its contents stay the same. */
  sharing: ReadonlySet<Subject> = new Set();
  private subjects: ReadonlyMap<string, Subject> = new Map();
  private selected: Selected = () => [];
  private tiers: Tiers | undefined;
  private found: ReadonlyMap<Subject, Rows> = new Map();

  constructor(private readonly node: string) {}

  /** Returns the same object while nothing in it changes. */
  update(
    cluster: Inventory,
    tiers: Tiers,
    { come, gone }: PodChanges,
    rivals: ReadonlySet<Pod>,
  ): ReadonlyMap<Subject, Rows> {
    for (const pod of gone) this.pods.delete(pod);
    const isLocal = (pod: Pod) => pod.node === this.node && !pod.hostNetwork && pod.addresses.length > 0;
    const arrived = come.filter(isLocal);
    const before = this.subjects;
    this.findSubjects(cluster, [...this.pods.keys(), ...arrived], rivals);
    const isSame =
      before.size === this.subjects.size &&
      [...this.subjects.values()].every((subject) => before.get(subject.key) === subject);
    this.findSharing();
    if (isSame && tiers === this.tiers) return this.found;
    if (!isSame) this.selected = selectionOf(this.subjects.values());
    this.tiers = tiers;
    this.found = this.rowsOf(tiers);
    return this.found;
  }

  hasRivals(rivals: ReadonlySet<Pod>): boolean {
    return rivals.size === this.rivals.size && [...rivals].every((pod) => this.rivals.has(pod));
  }

  private findSubjects(cluster: Inventory, pods: readonly Pod[], rivals: ReadonlySet<Pod>): void {
    const subjects = new Map<string, Subject>();
    const subjectOf = (pod: Pod): Subject => {
      const namespace = namespaceOf(cluster, pod);
      const key = (this.pods.get(pod) ?? this.rivals.get(pod))?.key ?? subjectKey(pod);
      const before = this.subjects.get(key);
      // The rules of a rival are applied to packets on this node.
      const sample = { kind: "pod", pod: { ...pod, node: this.node }, namespace } as const;
      return getOrInsert(subjects, key, () =>
        before?.sample.namespace === namespace ? before : { key, sample },
      );
    };
    for (const pod of pods) this.pods.set(pod, subjectOf(pod));
    this.rivals = new Map([...rivals].map((pod) => [pod, subjectOf(pod)]));
    this.subjects = subjects;
  }

  private findSharing(): void {
    const at = new Map<string, Subject>();
    const sharing = new Set<Subject>();
    for (const [pod, subject] of [...this.pods, ...this.rivals])
      for (const text of pod.addresses.map(formatAddress)) {
        const other = at.get(text) ?? subject;
        if (other !== subject) sharing.add(subject).add(other);
        // Addresses that only pods of other nodes share are not judged here.
        if (this.pods.has(pod)) at.set(text, other);
      }
    const isSame = sharing.size === this.sharing.size && [...sharing].every((one) => this.sharing.has(one));
    if (!isSame) this.sharing = sharing;
  }

  private rowsOf(tiers: Tiers): Map<Subject, Rows> {
    const found = new Map<Subject, Record<Direction, Row[]>>();
    for (const subject of this.subjects.values()) found.set(subject, { egress: [], ingress: [] });
    for (const direction of ["egress", "ingress"] as const)
      for (const tier of tiers[direction]) {
        const rules = bySubject(tier.rules, this.selected);
        const isolation = bySubject(tier.isolation, this.selected);
        for (const subject of new Set([...rules.keys(), ...isolation.keys()])) {
          const row: Row = {
            direction,
            tier: tier.name,
            rules: rules.get(subject) ?? [],
            isolation: eachPolicyOnce(isolation.get(subject) ?? []),
          };
          const before = this.found.get(subject)?.[direction].find(({ tier: name }) => name === tier.name);
          found.get(subject)![direction].push(before !== undefined && isSameRow(before, row) ? before : row);
        }
      }
    return found;
  }
}

type Selected = (selection: PodSelection) => readonly Subject[];

function bySubject<T extends Rule | Isolation>(entries: readonly T[], selected: Selected): Map<Subject, T[]> {
  const found = new Map<Subject, T[]>();
  for (const entry of entries)
    for (const subject of selected(entry.subject)) getOrInsert(found, subject, () => []).push(entry);
  return found;
}

/** Which subjects a selection selects. All rules of a policy share one selection object. */
function selectionOf(subjects: Iterable<Subject>): Selected {
  // By the label of the namespace, which selectors use, not by its name.
  const groups = grouped(subjects, ({ sample }) => sample.namespace.labels[namespaceNameLabel] ?? "");
  const known = new WeakMap<PodSelection, readonly Subject[]>();
  const select = (selection: PodSelection) => {
    const names = namedNamespaces({ kind: "labels", match: selection.namespaces }) ?? groups.keys();
    const candidates = [...names].flatMap((name) => groups.get(name) ?? []);
    return candidates.filter(({ sample }) => isSubject(selection, sample));
  };
  return (selection) => {
    return getOrInsert(known, selection, () => select(selection));
  };
}

function subjectKey(pod: Pod): string {
  const labels = Object.keys(pod.labels)
    .toSorted()
    .map((key) => [key, pod.labels[key]]);
  const ports = pod.ports.filter((port) => port.name !== undefined);
  const named = ports.map((port) => `${port.name}:${port.protocol}:${port.port}`).toSorted();
  return JSON.stringify([pod.namespace, labels, pod.serviceAccount, named]);
}

const isSameRow = (a: Row, b: Row): boolean =>
  sameList(a.rules, b.rules) && sameList(a.isolation, b.isolation);

function eachPolicyOnce(isolation: readonly Isolation[]): readonly Isolation[] {
  const seen = new Set<object>();
  return isolation.filter(({ origin }) => {
    const who = origin.kind === "policy" ? origin.policy : origin;
    if (seen.has(who)) return false;
    seen.add(who);
    return true;
  });
}
