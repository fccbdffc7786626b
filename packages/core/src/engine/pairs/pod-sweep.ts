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
  /** What they say to most sources; `singled` are numbers at which this source gets another answer. */
  readonly answers: Uint32Array;
  readonly singled: readonly number[];
  readonly singledAnswers: readonly AnswerId[];
  /** By group of pods, its number in the answers. */
  readonly at: Uint32Array;
  /** Sources with the same version get the same `answers`. */
  readonly version: number;
}

export interface IngressSource {
  readonly at: Uint32Array;
  for(source: EndGroup): Incoming;
}

/** What is said between pods and hosts. */
export interface HostAnswers {
  toHost(source: EndGroup, host: Other): AnswerId;
  fromHost(host: Other, pod: EndGroup): AnswerId;
}

/** What several sources may open connections to, apart from what singles them out. Valid until there is another. */
export interface Usual {
  /** The groups of pods to which some port may be open. */
  readonly open: Uint32Array;
  /** By group of pods. */
  readonly answers: Uint32Array;
}

/** What one source may open connections to. Valid until the next call. */
export interface Outgoing {
  /** The same object for sources that have it in common. */
  readonly usual: Usual;
  /** The groups of pods for which this source gets another answer: the i-th of `singledAnswers`. */
  readonly singled: readonly number[];
  readonly singledAnswers: readonly AnswerId[];
  readonly toHost: (host: EndGroup, nearness: Nearness) => AnswerId;
}

/**
 * Answers for all pairs with a pod among them: for each source, what its own policies say to all destinations, and what
 * the policies of all destinations say to it. These are passes over numbers that look at no rule. Sources that have both
 * in common, except for few destinations, share one pass.
 */
export class PodSweep {
  private readonly open: Uint32Array;
  private readonly answers: Uint32Array;
  private usual: Usual | undefined;
  /** What `usual` was made from. */
  private made: { readonly egress: Egress; readonly version: number } | undefined;
  /** Groups whose answer depends on missing facts, and so on the source. */
  private asked: number[] = [];
  private readonly groupsAt: GroupsByNumber;
  private readonly isSingled: Uint8Array;

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
    this.answers = new Uint32Array(pods.length).fill(noPorts);
    this.groupsAt = groupsByNumber(ingress.at);
    this.isSingled = new Uint8Array(this.groupsAt.firsts.length);
  }

  from(source: EndGroup): Outgoing {
    const incoming = this.ingress.for(source);
    const egress = this.egress.for(source, incoming);
    const { version } = incoming;
    if (this.usual === undefined || this.made?.egress !== egress || this.made.version !== version) {
      this.usual = this.readUsual(egress, incoming.answers);
      this.made = { egress, version };
    }
    return {
      usual: this.usual,
      ...this.readSingled(source, egress, incoming),
      toHost: (host, nearness) => this.hosts.toHost(source, hostAt(host, nearness)),
    };
  }

  fromHost(host: EndGroup, pod: EndGroup, nearness: Nearness): AnswerId {
    return this.hosts.fromHost(hostAt(host, nearness), pod);
  }

  private readUsual({ answers: egress, open: candidates }: Egress, ingress: Uint32Array): Usual {
    const { open, answers } = this;
    const [outAt, intoAt] = [this.egress.at, this.ingress.at];
    for (const i of this.usual?.open ?? []) answers[i] = noPorts;
    this.asked = [];
    let count = 0;
    for (let k = 0; k < candidates.length; k++) {
      const i = candidates[k]!;
      const into = ingress[intoAt[i]!]!;
      if (into === noPorts) continue;
      const out = egress[outAt[i]!]!;
      if (out === askEach || into === askEach) {
        this.asked.push(i);
        continue;
      }
      const both = this.both(out, into);
      if (both === noPorts) continue;
      open[count++] = i;
      answers[i] = both;
    }
    return { open: open.subarray(0, count), answers };
  }

  private readSingled(
    source: EndGroup,
    { answers: egress }: Egress,
    { answers: ingress, singled: numbers, singledAnswers: intoSingled }: Incoming,
  ): Pick<Outgoing, "singled" | "singledAnswers"> {
    const { groups, firsts } = this.groupsAt;
    const singled: number[] = [];
    const singledAnswers: AnswerId[] = [];
    const add = (i: number, into: AnswerId) => {
      const out = egress[this.egress.at[i]!]!;
      if (out === noPorts) return;
      const isAsked = into !== noPorts && (out === askEach || into === askEach);
      const both = isAsked ? this.ask(source, this.pods[i]!, out, into) : this.both(out, into);
      if (both === this.answers[i]) return;
      singled.push(i);
      singledAnswers.push(both);
    };
    for (let k = 0; k < numbers.length; k++) {
      const number = numbers[k]!;
      this.isSingled[number] = 1;
      for (let at = firsts[number]!; at < firsts[number + 1]!; at++) add(groups[at]!, intoSingled[k]!);
    }
    for (const i of this.asked) {
      const number = this.ingress.at[i]!;
      if (this.isSingled[number] === 0) add(i, ingress[number]!);
    }
    for (const number of numbers) this.isSingled[number] = 0;
    return { singled, singledAnswers };
  }

  /** Mostly one of the two allows all that the other allows. */
  private both(out: AnswerId, into: AnswerId): AnswerId {
    if (out === everyPort || out === into || into === noPorts) return into;
    return into === everyPort ? out : this.view.answers.both(out, into, asTheyAre);
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
export function readOutgoing({ usual, singled, singledAnswers }: Outgoing, into: Uint32Array): Uint32Array {
  into.set(usual.answers);
  for (let k = 0; k < singled.length; k++) into[singled[k]!] = singledAnswers[k]!;
  return into;
}

/** The groups with the number n, from `firsts[n]` to `firsts[n + 1]`. */
export interface GroupsByNumber {
  readonly groups: Uint32Array;
  readonly firsts: Uint32Array;
}

export function groupsByNumber(numbers: Uint32Array): GroupsByNumber {
  const count = numbers.reduce((most, number) => Math.max(most, number + 1), 0);
  const firsts = new Uint32Array(count + 1);
  for (const number of numbers) firsts[number + 1]!++;
  for (let number = 0; number < count; number++) firsts[number + 1]! += firsts[number]!;
  const groups = new Uint32Array(numbers.length);
  const next = firsts.slice();
  for (const [i, number] of numbers.entries()) groups[next[number]!++] = i;
  return { groups, firsts };
}

/** S9.3: what foreign objects do in one direction depends on nothing that the other direction could ask about. */
const asTheyAre = (undecided: PortSetId): PortSetId => undecided;

const hostAt = ({ classes }: EndGroup, nearness: Nearness): Other => ({
  kind: "host",
  end: classes[0]!,
  nearness,
});
