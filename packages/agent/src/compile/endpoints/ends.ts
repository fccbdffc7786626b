import {
  type Address,
  addressesOfNode,
  type Endpoint,
  type Family,
  formatAddress,
  type Inventory,
  type Labels,
  type Namespace,
  namespaceNameLabel,
  type Node,
  type Pod,
  podKey,
} from "@tierwall/core/model";
import { type AddressVocabulary, segmentsOf } from "./address-vocabulary.js";
import { type End, type EndParts, EndStore, type Population } from "./end-store.js";
import { emptyVocabulary, type PeerVocabulary, PodTexts } from "./peer-vocabulary.js";
import type { PodChanges } from "./pod-changes.js";

/** An address of a pod or a node. */
export interface Located {
  readonly text: string;
  readonly address: Address;
  readonly end: End;
}

/** Addresses from the first to the last, both included, that no pod has and no node reports. */
export interface EndRange {
  readonly family: Family;
  readonly first: bigint;
  readonly last: bigint;
  readonly end: End;
}

/** What all ends of a pod have in common: all its properties that rules use, except its addresses. */
interface PodEnds {
  readonly pod: Pod;
  readonly text: string;
  readonly service: string;
  readonly located: readonly Located[];
}

/** An address that several pods report. */
interface Contested {
  readonly claims: readonly PodEnds[];
  readonly located: Located;
}

/** The inputs from which ends are derived. */
interface View {
  readonly cluster: Inventory;
  readonly words: PeerVocabulary;
  readonly addresses: AddressVocabulary;
}

/** All possible peers of this node's pods, by address. */
export class Ends {
  /** Of pods, by address. If several pods report an address, the end can be any of them (S1.17). */
  readonly ofPods = new Map<string, Located>();
  ofHosts: readonly Located[] = [];
  /** In ascending order, IPv4 first. */
  ranges: readonly EndRange[] = [];
  /** S1.16: this node at any address; in the same order. */
  ownRanges: readonly EndRange[] = [];
  /** Addresses of pods that the last update assigned to another end, or to none. */
  readonly moved: Readonly<Record<Family, Set<string>>> = { 4: new Set(), 6: new Set() };
  /** Whether labels of a namespace with pods changed with the last update. */
  namespacesChanged = false;

  private readonly store = new EndStore();
  private readonly pods = new Map<Pod, PodEnds>();
  private readonly hostPods = new Set<Pod>();
  private readonly contested = new Map<string, Contested>();
  private view: View | undefined;
  private texts = new PodTexts(emptyVocabulary);

  constructor(private readonly node: string) {}

  get all(): Population {
    return this.store.all;
  }

  /** What the last update changed. */
  get come(): Population {
    return this.store.come;
  }

  get gone(): ReadonlySet<End> {
    return this.store.gone;
  }

  update(view: View, { come, gone }: PodChanges): void {
    this.store.begin();
    for (const family of [4, 6] as const) this.moved[family].clear();
    const before = this.view;
    const { cluster, words, addresses } = view;
    this.view = view;
    if (before?.words !== words) this.texts = new PodTexts(words);
    for (const pod of gone) this.remove(pod);
    if (before !== undefined) this.reassign(before, view);
    for (const pod of come) this.add(pod, view);
    const hostsMoved = [...come, ...gone].some((pod) => pod.hostNetwork);
    const nodesMoved =
      before?.cluster.nodes !== cluster.nodes ||
      before.words !== words ||
      before.addresses.ofOthers !== addresses.ofOthers;
    if (hostsMoved || nodesMoved || before.addresses.services !== addresses.services) this.placeHosts(view);
    if (nodesMoved) this.placeRanges(view);
    this.store.settle();
  }

