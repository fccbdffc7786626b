import type { Labels } from "../../labels/requirement.js";
import { namespaceNameLabel } from "../../labels/requirement.js";
import type { JsonObject } from "../../manifest/document.js";
import { type Address, type Family, parseAddress } from "../../net/address.js";
import type { Direction, Protocol } from "../../policy/model.js";
import {
  byDirection,
  type End,
  type EndKind,
  endKinds,
  endOf,
  isSideDependent,
  type LabelPair,
  type LabelScope,
  type Models,
  type OwnerAct,
  type OwnerRule,
  otherEnd,
  ownerActs,
  protocols,
} from "../encode/index.js";
import type { Literal } from "../sat/index.js";

/** One end of a connection that a model describes. */
export interface WitnessEnd {
  readonly kind: EndKind;
  /** Of its pod, or `node-1` for a node. */
  readonly name: string;
  /** Where it is a pod. */
  readonly namespace: string;
  readonly namespaceLabels: Labels;
  readonly labels: Labels;
  readonly account: string;
  /** Where it is a host, or a pod whose node matters. */
  readonly node?: string;
  readonly nodeLabels: Labels;
  readonly address: Address;
  /** Whether it is just an address that a reader takes for a pod's, or a node's. */
  readonly isUsualAddress: boolean;
}

/** A connection in a cluster of two endpoints: what a model of the encoding means. */
export interface Witness {
  readonly source: WitnessEnd;
  readonly destination: WitnessEnd;
  readonly protocol: Protocol;
  /** 0 for ICMP. */
  readonly port: number;
  readonly family: Family;
  /** What the destination calls the port. */
  readonly portNames: readonly string[];
  /** What the owners of the two namespaces write about it, if anything. */
  readonly owners: Readonly<Record<Direction, OwnerAct | undefined>>;
  /** In which API they write it, where both would do. */
  readonly ownersApi: "NetworkPolicy" | "Cilium";
  /** What they write about exactly one peer and port. */
  readonly ownerRules: readonly OwnerRule[];
  /** These rules, as policies. */
  readonly ownerPolicies: readonly JsonObject[];
  /** By the key of the encoding. */
  readonly facts: ReadonlyMap<string, boolean>;
}

/** Reads the last model of the solver. */
export function readWitness(encoding: Models): Witness {
  const { connection } = encoding;
  const isTrue = (literal: Literal) => connection.formula.isTrue(literal);
  const reader = new ModelReader(encoding, isTrue);
  const protocol = protocols.find((each) => isTrue(connection.protocol(each)))!;
  const source = reader.end("source", undefined);
  const destination = reader.end("destination", source.address);
  const ends = { source, destination };
  const ownerRules = reader.ownerRules();
  return {
    ...ends,
    protocol,
    port: protocol === "ICMP" ? 0 : Number(common(connection.port.interval(isTrue))),
    family: reader.family,
    portNames: [...connection.portNames].flatMap(([name, literal]) => (isTrue(literal) ? [name] : [])),
    owners: byDirection((direction) => reader.ownerAct(direction)),
    ownersApi: "NetworkPolicy",
    ownerRules,
    ownerPolicies:
      encoding.ownerRules?.write(ownerRules, (direction) => ends[endOf(direction)].namespace) ?? [],
    facts: new Map([...connection.facts].map(([key, literal]) => [key, isTrue(literal)])),
  };
}

class ModelReader {
  readonly family: Family;

  constructor(
    private readonly encoding: Models,
    private readonly isTrue: (literal: Literal) => boolean,
  ) {
    this.family = isTrue(encoding.connection.family(4)) ? 4 : 6;
  }

  kind(end: End): EndKind {
    return endKinds.find((kind) => this.isTrue(this.encoding.connection.is(end, kind)))!;
  }

  end(end: End, taken: Address | undefined): WitnessEnd {
    const kind = this.kind(end);
    const isPod = kind === "pod";
    const isHost = kind === "node" || kind === "host-network pod";
    const other = this.kind(otherEnd(end));
    const ordinal = end === "source" ? 1 : 2;
    const isOwn = this.isTrue(this.encoding.connection.ownNode);
    // A pod has a node where that matters: it is, or is not, that of the other end.
    const isPlaced = isHost || (isPod && (other === "node" || other === "host-network pod"));
    const named = isPlaced ? { node: `node-${isPod && isOwn ? 3 - ordinal : ordinal}` } : {};
    const name = end === "source" ? "client" : "server";
    return {
      kind,
      name: kind === "node" ? named.node! : name,
      namespace: isPod ? this.namespace(end) : "hosts",
      namespaceLabels: isPod ? this.labels("namespace", end) : {},
      labels: isPod ? this.labels("pod", end) : {},
      account: isPod ? (this.labels("account", end).serviceaccount ?? "default") : "default",
      ...named,
      nodeLabels: isHost ? this.labels("node", end) : {},
      ...this.address(end, kind, taken),
    };
  }

