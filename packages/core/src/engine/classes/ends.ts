import type { Cluster, Namespace, Node, Pod } from "../../cluster/model.js";
import type { Endpoint } from "../../evaluate/flow.js";
import { type Labels, namespaceNameLabel } from "../../labels/requirement.js";
import { type Address, type Family, sameAddress } from "../../net/address.js";
import type { Vocabulary } from "./vocabulary.js";

/*
 * Endpoints that no rule can distinguish form one class. Everything is computed on classes; single pods appear again
 * only when answers are printed.
 *
 *   pods with their own network   by namespace, labels, named ports, account, addresses' atoms
 *   hosts                         nodes and host-network pods, by the labels of the node and their addresses' atoms
 *
 * A host is two columns in the tables: as others see it, and as the pods that run on it do (S1.6, S7.5).
 */

export interface EndClass {
  readonly index: number;
  readonly key: string;
  /** Any member that the class had; rules say the same of all of them. */
  readonly sample: Endpoint;
  readonly kind: "pod" | "host";
  /** Whether it is known on which node a pod runs, or which node a host is. */
  readonly placed: boolean;
  /** The address families it is known to have: none, one, or both. */
  readonly families: readonly Family[];
  readonly column: number;
  /** The column of a host as seen from itself; for pods the same as `column`. */
  readonly ownColumn: number;
  readonly pods: Pod[];
  readonly nodes: Node[];
}

export type Member = Pod | Node;

export const sizeOf = (end: EndClass): number => end.pods.length + end.nodes.length;

export class Ends {
  readonly classes: EndClass[] = [];
  /** The class of each column, and which columns are hosts seen from themselves. */
  readonly classOfColumn: number[] = [];
  readonly isOwnColumn: boolean[] = [];
  readonly namespaces: Namespace[] = [];
  /** Classes of pods with their own network, by the number of their namespace. */
  readonly podClassesIn: number[][] = [];
  readonly podClasses: number[] = [];
  /** By class of pods, the number of its namespace. */
  readonly namespaceOfClass: number[] = [];
  readonly hostClasses: number[] = [];
  /** The address families that some class has; undefined for those that have none. */
  readonly families = new Set<Family | undefined>();
  /** By label key of the vocabulary, then by class: the number of the value, or `absent`. */
  readonly labelValues: number[][];
  private readonly values: Map<string, number>[];
  private readonly byKey = new Map<string, number>();
  /** Made when something first asks about one endpoint: all pairs are found without it. */
  private byMember: Map<Member, EndClass> | undefined;
  private readonly namespaceNumbers = new Map<string, number>();
  private readonly marks: ReadonlyMap<Pod, string>;
  /** A class for each way to name ports that rules look at; none has to be there for the way that names none. */
  private readonly namingPorts = new Map<string, EndClass | undefined>([["", undefined]]);
  /** By class, the one in there that names ports as it does. */
  private readonly namings: (EndClass | undefined)[] = [];
  /** The pod that was added last: replicas come one after the other, and are mostly alike. */
  private last: { readonly pod: Pod; readonly address: string; readonly found: EndClass } | undefined;
  /** The label keys of the vocabulary, where these are few enough to compare them for every pod. */
  private readonly comparedKeys: readonly string[] | undefined;

  constructor(
    private readonly cluster: Cluster,
    readonly vocabulary: Vocabulary,
  ) {
    this.labelValues = [...vocabulary.podKeys].map(() => []);
    this.values = [...vocabulary.podKeys].map(() => new Map<string, number>());
    this.marks = marksOf(vocabulary);
    this.comparedKeys =
      vocabulary.podKeys.size > mostComparedKeys ? undefined : [...vocabulary.podKeys.keys()];
    for (const namespace of cluster.namespaces.values()) this.addNamespace(namespace);
    for (const pod of cluster.pods.values()) this.addPod(pod);
    for (const node of cluster.nodes.values()) this.addNode(node);
  }

  get columns(): number {
    return this.classOfColumn.length;
  }

  /** The class of an end of the cluster; undefined for one that the cluster does not have. */
  classOf(end: Endpoint): EndClass | undefined {
    switch (end.kind) {
      case "pod": {
        const found = this.classOfMember(end.pod);
        const isIn = ({ kind, sample }: EndClass) =>
          kind === "host" || (sample as { namespace?: Namespace }).namespace === end.namespace;
        return found === undefined || !isIn(found) ? undefined : found;
      }
      case "node": {
        // One address of several is less than the node; one that a network plugin gave it is none of these (S1.16).
        const [only, ...others] = end.node.addresses;
        const whole =
          end.address === undefined ||
          (only !== undefined && others.length === 0 && sameAddress(only, end.address));
        return whole ? this.classOfMember(end.node) : undefined;
      }
      case "external":
        return undefined;
    }
  }

  classOfMember(member: Member): EndClass | undefined {
    return this.classByMember().get(member);
  }

