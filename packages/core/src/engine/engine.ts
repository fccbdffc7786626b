import type { Cluster, Pod } from "../cluster/model.js";
import { evaluate, type Verdict } from "../evaluate/evaluate.js";
import type { Endpoint, Flow } from "../evaluate/flow.js";
import type { Family } from "../net/address.js";
import type { Direction, Tiers } from "../policy/model.js";
import { type AnswerId, Answers } from "./compile/answers.js";
import { type EndClass, Ends } from "./classes/ends.js";
import {
  type DirectionExplanation,
  explanationOf,
  type FlowExplanation,
  noWalk,
} from "./walk/explanation.js";
import { type ExternalBlock, externalPairsIn } from "./pairs/external-pairs.js";
import { type IsolatedPods, isolatedIn } from "./walk/isolated.js";
import type { Other } from "./compile/layer.js";
import { nearnessOf } from "./classes/members.js";
import type { Block } from "./pairs/blocks.js";
import { pairsIn, type PairsOptions } from "./pairs/pairs.js";
import { PortSets } from "../sets/port-sets.js";
import { type Asked, type Reached, reachIn } from "./pairs/reach.js";
import { EndpointEffects } from "./usage/endpoint-effects.js";
import { RuleUses, type Use } from "./usage/rule-use.js";
import { canTalk } from "./classes/talking.js";
import { View } from "./compile/view.js";
import { seesNothingNew, vocabularyOf } from "./classes/vocabulary.js";
import { Difference, diffEngines } from "./change/diff.js";
import { endpointOf } from "./classes/members.js";
import { EndsInBoth, type Move, StayingClass } from "./change/ends-in-both.js";
import { Deciders } from "./walk/deciders.js";
import { SharedExplanations } from "./walk/shared-explanations.js";
import { readLanes } from "./usage/lanes.js";
import {
  type Changes,
  clusterAfter,
  isOnly,
  type PodChange,
  podChanges,
  type Update,
} from "./change/update.js";

/**
 * All policies of a cluster, compiled. Gives the verdicts of `evaluate`, for all connections at once.
 *
 *   cluster, tiers
 *      │ 1  vocabularyOf    what rules can look at: label keys, port names, CIDRs
 *      │ 2  Ends            endpoints that agree on all of that are one class
 *      ▼
 *   classes
 *      │ 3  View.of         per address family: peers become sets of columns; per tier and direction,
 *      │                    the classes that the same rules select become a row
 *      ▼
 *   views
 *      │ 4  TierTable       per row: rules become items, and the walk turns these into outcomes
 *      ▼
 *   outcomes ──► verdict, explain, pairs, update ...
 *
 * Stages 1 and 2 run here. The others run when they are first needed, and this is the point of both: a cluster with both
 * families has three views, of which one connection needs one, and a view has thousands of rows, of which one connection
 * needs two per tier. An engine that answers one verdict, or takes one update, computes no more than that.
 */
export function compile(cluster: Cluster, tiers: Tiers): Engine {
  return Engine.of(cluster, tiers, new Answers(new PortSets()));
}

/** An end as the tables know it. */
type Located = { readonly end: EndClass } | { readonly atom: number };

export class Engine {
  private constructor(
    private state: { readonly cluster: Cluster; readonly tiers: Tiers; readonly ends: Ends },
    readonly answers: Answers,
    private views: Map<Family | undefined, View> = new Map(),
  ) {
    this.compiledClasses = state.ends.classes.length;
  }

  private readonly decidersOf = new WeakMap<View, Deciders>();
  private readonly explanations = new SharedExplanations();
  /** The pods as they are now, once they are not those that were given any more. */
  private pods: Map<string, Pod> | undefined;
  /** Classes that came later make tables slower than compiling again would. */
  private compiledClasses: number;

  /** `expected` are tiers that later updates can apply without compiling everything again. */
  static of(cluster: Cluster, tiers: Tiers, answers: Answers, expected: readonly Tiers[] = []): Engine {
    const ends = new Ends(cluster, vocabularyOf(cluster, tiers, ...expected));
    return new Engine({ cluster, tiers, ends }, answers);
  }

  get cluster(): Cluster {
    return this.state.cluster;
  }

  get tiers(): Tiers {
    return this.state.tiers;
  }

  get ends(): Ends {
    return this.state.ends;
  }

  get ports(): PortSets {
    return this.answers.ports;
  }

  /**
   * Applies changes in place, and returns the pairs that they change. If only policies or only pods change, the cost
   * depends on what they touch; Services, workloads and CIDR groups cost nothing while no rule mentions them. All other
   * changes, and policies that distinguish something new, compile everything again.
   */
  update(given: Update): Changes {
    return this.take(given, true);
  }

  /** Like `update`, without computing the changed pairs, which is most of the work. */
  follow(given: Update): void {
    this.take(given, false);
  }

