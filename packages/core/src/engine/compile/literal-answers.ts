import type { Cluster } from "../../cluster/model.js";
import { evaluate, evaluateDirection, type Verdict } from "../../evaluate/evaluate.js";
import type { Endpoint, Flow, PodEndpoint } from "../../evaluate/flow.js";
import type { Family } from "../../net/address.js";
import type { Direction, Tier, Tiers } from "../../policy/model.js";
import type { AnswerId, Answers } from "./answers.js";
import type { EndClass } from "../classes/ends.js";
import type { Nearness } from "./layer.js";
import { offsets, portAt, type PortSetId } from "../../sets/port-sets.js";

export interface Question {
  readonly direction: Direction;
  readonly subject: EndClass;
  readonly other: Endpoint;
  readonly nearness: Nearness;
  /** With only the rules that apply to the subject. */
  readonly tiers: readonly Tier[];
  /** The first port of each interval that these rules distinguish. */
  readonly points: readonly number[];
}

/** Answers where facts are missing: the literal evaluator is asked about one port of each interval. */
export class LiteralAnswers {
  private readonly known = new Map<string, AnswerId>();

  constructor(
    private readonly cluster: Cluster,
    private readonly answers: Answers,
    private readonly family: Family | undefined,
  ) {}

  /** Equal questions have the same `key`. */
  of(key: string, question: Question): AnswerId {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const answer = this.ask(question);
    this.known.set(key, answer);
    return answer;
  }

  private ask({ direction, subject: { sample }, other, nearness, tiers, points }: Question): AnswerId {
    const subject = placedNear(sample as PodEndpoint, other, nearness);
    const [source, destination] = direction === "egress" ? [subject, other] : [other, subject];
    const all = { egress: tiers, ingress: tiers };
    const verdicts = points.map(
      (point) =>
        evaluateDirection(direction, this.cluster, all, this.flow(source, destination, point)).verdict,
    );
    const { ports } = this.answers;
    return this.answers.of(
      ports.import(bordersOf(points, verdicts, "Allow")),
      ports.import(bordersOf(points, verdicts, "Undecided")),
    );
  }

  /** Of ports that are undecided in both directions, those that are so together as well (S9.1). */
  undecidable(
    wanted: PortSetId,
    source: EndClass,
    destination: EndClass,
    { tiers, points }: { readonly tiers: Tiers; readonly points: readonly number[] },
  ): PortSetId {
    const { ports } = this.answers;
    // Two pods of one class are two pods, although they have one sample.
    const from = source === destination ? another(source.sample) : source.sample;
    const starts = [...new Set([...points, ...ports.bordersOf(wanted)])].toSorted((a, b) => a - b);
    const verdicts = starts.map((point) => {
      const { protocol, port } = portAt(point);
      if (!ports.contains(wanted, protocol, port)) return "Deny";
      return evaluate(this.cluster, tiers, this.flow(from, destination.sample, point)).verdict;
    });
    return ports.import(bordersOf(starts, verdicts, "Undecided"));
  }

  private flow(source: Endpoint, destination: Endpoint, point: number): Flow {
    const flow = { source, destination, ...portAt(point) };
    return this.family === undefined ? flow : { ...flow, family: this.family };
  }
}

/** A subject with the same rules, on a node with this nearness to the other endpoint's node. */
function placedNear({ kind, pod, namespace }: PodEndpoint, other: Endpoint, nearness: Nearness): PodEndpoint {
  const { node: _, ...unplaced } = pod;
  const host = other.kind === "node" ? other.node.name : other.kind === "pod" ? other.pod.node : undefined;
  const node = nearness === "own-node" ? host : elsewhere;
  if (nearness === "unknown-node" || node === undefined) return { kind, pod: unplaced, namespace };
  return { kind, pod: { ...unplaced, node }, namespace };
}

/** No node has this name. */
const elsewhere = "(another node)";

const another = (end: Endpoint): Endpoint =>
  end.kind === "pod" ? { ...end, pod: { ...end.pod, name: `${end.pod.name} (another)` } } : end;

function bordersOf(points: readonly number[], verdicts: readonly Verdict[], wanted: Verdict): Uint32Array {
  const borders: number[] = [];
  for (const [i, point] of points.entries())
    if ((verdicts[i] === wanted) !== (borders.length % 2 === 1)) borders.push(point);
  if (borders.length % 2 === 1) borders.push(offsets.ICMP + 1);
  return Uint32Array.from(borders);
}