  private classByMember(): Map<Member, EndClass> {
    if (this.byMember === undefined) {
      this.byMember = new Map();
      for (const end of this.classes)
        for (const members of [end.pods, end.nodes])
          for (const member of members) this.byMember.set(member, end);
    }
    return this.byMember;
  }

  namespaceNumber(name: string): number | undefined {
    return this.namespaceNumbers.get(name);
  }

  /** The number of a label's value, if some pod has it. */
  valueNumber(key: number, value: string): number | undefined {
    return this.values[key]!.get(value);
  }

  /** Whether some pod had the same named ports: rules with port names look at all that there are. */
  knowsPorts(pod: Pod): boolean {
    return this.namingPorts.has(namedPortsKey(pod.ports, this.vocabulary.portNames));
  }

  /** One class for each set of named ports: what a named port can mean for pods that are selected now or later. */
  portNamings(): Iterable<EndClass | undefined> {
    return this.namingPorts.values();
  }

  /** The one of `portNamings` that names ports as a class does. */
  portNaming({ index }: EndClass): EndClass | undefined {
    return this.namings[index];
  }

  addPod(pod: Pod): EndClass {
    const found = pod.hostNetwork ? this.hostClass(pod) : this.podClass(pod);
    found.pods.push(pod);
    this.byMember?.set(pod, found);
    return found;
  }

  removePod(pod: Pod): EndClass {
    const classes = this.classByMember();
    const found = classes.get(pod)!;
    found.pods.splice(found.pods.indexOf(pod), 1);
    classes.delete(pod);
    return found;
  }

  private addNode(node: Node): void {
    const key = `node ${nodeKey(node.labels, this.vocabulary)} ${this.addressKey(node.addresses)}`;
    const found = this.intern(key, "host", true, node.addresses, () => ({
      kind: "node",
      node,
    }));
    found.nodes.push(node);
  }

  private hostClass(pod: Pod): EndClass {
    const { key, addresses } = this.hostIdentity(pod);
    return this.intern(key, "host", pod.node !== undefined, addresses, () => ({
      kind: "pod",
      pod,
      namespace: this.namespaces[this.namespaceOf(pod)]!,
    }));
  }

  /** Whether a change of a host-network pod is one that no rule can see: to all of them it is the host it runs on. */
  isSameHost(before: Pod, after: Pod): boolean {
    return (
      before.hostNetwork &&
      after.hostNetwork &&
      before.node === after.node &&
      this.hostIdentity(before).key === this.hostIdentity(after).key
    );
  }

  private hostIdentity(pod: Pod): { readonly key: string; readonly addresses: readonly Address[] } {
    const node = pod.node === undefined ? undefined : this.cluster.nodes.get(pod.node);
    const addresses = pod.addresses.length > 0 ? pod.addresses : (node?.addresses ?? []);
    // Of a dual-stack host-network pod with one address, the other family's is the node's.
    const fallback = pod.addresses.length > 0 && node !== undefined ? this.addressKey(node.addresses) : "";
    const parts = [
      nodeKey(node?.labels, this.vocabulary),
      this.addressKey(addresses),
      fallback,
      this.marks.get(pod) ?? "",
    ];
    return { key: `host ${pod.node !== undefined} ${parts.join(" / ")}`, addresses };
  }

  private podClass(pod: Pod): EndClass {
    const address = this.addressKey(pod.addresses);
    const { last } = this;
    if (
      last !== undefined &&
      last.address === address &&
      this.marks.size === 0 &&
      isReplica(pod, last.pod) &&
      this.isLabelledAlike(pod.labels, last.pod.labels)
    )
      return last.found;
    const found = this.findPodClass(pod, address);
    this.last = { pod, address, found };
    return found;
  }

  private isLabelledAlike(a: Labels, b: Labels): boolean {
    if (a === b) return true;
    if (this.comparedKeys === undefined) return false;
    for (const key of this.comparedKeys) if (a[key] !== b[key]) return false;
    return true;
  }

  private findPodClass(pod: Pod, address: string): EndClass {
    const { accounts } = this.vocabulary;
    const namespace = this.namespaceOf(pod);
    const labels = this.labelNumbers(pod.labels);
    const named = namedPortsKey(pod.ports, this.vocabulary.portNames);
    let key = `${labels.join()} ${namespace} ${address}`;
    if (pod.node === undefined) key += " unplaced";
    if (accounts) key += ` account ${pod.serviceAccount}`;
    key += named;
    if (this.marks.size > 0) key += ` behind ${this.marks.get(pod) ?? ""}`;
    const known = this.byKey.get(key);
    if (known !== undefined) return this.classes[known]!;
    const addresses = pod.addresses.length > 0 ? pod.addresses : this.cluster.facts.podCidrs;
    const found = this.intern(key, "pod", pod.node !== undefined, addresses, () => ({
      kind: "pod",
      pod,
      namespace: this.namespaces[namespace]!,
    }));
    if (!this.namingPorts.has(named)) this.namingPorts.set(named, found);
    this.namings[found.index] = this.namingPorts.get(named);
    this.podClasses.push(found.index);
    this.namespaceOfClass[found.index] = namespace;
    this.podClassesIn[namespace]!.push(found.index);
    for (const column of this.labelValues) column[found.index] = absent;
    for (let i = 0; i < labels.length; i += 2) this.labelValues[labels[i]!]![found.index] = labels[i + 1]!;
    return found;
  }