  private take(given: Update, reports: boolean): Changes {
    const update = this.takeUnseen(given);
    if (isOnly(update, "tiers") && update.tiers !== undefined)
      return this.updatePolicies(update.tiers, reports);
    if (isOnly(update, "pods")) {
      const changes = podChanges(this.cluster, update);
      if (changes.every((change) => this.isQuick(change))) return this.updatePods(changes, reports);
    }
    return this.compileAgain(update, reports);
  }

  /** Whether it takes these policies without compiling again: they look at nothing that is new to it. */
  isQuickWith(tiers: Tiers): boolean {
    const { cluster, ends } = this.state;
    return seesNothingNew(ends.vocabulary, cluster, this.tiers, tiers);
  }

  /** Puts the parts of the cluster that no rule looks at in their place. Gives back what is left to do. */
  private takeUnseen({ rest, ...update }: Update): Update {
    if (rest === undefined) return update;
    const { services, groups } = this.ends.vocabulary;
    const isSeen = { services: services.size > 0, workloads: false, cidrGroups: groups, facts: true };
    const partsThatAre = (seen: boolean): NonNullable<Update["rest"]> =>
      Object.fromEntries(
        Object.entries(rest).filter(([part]) => isSeen[part as keyof typeof isSeen] === seen),
      );
    this.state = { ...this.state, cluster: { ...this.cluster, ...partsThatAre(false) } };
    const left = partsThatAre(true);
    return Object.keys(left).length === 0 ? update : { ...update, rest: left };
  }

  /** Gets ready for policies that may look at something new: taking them then costs what they touch. */
  expect(tiers: Tiers): void {
    if (!this.isQuickWith(tiers)) this.become(this.state.cluster, this.tiers, [tiers]);
  }

  private updatePolicies(tiers: Tiers, reports: boolean): Changes {
    const { cluster, ends } = this.state;
    if (!this.isQuickWith(tiers)) return this.compileAgain({ tiers }, reports);
    const before = new Engine(this.state, this.answers, this.views);
    if (reports) for (const family of this.changingFamilies()) before.view(family);
    const affected = { egress: new Set<number>(), ingress: new Set<number>() };
    this.views = new Map(
      Array.from(before.views, ([family, then]) => {
        const changed = then.withTiers(tiers);
        for (const direction of directions)
          for (const index of changed.affected[direction]) affected[direction].add(index);
        return [family, changed.view] as const;
      }),
    );
    this.state = { cluster, tiers, ends };
    if (reports) {
      const touchedIn = (direction: Direction) =>
        Array.from(affected[direction], (index) => new StayingClass(ends.classes[index]!, new Set()));
      const touched = { egress: touchedIn("egress"), ingress: touchedIn("ingress") };
      return this.changesIn(new Difference(EndsInBoth.moved(before, this, []), touched));
    }
    // The caller who asks what changed may still look at how it was.
    if ([...this.views.values()].some(({ isOvergrown }) => isOvergrown)) this.become(cluster, tiers);
    return noChanges;
  }

  private changesIn(difference: Difference): Changes {
    const { appeared, disappeared } = difference;
    return { appeared, disappeared, pairs: [...difference] };
  }

  /** Whether a change of a pod leaves all other ends what they are to the rules. */
  private isQuick({ before, after }: PodChange): boolean {
    const { cluster, ends } = this.state;
    const isOwn = (pod: Pod | undefined) =>
      pod === undefined || (!pod.hostNetwork && cluster.namespaces.has(pod.namespace));
    if (ends.vocabulary.services.size > 0) return false;
    if (before && after && ends.isSameHost(before, after)) return true;
    return isOwn(before) && isOwn(after) && (!after || ends.knowsPorts(after));
  }

  private updatePods(changes: readonly PodChange[], reports: boolean): Changes {
    const { ends, tiers } = this.state;
    const families = reports ? this.changingFamilies() : [];
    // Views are compiled when they are asked for: now, as what they would say changes.
    for (const family of families) this.view(family);
    const pods = this.ownPods();
    const moves: Move[] = [];
    const found = { appeared: [] as Endpoint[], disappeared: [] as Endpoint[] };
    for (const { key, before, after } of changes) {
      const from = before && ends.removePod(before);
      const count = ends.classes.length;
      const to = after && ends.addPod(after);
      if (to !== undefined && ends.classes.length > count)
        for (const view of this.views.values()) view.addClass(to);
      if (after === undefined) pods.delete(key);
      else pods.set(key, after);
      if (before && after && from && to) {
        if (from !== to || before.node !== after.node) moves.push({ before, after, from, to });
      } else if (after && to) found.appeared.push(endpointOf(this.cluster, to, after));
      else if (before && from) found.disappeared.push(endpointOf(this.cluster, from, before));
    }
    const both = EndsInBoth.moved(this, this, moves);
    const touched = { egress: both.classes, ingress: both.classes };
    const { pairs } = reports && moves.length > 0 ? this.changesIn(new Difference(both, touched)) : noChanges;
    if (ends.classes.length > this.compiledClasses + mostLaterClasses(this.compiledClasses))
      this.become(this.cluster, tiers);
    return { ...found, pairs };
  }

