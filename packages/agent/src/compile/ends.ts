import {
  type Address,
  type Cluster,
  type Endpoint,
  type Family,
  formatAddress,
  type Labels,
  type Pod,
  type PodEndpoint,
  podKey,
} from "@tierwall/core";
import type { Landmarks } from "./landmarks.js";
import { namespaceOf } from "./subjects.js";
import type { Words } from "./words.js";

/** Addresses that no rule can tell apart as the other end of a connection. They share one identity. */
export interface End {
  readonly key: string;
  readonly kind: "pod" | "host" | "external";
  readonly family: Family;
  /** The blocks around its addresses, and the Services in front of it: what else than its kind rules look at. */
  readonly blocks: string;
  readonly service: string;
  /** One of them; another one when that is gone. */
  sample: Endpoint;
}

/** An address of a pod or a node. */
export interface Located {
  readonly text: string;
  readonly address: Address;
  readonly end: End;
}

/** External addresses from the first to the last, both included. */
export interface EndRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  readonly end: End;
}

interface PodEnds {
  readonly sample: PodEndpoint;
  readonly words: Words;
  readonly text: string;
  readonly blocks: Landmarks["ofPods"];
  readonly service: string;
  readonly ends: readonly Located[];
}

/** Everybody whom pods of this node may talk to, by address. */
export class Ends {
  private byKey = new Map<string, End>();
  private ofPod = new Map<Pod, PodEnds>();
  /** Pods and nodes. */
  addresses: ReadonlyMap<string, Located> = new Map();
  ranges: readonly EndRange[] = [];
  /** Pods by their namespace, and all others, for whoever looks for some of them. */
  podsIn: ReadonlyMap<string, ReadonlySet<End>> = new Map();
  others: ReadonlySet<End> = new Set();
  come: ReadonlySet<End> = new Set();
  gone: ReadonlySet<End> = new Set();

  constructor(private readonly node: string) {}

  update(cluster: Cluster, words: Words, landmarks: Landmarks): void {
    const before = this.byKey;
    const now = new Map<string, End>();
    const intern: Intern = (key, about, sample) => {
      const known = now.get(key);
      if (known !== undefined) return known;
      const end = before.get(key) ?? { key, ...about, sample };
      end.sample = sample;
      now.set(key, end);
      return end;
    };
    const addresses = this.hosts(cluster, words, landmarks, intern);
    const podsIn = this.pods(cluster, words, landmarks, addresses, intern);
    this.ranges = externalRanges(landmarks, intern);
    this.addresses = addresses;
    this.podsIn = podsIn;
    this.byKey = now;
    this.others = new Set([...now.values()].filter(({ kind }) => kind !== "pod"));
    this.come = new Set([...now.values()].filter((end) => before.get(end.key) !== end));
    this.gone = new Set([...before.values()].filter((end) => now.get(end.key) !== end));
  }

  private pods(
    cluster: Cluster,
    words: Words,
    landmarks: Landmarks,
    addresses: Map<string, Located>,
    intern: Intern,
  ): Map<string, Set<End>> {
    const ofPod: typeof this.ofPod = new Map();
    const podsIn = new Map<string, Set<End>>();
    const owners = new Map<string, Pod>();
    for (const pod of cluster.pods.values()) {
      if (pod.hostNetwork || pod.addresses.length === 0) continue;
      const found = this.endsOf(pod, cluster, words, landmarks, intern);
      ofPod.set(pod, found);
      for (const located of found.ends) {
        const other = owners.get(located.text);
        if (other !== undefined && podKey(other) < podKey(pod)) continue;
        owners.set(located.text, pod);
        addresses.set(located.text, located);
        const list = podsIn.get(pod.namespace);
        if (list === undefined) podsIn.set(pod.namespace, new Set([located.end]));
        else list.add(located.end);
      }
    }
    this.ofPod = ofPod;
    return podsIn;
  }

