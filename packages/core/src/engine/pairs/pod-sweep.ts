import type { AnswerId } from "../compile/answers.js";
import { type Egress, EgressAnswers } from "./egress-answers.js";
import type { EndGroup, Grouping } from "./end-groups.js";
import { IngressAnswers } from "./ingress-answers.js";
import type { Nearness } from "../compile/layer.js";
import { askEach, OutcomeAnswers } from "./outcome-answers.js";
import { type Part, shareOf, whole } from "./part.js";
import { everyPort, noPorts, type PortSetId } from "../../sets/port-sets.js";
import { hostAt, type Outgoing, type Sweep } from "./sweep.js";
import type { View } from "../compile/view.js";

/**
 * Answers for all pairs with a pod among them, from tables. For each source, what its own rows say to all destinations is held against what the
 * rows of all destinations say to its column: passes over numbers, without looking at a rule.
 */
export class PodSweep implements Sweep {
  /** Those to which destinations say much the same next to each other. */
  readonly sources: readonly EndGroup[];
  private readonly egress: EgressAnswers;
  private readonly ingress: IngressAnswers;
  private readonly both: Uint32Array;

  constructor(
    private readonly view: View,
    { layers }: Grouping,
    private readonly pods: readonly EndGroup[],
    part: Part = whole,
  ) {
    const answers = new OutcomeAnswers(view);
    this.egress = new EgressAnswers(view, layers.egress, pods, answers);
    this.ingress = new IngressAnswers(view, layers.ingress, pods, answers);
    const order = new Map(pods.map((group) => [group, this.ingress.orderOf(group)]));
    this.sources = shareOf(
      pods.toSorted((a, b) => compare(order.get(a)!, order.get(b)!)),
      part,
    );
    this.both = new Uint32Array(pods.length);
  }

  from(source: EndGroup): Outgoing {
    const toHost = (host: EndGroup, nearness: Nearness): AnswerId =>
      this.view.answer("egress", source.classes[0]!, hostAt(host, nearness));
    const egress = this.egress.for(source);
    return { toPods: this.answersFrom(source, egress), open: egress.open, toHost };
  }

  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId {
    return this.view.fromHost(pod.classes[0]!, hostAt(host, nearness));
  }

  /** By destination, in the order of the groups given. Good until the next call. */
  private answersFrom(source: EndGroup, { answers: egress, open }: Egress): Uint32Array {
    const { both } = this;
    const ingress = this.ingress.for(source);
    const [outAt, intoAt] = [this.egress.at, this.ingress.at];
    const { answers } = this.view;
    both.fill(noPorts);
    for (let k = 0; k < open.length; k++) {
      const i = open[k]!;
      const into = ingress[intoAt[i]!]!;
      if (into === noPorts) continue;
      const out = egress[outAt[i]!]!;
      if (out === askEach || into === askEach) both[i] = this.ask(source, this.pods[i]!);
      // Mostly it is as one end alone says.
      else if (out === everyPort || out === into) both[i] = into;
      else both[i] = into === everyPort ? out : answers.both(out, into, asTheyAre);
    }
    return both;
  }

  /** Undecided answers are only ever found here, but for those of foreign objects: all others come from certain outcomes. */
  private ask({ classes: [source] }: EndGroup, { classes: [destination] }: EndGroup): AnswerId {
    return this.view.pairAnswer(source!, destination!);
  }
}

/** S9.3: what foreign objects do in one direction depends on nothing that the other direction could ask about. */
const asTheyAre = (undecided: PortSetId): PortSetId => undecided;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
