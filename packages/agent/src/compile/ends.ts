import {
  type Address,
  addressesOfNode,
  type Endpoint,
  type Family,
  formatAddress,
  type Inventory,
  type Labels,
  type Node,
  type Pod,
  podKey,
} from "@tierwall/core/model";
import type { End } from "./end.js";
import { EndStore } from "./end-store.js";
import type { Landmarks } from "./landmarks.js";
import type { Namespaces } from "./namespaces.js";
import { nodeRangesOf, segmentsOf } from "./node-ranges.js";
import type { PodChanges } from "./pod-changes.js";
import { PodTexts } from "./pod-texts.js";
import type { Population } from "./population.js";
import { noWords, type Words } from "./words.js";

export type { End };

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

/** What all ends of a pod have in common: everything of it that rules look at, but its addresses. */
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

/** What ends are found with. */
interface View {
  readonly cluster: Inventory;
  readonly words: Words;
  readonly landmarks: Landmarks;
}

/** Everybody whom pods of this node may talk to, by address. */
export class Ends {
  /** Of pods: each by the address it has. Where several report one, an end that may be any of them (S1.17). */
  readonly ofPods = new Map<string, Located>();
  ofHosts: readonly Located[] = [];
  /** In ascending order, IPv4 first. */
  ranges: readonly EndRange[] = [];
  /** S1.16: this node, at whichever address it is reached; in the same order. */
  ownRanges: readonly EndRange[] = [];
  /** Addresses of pods that the last update gave to somebody else, or to nobody. */
  readonly moved: Readonly<Record<Family, Set<string>>> = { 4: new Set(), 6: new Set() };

  private readonly store = new EndStore();
  private readonly pods = new Map<Pod, PodEnds>();
  private readonly hostPods = new Set<Pod>();
  private readonly contested = new Map<string, Contested>();
  private before: View | undefined;
  private texts = new PodTexts(noWords);

  constructor(
    private readonly node: string,
    private readonly namespaces: Namespaces,
  ) {}

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

  update(cluster: Inventory, words: Words, landmarks: Landmarks, { come, gone }: PodChanges): void {
    this.store.begin();
    for (const family of [4, 6] as const) this.moved[family].clear();
    const { before } = this;
    const view = { cluster, words, landmarks };
    this.before = view;
    if (before?.words !== words) this.texts = new PodTexts(words);
    for (const pod of gone) this.remove(pod, cluster);
    if (before !== undefined) this.lookAgain(before, view);
    for (const pod of come) this.add(pod, view);
    const hostsMoved = [...come, ...gone].some((pod) => pod.hostNetwork);
    const nodesMoved =
      before?.cluster.nodes !== cluster.nodes ||
      before.words !== words ||
      before.landmarks.ofOthers !== landmarks.ofOthers;
    if (hostsMoved || nodesMoved || before.landmarks.services !== landmarks.services)
      this.placeHosts(cluster, words, landmarks);
    if (nodesMoved) this.placeRanges(cluster, words, landmarks);
    this.store.settle();
  }

  /** Moves pods that rules look at in another way than before, or whose namespaces are others. */
  private lookAgain(before: View, view: View): void {
    const { cluster, words, landmarks } = view;
    const namespaces = new Set(
      [...this.store.all.podsIn.keys()].filter(
        (name) => before.cluster.namespaces.get(name) !== cluster.namespaces.get(name),
      ),
    );
    const isSame =
      namespaces.size === 0 &&
      before.words === words &&
      before.landmarks.ofPods === landmarks.ofPods &&
      before.landmarks.services === landmarks.services;
    if (isSame) return;
    const moving: Pod[] = [];
    for (const { pod, text, service, located } of this.pods.values()) {
      const stays =
        !namespaces.has(pod.namespace) &&
        (before.words === words || this.texts.of(pod) === text) &&
        (landmarks.services.get(pod) ?? "") === service &&
        located.every(({ address, end }) => landmarks.ofPods.aroundAddress(address) === end.blocks);
      // To new rules, who was the sample may be another than those who stay.
      if (!stays) moving.push(pod);
      else for (const { end } of located) end.sample = this.endpoint(pod, cluster);
    }
    for (const pod of moving) this.remove(pod, cluster);
    for (const pod of moving) this.add(pod, view);
    // Each is put in again, at the end.
    const contested = [...this.contested.values()];
    for (const { located, claims } of contested) this.award(located, claims, cluster);
  }

  private add(pod: Pod, { cluster, landmarks: { ofPods, services } }: View): void {
    if (pod.hostNetwork) this.hostPods.add(pod);
    if (pod.hostNetwork || pod.addresses.length === 0) return;
    const text = this.texts.of(pod);
    const service = services.get(pod) ?? "";
    const who = service === "" ? text : `${text} behind ${service}`;
    const located = pod.addresses.map((address): Located => {
      const blocks = ofPods.aroundAddress(address);
      const end = this.store.retain("pod", who, blocks, service, address.family, () => [
        this.endpoint(pod, cluster),
      ]);
      return { text: formatAddress(address), address, end };
    });
    const made: PodEnds = { pod, text, service, located };
    this.pods.set(pod, made);
    for (const one of located) this.claim(one, made, cluster);
  }

  private endpoint(pod: Pod, cluster: Inventory): Endpoint {
    return { kind: "pod", pod, namespace: this.namespaces.of(cluster, pod) };
  }

  private remove(pod: Pod, cluster: Inventory): void {
    this.hostPods.delete(pod);
    const known = this.pods.get(pod);
    if (known === undefined) return;
    this.pods.delete(pod);
    for (const one of known.located) {
      this.store.release(one.end);
      const others = this.contested.get(one.text)?.claims.filter((other) => other !== known) ?? [];
      this.award(one, others, cluster);
    }
  }

