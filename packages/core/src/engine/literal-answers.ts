import type { Cluster } from "../cluster/model.js";
import { evaluateDirection, type Verdict } from "../evaluate/evaluate.js";
import type { Endpoint, Flow, PodEndpoint } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import type { Direction, Tier } from "../policy/model.js";
import type { AnswerId, Answers } from "./answers.js";
import { offsets, portAt } from "./port-sets.js";
import type { Row } from "./tier-rows.js";
import type { Layer, Nearness } from "./layer.js";
import type { EndClass } from "./ends.js";

export interface Question {
  readonly direction: Direction;
  readonly subject: EndClass;
  readonly other: Endpoint;
  readonly nearness: Nearness;
  readonly layers: readonly Layer[];
  /** Those of the subject, layer by layer. */
  readonly rows: readonly Row[];
}

/**
 * Answers where facts are missing: the literal evaluator is asked about one port of each interval that the rules
 * tell apart, with only the rules that apply to the subject.
 */
export class LiteralAnswers {
  private readonly known = new Map<string, AnswerId>();

  constructor(
    private readonly cluster: Cluster,
    private readonly answers: Answers,
    private readonly family: Family | undefined,
  ) {}

  /** `key` tells equal questions. */
  of(key: string, question: Question): AnswerId {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const answer = this.ask(question);
    this.known.set(key, answer);
    return answer;
  }

  private ask({ direction, subject: { sample }, other, nearness, layers, rows }: Question): AnswerId {
    const tiers = layers.map(({ tier }, i): Tier => {
      const { rules, isolation } = rows[i]!;
      return { ...tier, rules, isolation };
    });
    const subject = placedBeside(sample as PodEndpoint, other, nearness);
    const points = this.pointsOf(layers, rows, other.kind === "external");
    const verdictAt = (point: number): Verdict => {
      const flow: Flow = {
        ...(direction === "egress"
          ? { source: subject, destination: other }
          : { source: other, destination: subject }),
        ...portAt(point),
        ...(this.family === undefined ? {} : { family: this.family }),
      };
      return evaluateDirection(direction, this.cluster, { egress: tiers, ingress: tiers }, flow).verdict;
    };
    const verdicts = points.map(verdictAt);
    const { ports } = this.answers;
    return this.answers.of(
      ports.import(bordersOf(points, verdicts, "Allow")),
      ports.import(bordersOf(points, verdicts, "Undecided")),
    );
  }

  /** Where the ports begin that some rule tells from those before, ascending. */
  private pointsOf(layers: readonly Layer[], rows: readonly Row[], outside: boolean): readonly number[] {
    const points = new Set<number>(Object.values(offsets));
    for (const [i, { inside, outside: addresses }] of layers.entries())
      for (const item of (outside ? addresses : inside).itemsOf(rows[i]!))
        for (const point of this.answers.ports.bordersOf(inside.portsOf(item))) points.add(point);
    points.delete(offsets.ICMP + 1);
    return [...points].sort((a, b) => a - b);
  }
}

/** A subject whose rows are the same, on a node that stands so to the other end's. */
function placedBeside(
  { kind, pod, namespace }: PodEndpoint,
  other: Endpoint,
  nearness: Nearness,
): PodEndpoint {
  const { node: _, ...unplaced } = pod;
  const host = other.kind === "node" ? other.node.name : other.kind === "pod" ? other.pod.node : undefined;
  const node = nearness === "own-node" ? host : elsewhere;
  if (nearness === "unknown-node" || node === undefined) return { kind, pod: unplaced, namespace };
  return { kind, pod: { ...unplaced, node }, namespace };
}

/** No node has this name. */
const elsewhere = "(another node)";

function bordersOf(points: readonly number[], verdicts: readonly Verdict[], wanted: Verdict): Uint32Array {
  const borders: number[] = [];
  for (const [i, point] of points.entries())
    if ((verdicts[i] === wanted) !== (borders.length % 2 === 1)) borders.push(point);
  if (borders.length % 2 === 1) borders.push(offsets.ICMP + 1);
  return Uint32Array.from(borders);
}