  /** The labels that rules look at: number of the key, number of the value, and so on, by ascending keys. */
  private labelNumbers(labels: Labels): readonly number[] {
    const numbers: number[] = [];
    for (const key in labels) {
      const number = this.vocabulary.podKeys.get(key);
      if (number === undefined) continue;
      // Few, and mostly in order already.
      let at = numbers.length;
      for (; at > 0 && numbers[at - 2]! > number; at -= 2) {
        numbers[at] = numbers[at - 2]!;
        numbers[at + 1] = numbers[at - 1]!;
      }
      numbers[at] = number;
      numbers[at + 1] = this.internValue(number, labels[key]!);
    }
    return numbers;
  }

  private intern(
    key: string,
    kind: EndClass["kind"],
    placed: boolean,
    addresses: readonly { readonly family: Family }[],
    sample: () => Endpoint,
  ): EndClass {
    const known = this.byKey.get(key);
    if (known !== undefined) return this.classes[known]!;
    const index = this.classes.length;
    const column = this.addColumn(index, false);
    const made: EndClass = {
      index,
      key,
      sample: sample(),
      kind,
      placed,
      families: ([4, 6] as const).filter((family) => addresses.some((a) => a.family === family)),
      column,
      ownColumn: kind === "host" ? this.addColumn(index, true) : column,
      pods: [],
      nodes: [],
    };
    this.classes.push(made);
    this.byKey.set(key, index);
    if (made.families.length === 0) this.families.add(undefined);
    for (const family of made.families) this.families.add(family);
    if (kind === "host") this.hostClasses.push(index);
    return made;
  }

  private addColumn(index: number, own: boolean): number {
    this.isOwnColumn.push(own);
    return this.classOfColumn.push(index) - 1;
  }

  private addNamespace(namespace: Namespace): number {
    const number = this.namespaces.push(namespace) - 1;
    this.podClassesIn.push([]);
    this.namespaceNumbers.set(namespace.name, number);
    return number;
  }

  private namespaceOf({ namespace: name }: Pod): number {
    return (
      this.namespaceNumbers.get(name) ?? this.addNamespace({ name, labels: { [namespaceNameLabel]: name } })
    );
  }

  private internValue(key: number, value: string): number {
    const values = this.values[key]!;
    const known = values.get(value);
    if (known !== undefined) return known;
    values.set(value, values.size);
    return values.size - 1;
  }

  private addressKey(addresses: readonly Address[]): string {
    const { atoms } = this.vocabulary;
    if (addresses.length === 1) return `${atoms.indexOf(addresses[0]!)}`;
    return addresses.map((address) => atoms.indexOf(address)).join();
  }
}

/** With more keys than this, it costs less to number the labels that a pod has. */
const mostComparedKeys = 16;

/** Whether two pods differ in nothing but their names, labels, addresses and nodes, as far as their objects show at once. */
const isReplica = (a: Pod, b: Pod): boolean =>
  a.ports === b.ports &&
  a.namespace === b.namespace &&
  a.serviceAccount === b.serviceAccount &&
  (a.node === undefined) === (b.node === undefined);

/** Represents a label that a class does not have. */
export const absent = -1;

/** Each pod behind a Service that rules mention is distinguished from all others (S7.11). */
function marksOf({ services }: Vocabulary): ReadonlyMap<Pod, string> {
  const marks = new Map<Pod, string>();
  for (const [i, { pods }] of [...services.values()].entries())
    for (const pod of pods) marks.set(pod, `${marks.get(pod) ?? ""}${i},`);
  return marks;
}

/** The labels that rules ask for; "?" where nothing is known of the node. */
function nodeKey(labels: Labels | undefined, { nodeKeys }: Vocabulary): string {
  if (labels === undefined) return "?";
  const known = [...nodeKeys].map((key) => (Object.hasOwn(labels, key) ? labels[key] : null));
  return JSON.stringify(known);
}

function namedPortsKey(ports: Pod["ports"], names: ReadonlySet<string>): string {
  const named = ports.filter(({ name }) => name !== undefined && names.has(name));
  if (named.length === 0) return "";
  const texts = named.map(({ name, protocol, port }) => `${name}:${protocol}:${port}`);
  return ` ports ${(texts.length > 1 ? texts.toSorted() : texts).join()}`;
}