  private claim(one: Located, by: PodEnds, cluster: Inventory): void {
    const others = this.contested.get(one.text)?.claims;
    this.moved[one.address.family].add(one.text);
    if (others === undefined && !this.ofPods.has(one.text)) this.ofPods.set(one.text, one);
    else this.award(one, [...(others ?? this.ownersOf(one.text)), by], cluster);
  }

  private ownersOf(text: string): readonly PodEnds[] {
    return [...this.pods.values()].filter(({ located }) => located.includes(this.ofPods.get(text)!));
  }

  private award({ text, address }: Located, claims: readonly PodEnds[], cluster: Inventory): void {
    this.moved[address.family].add(text);
    const before = this.contested.get(text);
    if (before !== undefined) this.store.release(before.located.end);
    this.contested.delete(text);
    const sorted = claims.toSorted((a, b) => (podKey(a.pod) < podKey(b.pod) ? -1 : 1));
    const [first, second] = sorted.map(({ located }) => located.find((one) => one.text === text)!);
    if (first === undefined) this.ofPods.delete(text);
    else if (second === undefined) this.ofPods.set(text, first);
    else {
      const located = { text, address, end: this.anyOf(sorted, first, cluster) };
      this.contested.set(text, { claims: sorted, located });
      this.ofPods.set(text, located);
    }
  }

  /** S1.17: one of these pods, and nothing tells which. */
  private anyOf(claims: readonly PodEnds[], { address, end }: Located, cluster: Inventory): End {
    const who = claims.map(({ text, service }) => `${text} behind ${service}`);
    const service = claims.map((claim) => claim.service).join("");
    const samples = claims.map(({ pod }) => this.endpoint(pod, cluster)) as [Endpoint, ...Endpoint[]];
    return this.store.retain(
      "ambiguous",
      who.join(" or "),
      end.blocks,
      service,
      address.family,
      () => samples,
    );
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

  private placeHosts(cluster: Inventory, words: Words, { ofOthers, services }: Landmarks): void {
    const found = new Map<string, Located>();
    const place = (address: Address, who: string, service: string, sample: Endpoint) => {
      const text = formatAddress(address);
      if (found.has(text)) return;
      const blocks = ofOthers.aroundAddress(address);
      const behind = `${who} ${service}`;
      const end = this.store.retain("host", behind, blocks, service, address.family, () => [sample]);
      found.set(text, { text, address, end });
    };
    for (const { end } of this.ofHosts) this.store.release(end);
    for (const node of [...cluster.nodes.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      for (const address of addressesOfNode(node))
        place(address, this.hostText(node.name, node.labels, words), "", { kind: "node", node, address });
    // Host-network pods are known by the addresses of their node, unless nothing is known of that.
    const homeless = [...this.hostPods].filter((pod) =>
      pod.addresses.some((address) => !found.has(formatAddress(address))),
    );
    for (const pod of homeless.toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1))) {
      const who = this.hostText(pod.node, cluster.nodes.get(pod.node ?? "")?.labels, words);
      const sample: Endpoint = { kind: "pod", pod, namespace: this.namespaces.of(cluster, pod) };
      for (const address of pod.addresses) place(address, who, services.get(pod) ?? "", sample);
    }
    this.ofHosts = [...found.values()];
  }

  // S7.5: whether it is the node of the pods at hand, or another; and the labels that rules ask for.
  private hostText(name: string | undefined, labels: Labels | undefined, { nodeKeys }: Words): string {
    const which = name === undefined ? "somewhere" : name === this.node ? "own" : "other";
    const known = labels && [...nodeKeys].filter((key) => Object.hasOwn(labels, key)).toSorted();
    return `${which} ${known?.map((key) => `${key}=${labels?.[key]}`).join() ?? "unknown"}`;
  }

  private placeRanges(cluster: Inventory, words: Words, { ofOthers }: Landmarks): void {
    for (const { end } of [...this.ranges, ...this.ownRanges]) this.store.release(end);
    const own = cluster.nodes.get(this.node) ?? { name: this.node, addresses: [] };
    const who = this.hostText(own.name, own.labels, words);
    const ranges: EndRange[] = [];
    const ownRanges: EndRange[] = [];
    for (const { first, last, blocks, node } of segmentsOf(
      ofOthers,
      nodeRangesOf(cluster.nodes.values(), this.node),
    )) {
      const { family } = first;
      const external: Endpoint = { kind: "external", address: first };
      const atNode = (one: Node): Endpoint => ({ kind: "node", node: one, address: first });
      const put = (list: EndRange[], end: End) =>
        this.extend(list, { family, first: first.value, last, end });
      put(
        ownRanges,
        this.store.retain("host", `${who} `, blocks, "", family, () => [atNode(own)]),
      );
      if (node !== undefined) {
        const possible = `${this.hostText(node.name, node.labels, words)} or outside`;
        put(
          ranges,
          this.store.retain("ambiguous", possible, blocks, "", family, () => [atNode(node), external]),
        );
      } else if (blocks !== "")
        put(
          ranges,
          this.store.retain("external", "", blocks, "", family, () => [external]),
        );
    }
    this.ranges = ranges;
    this.ownRanges = ownRanges;
  }

  /** One range where two of the same end are side by side. */
  private extend(list: EndRange[], next: EndRange): void {
    const before = list.at(-1);
    if (before?.end === next.end && before.family === next.family && before.last + 1n === next.first) {
      this.store.release(next.end);
      list[list.length - 1] = { ...before, last: next.last };
    } else list.push(next);
  }
}
