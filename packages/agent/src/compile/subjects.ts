import {
  type Cluster,
  type Direction,
  isSubject,
  type Isolation,
  type Namespace,
  namespaceNameLabel,
  type Pod,
  type PodEndpoint,
  type Rule,
  type TierName,
  type Tiers,
} from "@tierwall/core";

/** Pods of this node that no rule can tell apart as subjects. */
export interface Subject {
  readonly key: string;
  readonly sample: PodEndpoint;
}

/** What one tier has to say about a subject. */
export interface Row {
  readonly direction: Direction;
  readonly tier: TierName;
  readonly rules: readonly Rule[];
  readonly isolation: readonly Isolation[];
}

export type Rows = Readonly<Record<Direction, readonly Row[]>>;

/** Finds the rules that are about pods of this node. What was found stays for as long as pod and rule do. */
export class Subjects {
  private subjects = new Map<string, Subject>();
  private matching = new Map<Rule | Isolation, readonly Subject[]>();
  private ofPod = new Map<Pod, { readonly namespace: Namespace; readonly subject: Subject }>();
  private tiers: Tiers | undefined;
  private found = new Map<Subject, Rows>();
  /** The pods of this node with their own network and an address. */
  pods: ReadonlyMap<Pod, Subject> = new Map();

  constructor(private readonly node: string) {}

  update(cluster: Cluster, tiers: Tiers): ReadonlyMap<Subject, Rows> {
    const before = this.subjects;
    this.findSubjects(cluster);
    const come = [...this.subjects.values()].filter((subject) => before.get(subject.key) !== subject);
    const isSame = come.length === 0 && before.size === this.subjects.size;
    if (isSame && tiers === this.tiers) return this.found;
    this.matchAll(tiers, come, isSame);
    this.tiers = tiers;
    this.found = this.rowsOf(tiers);
    return this.found;
  }

  private findSubjects(cluster: Cluster): void {
    const subjects = new Map<string, Subject>();
    const ofPod: typeof this.ofPod = new Map();
    const pods = new Map<Pod, Subject>();
    for (const pod of cluster.pods.values()) {
      if (pod.node !== this.node || pod.hostNetwork || pod.addresses.length === 0) continue;
      const namespace = namespaceOf(cluster, pod);
      const known = this.ofPod.get(pod);
      const key = known?.namespace === namespace ? known.subject.key : subjectKey(pod, namespace);
      const subject = subjects.get(key) ??
        this.sameAsBefore(key, namespace) ?? { key, sample: { kind: "pod", pod, namespace } };
      subjects.set(key, subject);
      ofPod.set(pod, { namespace, subject });
      pods.set(pod, subject);
    }
    this.subjects = subjects;
    this.ofPod = ofPod;
    this.pods = pods;
  }

  private sameAsBefore(key: string, namespace: Namespace): Subject | undefined {
    const known = this.subjects.get(key);
    return known?.sample.namespace === namespace ? known : undefined;
  }

  private matchAll(tiers: Tiers, come: readonly Subject[], isSame: boolean): void {
    const live = [...this.subjects.values()];
    const isLive = (subject: Subject) => this.subjects.get(subject.key) === subject;
    const matching: typeof this.matching = new Map();
    const add = (entry: Rule | Isolation) => {
      const known = this.matching.get(entry);
      const selected = (list: readonly Subject[]) =>
        list.filter(({ sample }) => isSubject(entry.subject, sample));
      if (known === undefined) matching.set(entry, selected(live));
      else matching.set(entry, isSame ? known : [...known.filter(isLive), ...selected(come)]);
    };
    for (const tier of [...tiers.egress, ...tiers.ingress]) {
      for (const rule of tier.rules) add(rule);
      for (const isolation of tier.isolation) add(isolation);
    }
    this.matching = matching;
  }

  private rowsOf(tiers: Tiers): Map<Subject, Rows> {
    const found = new Map<Subject, Record<Direction, Row[]>>();
    for (const subject of this.subjects.values()) found.set(subject, { egress: [], ingress: [] });
    for (const direction of ["egress", "ingress"] as const)
      for (const tier of tiers[direction]) {
        const rules = this.bySubject(tier.rules);
        const isolation = this.bySubject(tier.isolation);
        for (const subject of new Set([...rules.keys(), ...isolation.keys()]))
          found.get(subject)![direction].push({
            direction,
            tier: tier.name,
            rules: rules.get(subject) ?? [],
            isolation: eachPolicyOnce(isolation.get(subject) ?? []),
          });
      }
    return found;
  }

  private bySubject<T extends Rule | Isolation>(entries: readonly T[]): Map<Subject, T[]> {
    const found = new Map<Subject, T[]>();
    for (const entry of entries)
      for (const subject of this.matching.get(entry)!) {
        const list = found.get(subject);
        if (list === undefined) found.set(subject, [entry]);
        else list.push(entry);
      }
    return found;
  }
}

export function namespaceOf(cluster: Cluster, pod: Pod): Namespace {
  return cluster.namespaces.get(pod.namespace) ?? lone(pod.namespace);
}

/** A namespace that is not in the input has its name (S1.10), and is one object however often it is asked for. */
const lones = new Map<string, Namespace>();
function lone(name: string): Namespace {
  const known = lones.get(name) ?? { name, labels: { [namespaceNameLabel]: name } };
  lones.set(name, known);
  return known;
}

function subjectKey(pod: Pod, { name }: Namespace): string {
  const labels = Object.keys(pod.labels)
    .toSorted()
    .map((key) => [key, pod.labels[key]]);
  const ports = pod.ports.filter((port) => port.name !== undefined);
  const named = ports.map((port) => `${port.name}:${port.protocol}:${port.port}`).toSorted();
  return JSON.stringify([name, labels, pod.serviceAccount, named]);
}

function eachPolicyOnce(isolation: readonly Isolation[]): readonly Isolation[] {
  const seen = new Set<object>();
  return isolation.filter(({ origin }) => {
    const who = origin.kind === "policy" ? origin.policy : origin;
    if (seen.has(who)) return false;
    seen.add(who);
    return true;
  });
}
