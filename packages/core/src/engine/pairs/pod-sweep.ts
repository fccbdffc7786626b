import { everyPort, noPorts, type PortSetId } from "../../sets/port-sets.js";
import type { AnswerId } from "../compile/answers.js";
import type { Nearness, Other } from "../compile/layer.js";
import type { View } from "../compile/view.js";
import type { EndGroup } from "./end-groups.js";
import { askEach } from "./outcome-answers.js";

/** What the policies of one source say to all groups of pods. Valid until the next call. */
export interface Egress {
  /** By the numbers of `EgressSource.at`. */
  readonly answers: Uint32Array;
  /** The groups to which some port may be open: mostly few. */
  readonly open: Uint32Array;
}

export interface EgressSource {
  /** By group of pods, its number in the answers. */
  readonly at: Uint32Array;
  /** Groups that let nothing in may be left out. */
  for(source: EndGroup, incoming: Incoming): Egress;
}

/** What the policies of all groups of pods say to one source. Valid until the next call. */
export interface Incoming {
  readonly answers: Uint32Array;
  /** By group of pods, its number in the answers. */
  readonly at: Uint32Array;
}

export interface IngressSource {
  readonly at: Uint32Array;
  for(source: EndGroup): Uint32Array;
}

/** What is said between pods and hosts. */
export interface HostAnswers {
  toHost(source: EndGroup, host: Other): AnswerId;
  fromHost(host: Other, pod: EndGroup): AnswerId;
}

/** What one source may open connections to. Valid until the next call. */
export interface Outgoing {
  /** The groups of pods to which some port may be open; the answer for the i-th of them is the i-th of `answers`. */
  readonly open: Uint32Array;
  readonly answers: Uint32Array;
  readonly toHost: (host: EndGroup, nearness: Nearness) => AnswerId;
}

/**
 * Answers for all pairs with a pod among them: for each source, what its own policies say to all destinations, and what
 * the policies of all destinations say to it. These are passes over numbers that look at no rule.
 */
export class PodSweep {
  private readonly open: Uint32Array;
  private readonly answers: Uint32Array;

  constructor(
    private readonly view: View,
    private readonly pods: readonly EndGroup[],
    /** In the order in which they are best asked about. */
    readonly sources: readonly EndGroup[],
    private readonly egress: EgressSource,
    private readonly ingress: IngressSource,
    private readonly hosts: HostAnswers,
  ) {
    this.open = new Uint32Array(pods.length);
    this.answers = new Uint32Array(pods.length);
  }

  from(source: EndGroup): Outgoing {
    const incoming = { answers: this.ingress.for(source), at: this.ingress.at };
    const egress = this.egress.for(source, incoming);
    const count = this.readAnswers(source, egress, incoming);
    return {
      open: this.open.subarray(0, count),
      answers: this.answers.subarray(0, count),
      toHost: (host, nearness) => this.hosts.toHost(source, hostAt(host, nearness)),
    };
  }

  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId {
    return this.hosts.fromHost(hostAt(host, nearness), pod);
  }

  /** Returns how many groups have a port open. */
  private readAnswers(
    source: EndGroup,
    { answers: egress, open: candidates }: Egress,
    { answers: ingress, at: intoAt }: Incoming,
  ): number {
    const { open, answers } = this;
    const outAt = this.egress.at;
    let count = 0;
    for (let k = 0; k < candidates.length; k++) {
      const i = candidates[k]!;
      const into = ingress[intoAt[i]!]!;
      if (into === noPorts) continue;
      const out = egress[outAt[i]!]!;
      let both = into;
      if (out === askEach || into === askEach) both = this.ask(source, this.pods[i]!, out, into);
      // Mostly one of the two allows all that the other allows.
      else if (out !== everyPort && out !== into)
        both = into === everyPort ? out : this.view.answers.both(out, into, asTheyAre);
      if (both === noPorts) continue;
      open[count] = i;
      answers[count++] = both;
    }
    return count;
  }

  /** Where facts are missing, one by one: what depends on none is known already. */
  private ask(
    { classes: [source] }: EndGroup,
    { classes: [destination] }: EndGroup,
    out: AnswerId,
    into: AnswerId,
  ): AnswerId {
    const { view } = this;
    const known = (answer: AnswerId) => () => (answer === askEach ? undefined : answer);
    return view.pairAnswer(
      source!,
      destination!,
      view.answer("egress", source!, { kind: "pod", end: destination! }, known(out)),
      view.answer("ingress", destination!, { kind: "pod", end: source! }, known(into)),
    );
  }
}

/** The answers of one source by group of pods, for all groups. */
export function readOutgoing({ open, answers }: Outgoing, into: Uint32Array): Uint32Array {
  into.fill(noPorts);
  for (let k = 0; k < open.length; k++) into[open[k]!] = answers[k]!;
  return into;
}

/** S9.3: what foreign objects do in one direction depends on nothing that the other direction could ask about. */
const asTheyAre = (undecided: PortSetId): PortSetId => undecided;

const hostAt = ({ classes }: EndGroup, nearness: Nearness): Other => ({
  kind: "host",
  end: classes[0]!,
  nearness,
});