  private ownPods(): Map<string, Pod> {
    if (this.pods === undefined) {
      this.pods = new Map(this.cluster.pods);
      this.state = { ...this.state, cluster: { ...this.cluster, pods: this.pods } };
    }
    return this.pods;
  }

  /** Replaces the state. Views are compiled again on first use. */
  private become(cluster: Cluster, tiers: Tiers, expected: readonly Tiers[] = []): void {
    const { state } = Engine.of(cluster, tiers, this.answers, expected);
    this.state = state;
    this.views = new Map();
    this.pods = undefined;
    this.compiledClasses = state.ends.classes.length;
  }

  private compileAgain(update: Update, reports: boolean): Changes {
    const before = new Engine(this.state, this.answers, this.views);
    this.become(clusterAfter(this.cluster, update), update.tiers ?? this.tiers);
    return reports ? this.changesIn(diffEngines(before, this)) : noChanges;
  }

  verdict(flow: Flow): Verdict {
    // S1.6; of ends that are no pods there is no walk either.
    if (flow.toItself) return "Allow";
    return this.verdictBetweenPods(flow) ?? this.verdictOf(flow);
  }

  /** The most common question by the shortest way; undefined where it is another, or something is not certain. */
  private verdictBetweenPods({ source, destination, protocol, port, family }: Flow): Verdict | undefined {
    if (source.kind !== "pod" || destination.kind !== "pod") return undefined;
    const [from, to] = [this.ends.classOf(source), this.ends.classOf(destination)];
    if (from?.kind !== "pod" || to?.kind !== "pod") return undefined;
    const view = this.view(family);
    const egress = view.answerAt("egress", from, to.column);
    if (egress === undefined) return undefined;
    if (!this.ports.contains(egress, protocol, port)) return "Deny";
    const ingress = view.answerAt("ingress", to, from.column);
    if (ingress === undefined) return undefined;
    return this.ports.contains(ingress, protocol, port) ? "Allow" : "Deny";
  }

  private verdictOf(flow: Flow): Verdict {
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
    return this.combine(egress, ingress, flow);
  }

  /** The verdict with who decided it, in each direction. */
  explain(flow: Flow): FlowExplanation {
    const source = this.locate(flow.source, flow.family);
    const destination = this.locate(flow.destination, flow.family);
    if (source === undefined || destination === undefined || flow.toItself)
      return explanationOf(evaluate(this.cluster, this.tiers, flow));
    const egress = this.explainAt(
      "egress",
      source,
      otherFor(flow.source, destination, flow.destination),
      flow,
    );
    const ingress = this.explainAt(
      "ingress",
      destination,
      otherFor(flow.destination, source, flow.source),
      flow,
    );
    return { verdict: this.combine(egress.verdict, ingress.verdict, flow), egress, ingress };
  }

  /** All that an end can open connections to, and that can open connections to it. Undefined for ends that are not known. */
  reachableFrom(end: Endpoint): Iterable<Reached> | undefined {
    return this.reach("egress", end);
  }

  reaching(end: Endpoint): Iterable<Reached> | undefined {
    return this.reach("ingress", end);
  }

  private reach(direction: Direction, endpoint: Endpoint): Iterable<Reached> | undefined {
    const asked = this.askedAbout(endpoint);
    if (asked === undefined) return undefined;
    const own = asked.kind === "external" ? [asked.family] : this.outsideFamilies([asked.end]);
    const families = asked.kind === "external" ? own : new Set([...this.spokenFamilies(), ...own]);
    return concat(families, (family) => reachIn(this.view(family), this.cluster, direction, asked));
  }

  private askedAbout(endpoint: Endpoint): Asked | undefined {
    if (endpoint.kind === "external") {
      const { address } = endpoint;
      return { kind: "external", atom: this.ends.vocabulary.atoms.indexOf(address), family: address.family };
    }
    const end = this.ends.classOf(endpoint);
    return end && { kind: "end", end, endpoint };
  }

  /** All pods against all external addresses. */
  externalPairs(): Iterable<ExternalBlock> {
    const families = this.outsideFamilies(this.ends.classes);
    return concat(families, (family) => externalPairsIn(this.view(family), family));
  }

  /** How much each rule decides, and who isolates, and what is left for the default. */
  ruleUse(): readonly Use[] {
    const uses = new RuleUses(this.tiers);
    readLanes(this, [uses]);
    return uses.all();
  }