  /** Moves pods for which rules use other properties than before, or whose namespaces changed. */
  private reassign(before: View, view: View): void {
    const { cluster, words, addresses } = view;
    const namespaces = new Set(
      [...this.store.all.podsIn.keys()].filter(
        (name) => before.cluster.namespaces.get(name) !== cluster.namespaces.get(name),
      ),
    );
    this.namespacesChanged = namespaces.size > 0;
    const isSame =
      !this.namespacesChanged &&
      before.words === words &&
      before.addresses.ofPods === addresses.ofPods &&
      before.addresses.services === addresses.services;
    if (isSame) return;
    const moving: Pod[] = [];
    for (const { pod, text, service, located } of this.pods.values()) {
      const stays =
        !namespaces.has(pod.namespace) &&
        (before.words === words || this.texts.of(pod) === text) &&
        (addresses.services.get(pod) ?? "") === service &&
        located.every(({ address, end }) => addresses.ofPods.aroundAddress(address) === end.blocks);
      // New rules may distinguish the old sample from the pods that stay.
      if (!stays) moving.push(pod);
      else for (const { end } of located) end.sample = this.endpoint(pod);
    }
    for (const pod of moving) this.remove(pod);
    for (const pod of moving) this.add(pod, view);
    // A copy, since `award` adds each one again at the end.
    const contested = [...this.contested.values()];
    for (const { located, claims } of contested) this.award(located, claims);
  }

  private add(pod: Pod, { addresses: { ofPods, services } }: View): void {
    if (pod.hostNetwork) this.hostPods.add(pod);
    if (pod.hostNetwork || pod.addresses.length === 0) return;
    const text = this.texts.of(pod);
    const service = services.get(pod) ?? "";
    const who = service === "" ? text : `${text} behind ${service}`;
    const located = pod.addresses.map((address): Located => {
      const { family } = address;
      const blocks = ofPods.aroundAddress(address);
      const samples = () => [this.endpoint(pod)] as const;
      const end = this.store.retain({ kind: "pod", who, family, blocks, samples });
      return { text: formatAddress(address), address, end };
    });
    const made: PodEnds = { pod, text, service, located };
    this.pods.set(pod, made);
    for (const one of located) this.claim(one, made);
  }

  private endpoint(pod: Pod): Endpoint {
    return { kind: "pod", pod, namespace: namespaceOf(this.view!.cluster, pod) };
  }

  private remove(pod: Pod): void {
    this.hostPods.delete(pod);
    const known = this.pods.get(pod);
    if (known === undefined) return;
    this.pods.delete(pod);
    for (const one of known.located) {
      this.store.release(one.end);
      const claims = this.contested.get(one.text)?.claims ?? [];
      this.award(
        one,
        claims.filter((claim) => claim !== known),
      );
    }
  }

  private claim(one: Located, by: PodEnds): void {
    this.moved[one.address.family].add(one.text);
    const owner = this.ofPods.get(one.text);
    if (owner === undefined) this.ofPods.set(one.text, one);
    else {
      const owners = () => [...this.pods.values()].filter(({ located }) => located.includes(owner));
      this.award(one, [...(this.contested.get(one.text)?.claims ?? owners()), by]);
    }
  }

  private award({ text, address }: Located, claims: readonly PodEnds[]): void {
    this.moved[address.family].add(text);
    const before = this.contested.get(text);
    if (before !== undefined) this.store.release(before.located.end);
    this.contested.delete(text);
    const sorted = claims.toSorted((a, b) => (podKey(a.pod) < podKey(b.pod) ? -1 : 1));
    const [first, second] = sorted.map(({ located }) => located.find((one) => one.text === text)!);
    if (first === undefined) this.ofPods.delete(text);
    else if (second === undefined) this.ofPods.set(text, first);
    else {
      const located = { text, address, end: this.anyOf(sorted, first) };
      this.contested.set(text, { claims: sorted, located });
      this.ofPods.set(text, located);
    }
  }

  /** S1.17: one of these pods; it is unknown which. */
  private anyOf(claims: readonly PodEnds[], { address, end }: Located): End {
    return this.store.retain({
      kind: "ambiguous",
      who: claims.map(({ text, service }) => `${text} behind ${service}`).join(" or "),
      family: address.family,
      blocks: end.blocks,
      samples: () => claims.map(({ pod }) => this.endpoint(pod)) as [Endpoint, ...Endpoint[]],
    });
  }

  /** S1.17: addresses that several pods report, and their names. */
  get shared(): ReadonlyMap<string, readonly string[]> {
    return new Map(
      [...this.contested].map(([text, { claims }]) => [text, claims.map(({ pod }) => podKey(pod))]),
    );
  }

