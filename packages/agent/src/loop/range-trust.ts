import { readFileSync } from "node:fs";
import { isObject } from "@tierwall/core/manifest";
import {
  type Address,
  type Cidr,
  contains,
  formatAddress,
  formatCidr,
  type Inventory,
  parseCidr,
  type Pod,
} from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import { listAt, messageOf, replaceFile } from "@tierwall/kube";
import { PodWatch } from "../compile/endpoints/pod-changes.js";
import type { NodeOptions } from "../ruleset/program.js";

/** A pod whose address shows that pods get addresses from other ranges than those of their node. */
interface Contradiction {
  readonly pod: Pod;
  readonly address: Address;
}

/** A contradicted range is trusted again after this many milliseconds without contradiction. */
const doubtFor = 600_000;

/**
 * Whether the pod ranges of this node can be trusted, so that an address in them belongs to a pod of this node. Some network
 * plugins, such as Calico with its own IPAM, ignore `podCIDRs`, although Kubernetes sets them.
 */
export class RangeTrust {
  readonly #pods = new PodWatch();
  readonly #contradictions = new Map<Pod, Contradiction>();
  #ranges: readonly Cidr[] = [];
  #last: { readonly message: string; readonly at: number } | undefined;

  /** `source`: whether the ranges were given with --pod-range, or are those of the Node. */
  constructor(
    private readonly node: string,
    private readonly now: () => number,
    private readonly source: "configured" | "node" = "node",
  ) {}

  /** In how many milliseconds the doubt ends if nothing changes. Undefined if there is none, or if a pod contradicts the ranges now. */
  get endsIn(): number | undefined {
    if (this.#last === undefined || this.#contradictions.size > 0) return undefined;
    return Math.max(0, this.#last.at + doubtFor - this.now());
  }

  /** Why the ranges are not trusted; undefined if they are. */
  doubt({ pods }: Pick<Inventory, "pods">, ranges: readonly Cidr[]): string | undefined {
    const { come, gone } = this.#pods.update(pods);
    if (formatAll(ranges) !== formatAll(this.#ranges)) {
      this.#ranges = ranges;
      this.#contradictions.clear();
      this.#last = undefined;
      this.#look(pods.values());
    } else {
      for (const pod of gone) this.#contradictions.delete(pod);
      this.#look(come);
    }
    const [first] = this.#contradictions.values();
    if (first !== undefined) this.#last = { message: this.#message(first), at: this.now() };
    else if (this.#last !== undefined && this.now() - this.#last.at >= doubtFor) this.#last = undefined;
    return this.#last?.message;
  }

  #look(pods: Iterable<Pod>): void {
    for (const pod of pods) {
      const address = pod.hostNetwork ? undefined : pod.addresses.find((one) => this.#contradicts(pod, one));
      if (address !== undefined) this.#contradictions.set(pod, { pod, address });
    }
  }

  #contradicts({ node }: Pod, address: Address): boolean {
    if (node === undefined) return false;
    const ranges = this.#ranges.filter(({ family }) => family === address.family);
    const isInside = ranges.some((range) => contains(range, address));
    return node === this.node ? ranges.length > 0 && !isInside : isInside;
  }

  #message({ pod, address }: Contradiction): string {
    const ranges = formatAll(this.#ranges);
    const [whose, where] =
      pod.node === this.node ? ["this node", "outside of"] : [`node ${pod.node}`, "inside of"];
    const [range, cause, remedy] = words[this.source];
    return (
      `pod ${pod.namespace}/${pod.name} of ${whose} has the address ${formatAddress(address)}, ${where} ${range(ranges)}: ` +
      `${cause}, so unknown pods cannot be distinguished from other addresses and are not denied; ${remedy} ` +
      `(the range is trusted again after ${doubtFor / 60_000} minutes without such a pod)`
    );
  }
}

/** The range, why pods contradict it, and what to do. */
const words = {
  node: [
    (ranges: string) => `the pod range ${ranges} of this node`,
    "the network plugin does not assign addresses from it",
    "set --pod-range to the range from which pods of this node get their addresses, or configure the plugin to use podCIDRs",
  ],
  configured: [
    (ranges: string) => `the range ${ranges} of --pod-range`,
    "pods of this node get addresses from other ranges too",
    "set --pod-range to the range from which they get their addresses, or remove it to use the podCIDRs of the Node",
  ],
} as const;

const formatAll = (ranges: readonly Cidr[]): string => ranges.map(formatCidr).join(", ");

export const sourceOf = (configured: readonly Cidr[]): "configured" | "node" =>
  configured.length > 0 ? "configured" : "node";

/** The options of a node whose state is read once: with its ranges, and whether pods contradict them. */
export function withRanges(options: NodeOptions, state: Pick<State, "cluster" | "podRanges">): NodeOptions {
  const ranges = localRanges(options.node, options.localRanges, state);
  const doubt = new RangeTrust(options.node, () => 0, sourceOf(options.localRanges)).doubt(
    state.cluster,
    ranges,
  );
  return { ...options, localRanges: ranges, ...(doubt === undefined ? {} : { rangesDoubted: true }) };
}

/** The ranges of a node's pods: the configured ones, otherwise those of the Node object. */
export function localRanges(
  node: string,
  configured: readonly Cidr[],
  { podRanges }: Pick<State, "podRanges">,
): readonly Cidr[] {
  if (configured.length > 0) return configured;
  return (podRanges.get(node) ?? []).flatMap((text) => parseCidr(text) ?? []);
}

export function sameRanges(a: readonly Cidr[], b: readonly Cidr[]): boolean {
  return a.length === b.length && a.every((cidr, i) => sameRange(cidr, b[i]!));
}

const sameRange = (a: Cidr, b: Cidr): boolean =>
  a.family === b.family && a.first === b.first && a.prefix === b.prefix;

/**
 * Remembers the ranges of a node's pods across restarts of the node. After one, the kernel has no rules and the cluster was not
 * read yet. A file that cannot be read counts as no file.
 */
export class RangeMemory {
  #ranges: readonly Cidr[];
  #doubted: boolean;

  constructor(
    private readonly file: string,
    private readonly node: string,
    private readonly onTrouble: (message: string) => void,
  ) {
    const { ranges, doubted } = readRanges(file, node);
    this.#ranges = ranges;
    this.#doubted = doubted;
  }

  get ranges(): readonly Cidr[] {
    return this.#ranges;
  }

  /** Whether pods contradicted the ranges. */
  get doubted(): boolean {
    return this.#doubted;
  }

  keep(ranges: readonly Cidr[], doubted: boolean): void {
    if (sameRanges(ranges, this.#ranges) && doubted === this.#doubted) return;
    this.#ranges = ranges;
    this.#doubted = doubted;
    try {
      const podRanges = ranges.map(formatCidr);
      replaceFile(this.file, JSON.stringify({ version: 1, node: this.node, podRanges, doubted }));
    } catch (cause) {
      this.onTrouble(
        `cannot write \`${this.file}\`: after a restart of the node, its pods are not denied before the cluster is read: ${messageOf(cause)}`,
      );
    }
  }
}

interface Remembered {
  readonly ranges: readonly Cidr[];
  readonly doubted: boolean;
}

function readRanges(file: string, node: string): Remembered {
  try {
    const saved: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(saved) || saved.version !== 1 || saved.node !== node) return nothing;
    const ranges = listAt(saved, "podRanges").flatMap((text) =>
      typeof text === "string" ? (parseCidr(text) ?? []) : [],
    );
    return { ranges, doubted: saved.doubted === true };
  } catch {
    return nothing;
  }
}

const nothing: Remembered = { ranges: [], doubted: false };