  /** The effect of each rule that mentions an endpoint. Undefined for unknown endpoints. */
  ruleEffects(endpoint: Endpoint): EndpointEffects | undefined {
    const asked = this.askedAbout(endpoint);
    if (asked === undefined) return undefined;
    const effects = new EndpointEffects(this.cluster, endpoint, asked, this.ports);
    const families = asked.kind === "external" ? [asked.family] : this.spokenFamilies();
    for (const family of families) effects.addInside(this.view(family));
    if (asked.kind === "end")
      for (const family of this.outsideFamilies([asked.end])) effects.addOutside(this.view(family), family);
    return effects;
  }

  /** The isolated pods, and what isolates them. */
  isolated(): Iterable<IsolatedPods> {
    const family = this.spokenFamilies()[0];
    return isolatedIn(this.view(family));
  }

  /** All connections, as blocks of groups that behave alike; each address family separately (S1.15). */
  *pairs(options: PairsOptions = {}): Iterable<Block> {
    for (const family of this.spokenFamilies()) {
      const view = this.view(family);
      yield* pairsIn(view, options);
    }
  }

  /** The first port of each interval that the rules for connections between two endpoints distinguish. */
  pointsBetween({ source, destination, family }: Flow): readonly number[] {
    const [from, to] = [this.locate(source, family), this.locate(destination, family)];
    const points = (direction: Direction, subject: Located | undefined, other: Located | undefined) =>
      subject === undefined || !("end" in subject) || subject.end.kind === "host"
        ? []
        : this.view(family).pointsOf(direction, subject.end, other !== undefined && "atom" in other);
    return [...points("egress", from, to), ...points("ingress", to, from)];
  }

  /** The families in which at least one pod of these classes can connect to external addresses. */
  private outsideFamilies(ends: readonly EndClass[]): readonly Family[] {
    return ([4, 6] as const).filter((family) =>
      ends.some(({ kind, families }) => kind === "pod" && canTalk(family, families, [family])),
    );
  }

  /** S1.14: what is said to external addresses matters in each family to a pod whose address is not known. */
  private changingFamilies(): readonly (Family | undefined)[] {
    return this.ends.families.has(undefined) ? [4, 6, undefined] : this.spokenFamilies();
  }

  private spokenFamilies(): readonly (Family | undefined)[] {
    return ([4, 6, undefined] as const).filter((family) => this.isSpoken(family));
  }

  /** Whether there may be connections in a family; of ends without addresses nothing is known (S1.14). */
  isSpoken(family: Family | undefined): boolean {
    return this.ends.families.has(family);
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

  private explainAt(direction: Direction, subject: Located, other: Other, flow: Flow): DirectionExplanation {
    if (!("end" in subject)) return noWalk;
    return this.deciders(flow.family).at(direction, subject.end, other, flow);
  }

  /** S1.4, S9.1 */
  private combine(egress: Verdict, ingress: Verdict, flow: Flow): Verdict {
    if (egress === "Deny" || ingress === "Deny") return "Deny";
    if (egress === "Allow" && ingress === "Allow") return "Allow";
    return egress === ingress ? evaluate(this.cluster, this.tiers, flow).verdict : "Undecided";
  }

  private verdictAt(answer: AnswerId, { protocol, port }: Flow): Verdict {
    if (this.ports.contains(this.answers.allowed(answer), protocol, port)) return "Allow";
    return this.ports.contains(this.answers.undecided(answer), protocol, port) ? "Undecided" : "Deny";
  }

  /** Stage 3 of `compile`, for one family. */
  view(family: Family | undefined): View {
    const known = this.views.get(family);
    if (known !== undefined) return known;
    const made = View.of(this.cluster, this.tiers, this.ends, this.answers, family);
    this.views.set(family, made);
    return made;
  }

  private deciders(family: Family | undefined): Deciders {
    const view = this.view(family);
    const known = this.decidersOf.get(view) ?? new Deciders(view, this.cluster, this.explanations);
    this.decidersOf.set(view, known);
    return known;
  }

  /** Undefined for endpoints that are not in the cluster, such as pods that do not exist yet. */
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

const directions = ["egress", "ingress"] as const;

const noChanges: Changes = { appeared: [], disappeared: [], pairs: [] };

/** So many later classes are still better than compiling again, which costs the more the more there are. */
const mostLaterClasses = (compiled: number): number => 256 + compiled / 10;

function otherFor(subject: Endpoint, located: Located, other: Endpoint): Other {
  if (!("end" in located)) return { kind: "external", atom: located.atom };
  const { end } = located;
  return end.kind === "pod"
    ? { kind: "pod", end }
    : { kind: "host", end, nearness: nearnessOf(subject, other) };
}

function* concat<F, T>(families: Iterable<F>, of: (family: F) => Iterable<T>): Iterable<T> {
  for (const family of families) yield* of(family);
}
