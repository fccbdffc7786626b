import type { Cluster } from "../cluster/model.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import type { Tiers } from "../policy/model.js";
import { type AnswerId, Answers } from "./answers.js";
import { type EndClass, Ends } from "./ends.js";
import { groupEnds } from "./end-groups.js";
import type { Nearness, Other } from "./layer.js";
import { type Block, pairsIn } from "./pairs.js";
import { PortSets } from "./port-sets.js";
import { View } from "./view.js";
import { vocabularyOf } from "./vocabulary.js";

/** All policies of a cluster, compiled. Says the same as `evaluate`, about everything at once. */
export function compile(cluster: Cluster, tiers: Tiers): Engine {
  return new Engine(cluster, tiers);
}

/** An end as the tables know it. */
type Located = { readonly end: EndClass } | { readonly atom: number };

export class Engine {
  readonly ports = new PortSets();
  private readonly answers = new Answers(this.ports);
  private readonly ends: Ends;
  private readonly views = new Map<Family | undefined, View>();

  constructor(
    readonly cluster: Cluster,
    readonly tiers: Tiers,
  ) {
    this.ends = new Ends(cluster, vocabularyOf(cluster, tiers));
  }

  verdict(flow: Flow): Verdict {
    // S1.6; of ends that are no pods there is no walk either.
    if (flow.toItself) return "Allow";
    const source = this.locate(flow.source, flow.family);
    const destination = this.locate(flow.destination, flow.family);
    if (source === undefined || destination === undefined)
      return evaluate(this.cluster, this.tiers, flow).verdict;
    const view = this.view(flow.family);
    const egress = this.say(
      view,
      "egress",
      source,
      otherFor(flow.source, destination, flow.destination),
      flow,
    );
    if (egress === "Deny") return "Deny";
    const ingress = this.say(
      view,
      "ingress",
      destination,
      otherFor(flow.destination, source, flow.source),
      flow,
    );
    if (ingress === "Deny") return "Deny";
    if (egress === "Allow" && ingress === "Allow") return "Allow";
    return egress === ingress ? evaluate(this.cluster, this.tiers, flow).verdict : "Undecided";
  }

  /** All pairs of ends, as blocks of groups that behave alike; each address family by itself (S1.15). */
  *pairs(): Iterable<Block> {
    for (const family of [4, 6, undefined] as const) {
      if (!this.isSpoken(family)) continue;
      const view = this.view(family);
      yield* pairsIn(view, groupEnds(this.ends, view));
    }
  }

  /** Whether there may be connections in a family; of ends without addresses nothing is known (S1.14). */
  private isSpoken(family: Family | undefined): boolean {
    return this.ends.classes.some(({ families }) =>
      family === undefined ? families.length === 0 : families.includes(family),
    );
  }

  private say(
    view: View,
    direction: "egress" | "ingress",
    subject: Located,
    other: Other,
    flow: Flow,
  ): Verdict {
    if (!("end" in subject)) return "Allow";
    return this.verdictAt(view.answer(direction, subject.end, other), flow);
  }

  private verdictAt(answer: AnswerId, { protocol, port }: Flow): Verdict {
    if (this.ports.contains(this.answers.allowed(answer), protocol, port)) return "Allow";
    return this.ports.contains(this.answers.undecided(answer), protocol, port) ? "Undecided" : "Deny";
  }

  private view(family: Family | undefined): View {
    const known = this.views.get(family);
    if (known !== undefined) return known;
    const made = new View(this.cluster, this.tiers, this.ends, this.answers, family);
    this.views.set(family, made);
    return made;
  }

  /** Undefined for ends that are not of the cluster, such as pods that somebody thinks of creating. */
  private locate(end: Endpoint, family: Family | undefined): Located | undefined {
    if (end.kind === "external") return { atom: this.ends.vocabulary.atoms.indexOf(end.address) };
    if (
      end.kind === "node" &&
      end.address !== undefined &&
      end.address.family !== (family ?? end.address.family)
    )
      return undefined;
    const found = this.ends.classOf(end);
    return found && { end: found };
  }
}

function otherFor(subject: Endpoint, located: Located, other: Endpoint): Other {
  if (!("end" in located)) return { kind: "external", atom: located.atom };
  const { end } = located;
  return end.kind === "pod"
    ? { kind: "pod", end }
    : { kind: "host", end, nearness: nearness(subject, other) };
}

// S1.6
function nearness(subject: Endpoint, host: Endpoint): Nearness {
  const [own, other] = [nodeOf(subject), nodeOf(host)];
  if (own === undefined || other === undefined) return "unknown-node";
  return own === other ? "own-node" : "other-node";
}

function nodeOf(end: Endpoint): string | undefined {
  return end.kind === "pod" ? end.pod.node : end.kind === "node" ? end.node.name : undefined;
}