  private endsOf(
    pod: Pod,
    cluster: Cluster,
    words: Words,
    { ofPods: blocks, services }: Landmarks,
    intern: Intern,
  ): PodEnds {
    const known = this.ofPod.get(pod);
    const namespace = namespaceOf(cluster, pod);
    const service = services.get(pod) ?? "";
    const isSameText = known?.sample.namespace === namespace && known.words === words;
    if (isSameText && known.blocks === blocks && known.service === service) {
      for (const { end } of known.ends) intern(end.key, end, known.sample);
      return known;
    }
    const sample: PodEndpoint = isSameText ? known.sample : { kind: "pod", pod, namespace };
    const text = isSameText ? known.text : podText(pod, words);
    const ends = pod.addresses.map((address) => {
      const around = blocks.aroundAddress(address);
      const about = { kind: "pod", family: address.family, blocks: around, service } as const;
      const end = intern(`pod ${text} ${service} ${around}`, about, sample);
      return { text: formatAddress(address), address, end };
    });
    return { sample, words, text, blocks, service, ends };
  }

  private hosts(
    cluster: Cluster,
    words: Words,
    { ofOthers, services }: Landmarks,
    intern: Intern,
  ): Map<string, Located> {
    const found = new Map<string, Located>();
    const add = (address: Address, who: string, service: string, sample: Endpoint) => {
      const text = formatAddress(address);
      if (found.has(text)) return;
      const blocks = ofOthers.aroundAddress(address);
      const about = { kind: "host", family: address.family, blocks, service } as const;
      found.set(text, { text, address, end: intern(`host ${who} ${service} ${blocks}`, about, sample) });
    };
    for (const node of [...cluster.nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      for (const address of node.addresses)
        add(address, this.hostText(node.name, node.labels, words), "", { kind: "node", node, address });
    // Host-network pods are known by the addresses of their node, unless nothing is known of that.
    const homeless = [...cluster.pods.values()].filter(
      (pod) => pod.hostNetwork && pod.addresses.some((address) => !found.has(formatAddress(address))),
    );
    for (const pod of homeless.toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1))) {
      const who = this.hostText(pod.node, cluster.nodes.get(pod.node ?? "")?.labels, words);
      for (const address of pod.addresses)
        add(address, who, services.get(pod) ?? "", {
          kind: "pod",
          pod,
          namespace: namespaceOf(cluster, pod),
        });
    }
    return found;
  }

  // S7.5: whether it is the node of the pods at hand, or another; and the labels that rules ask for.
  private hostText(name: string | undefined, labels: Labels | undefined, { nodeKeys }: Words): string {
    const which = name === undefined ? "somewhere" : name === this.node ? "own" : "other";
    const known = labels && [...nodeKeys].filter((key) => Object.hasOwn(labels, key)).toSorted();
    return `${which} ${known?.map((key) => `${key}=${labels?.[key]}`).join() ?? "unknown"}`;
  }
}

type Intern = (
  key: string,
  about: Pick<End, "kind" | "family" | "blocks" | "service">,
  sample: Endpoint,
) => End;

function podText(pod: Pod, { podKeys, portNames, accounts }: Words): string {
  const labels: string[] = [];
  for (const key in pod.labels) if (podKeys.has(key)) labels.push(`${key}=${pod.labels[key]}`);
  let text = `${pod.namespace} ${labels.toSorted().join()}`;
  if (accounts) text += ` account ${pod.serviceAccount}`;
  if (portNames.size > 0) {
    const named = pod.ports.filter(({ name }) => name !== undefined && portNames.has(name));
    text += ` ports ${named
      .map(({ name, protocol, port }) => `${name}:${protocol}:${port}`)
      .toSorted()
      .join()}`;
  }
  return text;
}

function externalRanges({ ofOthers }: Landmarks, intern: Intern): readonly EndRange[] {
  const ranges: EndRange[] = [];
  const { atoms } = ofOthers;
  for (let atom = 0; atom < atoms.count; atom++) {
    const blocks = ofOthers.aroundAtom(atom);
    if (blocks === "") continue;
    const [first, last] = [atoms.firstOf(atom), atoms.lastOf(atom)];
    const about = { kind: "external", family: first.family, blocks, service: "" } as const;
    const end = intern(`external ${blocks}`, about, { kind: "external", address: first });
    ranges.push({ family: first.family, first: first.value, last: last.value, end });
  }
  return ranges;
}