  /** What decides: a denial, else that it is allowed, else that the pod is isolated. */
  ownerAct(direction: Direction): OwnerAct | undefined {
    if (this.kind(endOf(direction)) !== "pod" || this.isAllowedExactly(direction)) return undefined;
    const acts = ownerActs.filter((act) => this.isTrue(this.encoding.connection.owners[direction][act]));
    return (["deny", "allow", "isolate"] as const).find((act) => acts.includes(act));
  }

  ownerRules(): readonly OwnerRule[] {
    const all = this.encoding.ownerRules?.all ?? [];
    return all.flatMap(({ rule, literal }) =>
      this.isTrue(literal) && this.kind(endOf(rule.direction)) === "pod" ? [rule] : [],
    );
  }

  /** Whether one of these rules allows the connection, on both sides: then nothing else has to. */
  private isAllowedExactly(direction: Direction): boolean {
    return (
      !this.isTrue(this.encoding.connection.owners[direction].deny) &&
      this.ownerRules().some(
        (rule) => rule.direction === direction && rule.action === "Allow" && !isSideDependent(rule.peer),
      )
    );
  }

  private namespace(end: End): string {
    return this.value(this.encoding.connection.label("namespace", namespaceNameLabel), end);
  }

  private labels(scope: LabelScope, end: End): Labels {
    const found: Record<string, string> = {};
    for (const [key, pair] of this.encoding.connection.labels.get(scope) ?? [])
      if (this.isTrue(pair.present(end)) && key !== namespaceNameLabel) found[key] = this.value(pair, end);
    return found;
  }

  /** A value that is mentioned, or one that is not. */
  private value(pair: LabelPair, end: End): string {
    const mentioned = (each: End) => [...pair[each].values].find(([, literal]) => this.isTrue(literal))?.[0];
    const found = mentioned(end);
    if (found !== undefined) return found;
    const isSecond = end === "destination" && mentioned("source") === undefined && !pair.isSame(this.isTrue);
    return unmentioned(pair[end].values, isSecond ? 1 : 0);
  }

  private address(
    end: End,
    kind: EndKind,
    taken: Address | undefined,
  ): Pick<WitnessEnd, "address" | "isUsualAddress"> {
    const { family } = this;
    const [first, last] = this.encoding.connection.address(end, family).interval(this.isTrue);
    const isFree = (value: bigint) =>
      value >= first && value <= last && value !== (taken?.family === family ? taken.value : -1n);
    const usual = usualAddresses[kind][family].map((text) => parseAddress(text)!.value);
    // An interval that ends with a special address may begin with one too: of two, one is free.
    const value = [...usual, first, first + 1n].find(isFree) ?? first;
    return { address: { family, value }, isUsualAddress: usual.includes(value) };
  }
}

/** Addresses that readers take for what they are, where the model leaves a choice. */
const usualAddresses: Readonly<Record<EndKind, Readonly<Record<Family, readonly string[]>>>> = {
  pod: { 4: ["10.244.1.10", "10.244.2.20"], 6: ["fd00:10:244:1::10", "fd00:10:244:2::20"] },
  "host-network pod": { 4: ["192.168.1.1", "192.168.1.2"], 6: ["fd00:192::1", "fd00:192::2"] },
  node: { 4: ["192.168.1.1", "192.168.1.2"], 6: ["fd00:192::1", "fd00:192::2"] },
  external: { 4: ["203.0.113.10", "198.51.100.10"], 6: ["2001:db8::10", "2001:db8:1::10"] },
};

const usualPorts = [80n, 443n, 8080n, 53n, 22n, 5432n, 9090n];

/** A port that readers know, where the model leaves a choice. */
const common = ([first, last]: readonly [bigint, bigint]): bigint =>
  usualPorts.find((port) => port >= first && port <= last) ?? first;

/** The n-th word that nothing mentions. */
function unmentioned(mentioned: ReadonlyMap<string, unknown>, n: number): string {
  const words = ["other", "another"];
  for (let i = 2; i <= mentioned.size + 2; i++) words.push(`other-${i}`);
  return words.filter((word) => !mentioned.has(word))[n]!;
}