  /** S1.17: pods of other nodes that report an address of a pod of this node. */
  get rivals(): ReadonlySet<Pod> {
    const isLocal = ({ pod }: PodEnds) => pod.node === this.node;
    return new Set(
      [...this.contested.values()].flatMap(({ claims }) =>
        claims.some(isLocal) ? claims.flatMap((claim) => (isLocal(claim) ? [] : [claim.pod])) : [],
      ),
    );
  }

  private placeHosts({ cluster, words, addresses: { ofOthers, services } }: View): void {
    const found = new Map<string, Located>();
    const place = (address: Address, host: string, service: string, sample: Endpoint) => {
      const text = formatAddress(address);
      if (found.has(text)) return;
      const { family } = address;
      const [who, blocks] = [`${host} ${service}`, ofOthers.aroundAddress(address)];
      const end = this.store.retain({ kind: "host", who, family, blocks, samples: () => [sample] });
      found.set(text, { text, address, end });
    };
    for (const { end } of this.ofHosts) this.store.release(end);
    for (const node of [...cluster.nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      for (const address of addressesOfNode(node))
        place(address, this.hostText(node.name, node.labels, words), "", { kind: "node", node, address });
    // Host-network pods have the addresses of their node, unless those are unknown.
    const homeless = [...this.hostPods].filter((pod) =>
      pod.addresses.some((address) => !found.has(formatAddress(address))),
    );
    for (const pod of homeless.toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1))) {
      const host = this.hostText(pod.node, cluster.nodes.get(pod.node ?? "")?.labels, words);
      for (const address of pod.addresses) place(address, host, services.get(pod) ?? "", this.endpoint(pod));
    }
    this.ofHosts = [...found.values()];
  }

  // S7.5: whether it is this node or another one, and the labels that rules use.
  private hostText(
    name: string | undefined,
    labels: Labels | undefined,
    { nodeKeys }: PeerVocabulary,
  ): string {
    const which = name === undefined ? "somewhere" : name === this.node ? "own" : "other";
    const known = labels && [...nodeKeys].filter((key) => Object.hasOwn(labels, key)).toSorted();
    return `${which} ${known?.map((key) => `${key}=${labels?.[key]}`).join() ?? "unknown"}`;
  }

  private placeRanges({ cluster, words, addresses: { ofOthers } }: View): void {
    for (const { end } of [...this.ranges, ...this.ownRanges]) this.store.release(end);
    const own = cluster.nodes.get(this.node) ?? { name: this.node, addresses: [] };
    const who = `${this.hostText(own.name, own.labels, words)} `;
    const ranges: EndRange[] = [];
    const ownRanges: EndRange[] = [];
    const segments = segmentsOf(ofOthers, cluster.nodes.values(), this.node);
    for (const { first, last, blocks, node } of segments) {
      const { family } = first;
      const external: Endpoint = { kind: "external", address: first };
      const atNode = (one: Node): Endpoint => ({ kind: "node", node: one, address: first });
      const put = (list: EndRange[], parts: Pick<EndParts, "kind" | "who" | "samples">) =>
        this.extend(list, {
          family,
          first: first.value,
          last,
          end: this.store.retain({ ...parts, family, blocks }),
        });
      put(ownRanges, { kind: "host", who, samples: () => [atNode(own)] });
      if (node !== undefined) {
        const possible = `${this.hostText(node.name, node.labels, words)} or outside`;
        put(ranges, { kind: "ambiguous", who: possible, samples: () => [atNode(node), external] });
      } else if (blocks !== "") put(ranges, { kind: "external", who: "", samples: () => [external] });
    }
    this.ranges = ranges;
    this.ownRanges = ownRanges;
  }

  /** Merges two adjacent ranges of the same end. */
  private extend(list: EndRange[], next: EndRange): void {
    const before = list.at(-1);
    if (before?.end === next.end && before.family === next.family && before.last + 1n === next.first) {
      this.store.release(next.end);
      list[list.length - 1] = { ...before, last: next.last };
    } else list.push(next);
  }
}

/** S1.10: a namespace that is not in the input still has its name label. */
export const namespaceOf = ({ namespaces }: Inventory, { namespace: name }: Pod): Namespace =>
  namespaces.get(name) ?? { name, labels: { [namespaceNameLabel]: name } };
