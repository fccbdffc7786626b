import type { Verdict } from "../../evaluate/evaluate.js";
import { type Endpoint, type Flow, formatEndpoint } from "../../evaluate/flow.js";
import type { State } from "../../state/state.js";
import { type FlowGroup, FlowGroups, type EvaluatedFlow } from "./flow-groups.js";
import type { Observation, ReadLine, SkipReason } from "./observation.js";
import { type UnknownWhy, ObservedEndpoints } from "./observed-endpoints.js";
import { compile, type Engine, type FlowExplanation } from "../../engine/index.js";
import { formatAddress } from "../../net/address.js";

/** Observed traffic, evaluated by policies. Counts are those of the records. */
export interface Replayed {
  readonly evaluated: number;
  /** The verdicts about the evaluated flows: after the change, if there is one. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly dropped: readonly FlowGroup[];
  readonly undecided: readonly FlowGroup[];
  /** Flows whose verdict differs after the change. Absent without a change. */
  readonly changed?: readonly FlowGroup[];
  /** Flows that were forwarded although the policies deny them, and the reverse. */
  readonly disagreements: readonly FlowGroup[];
  readonly skipped: ReadonlyMap<SkipReason, number>;
  readonly unknown: readonly UnknownEnd[];
  readonly broken: number;
}

/** Records that cannot be evaluated, as one of their endpoints is unknown. */
export interface UnknownEnd {
  readonly who: string;
  readonly why: UnknownWhy;
  readonly count: number;
}

/** The limit of unknown endpoints that are named; the rest is counted. */
const mostUnknown = 1000;

/** Consumes observations one by one, and keeps only what the answer needs. */
export class Replay {
  private readonly before: FlowEvaluator;
  private readonly after: FlowEvaluator;
  private readonly groups: Readonly<
    Record<"dropped" | "undecided" | "changed" | "disagreements", FlowGroups>
  >;
  private readonly verdicts: Record<Verdict, number> = { Allow: 0, Deny: 0, Undecided: 0 };
  private readonly skipped = new Map<SkipReason, number>();
  private readonly unknown = new Map<string, { who: string; why: UnknownWhy; count: number }>();
  private broken = 0;

  /** `applied`: the state with the policies to be applied. */
  constructor(state: State, applied?: State) {
    this.before = new FlowEvaluator(state);
    this.after = applied === undefined ? this.before : new FlowEvaluator(applied);
    const nameOf = (end: Endpoint) => `${this.before.nameOf(end)} ${this.after.nameOf(end)}`;
    const groups = () => new FlowGroups(nameOf);
    this.groups = { dropped: groups(), undecided: groups(), changed: groups(), disagreements: groups() };
  }

  add(line: ReadLine): void {
    switch (line.kind) {
      case "observation":
        this.observe(line.observation);
        break;
      case "skipped":
        this.skipped.set(line.why, (this.skipped.get(line.why) ?? 0) + 1);
        break;
      case "broken":
        this.broken++;
        break;
    }
  }

  result(): Replayed {
    const { dropped, undecided, changed, disagreements } = this.groups;
    const { Allow, Deny, Undecided } = this.verdicts;
    return {
      evaluated: Allow + Deny + Undecided,
      verdicts: this.verdicts,
      dropped: dropped.all(),
      undecided: undecided.all(),
      ...(this.after === this.before ? {} : { changed: changed.all() }),
      disagreements: disagreements.all(),
      skipped: this.skipped,
      unknown: [...this.unknown.values()].toSorted((a, b) => b.count - a.count),
      broken: this.broken,
    };
  }

  private observe(observation: Observation): void {
    const before = this.before.evaluate(observation);
    const after = this.after === this.before ? before : this.after.evaluate(observation);
    if (before.kind === "unknown") this.addUnknown(before, observation.times);
    else if (after.kind === "unknown") this.addUnknown(after, observation.times);
    else this.tally({ flow: after.flow, before: before.said, after: after.said }, observation);
  }

  private tally(evaluated: EvaluatedFlow, { times, seen }: Observation): void {
    const { before, after } = evaluated;
    const { groups } = this;
    this.verdicts[after.verdict] += times;
    if (after.verdict === "Deny") groups.dropped.add(evaluated, times);
    if (after.verdict === "Undecided") groups.undecided.add(evaluated, times);
    if (before.verdict !== after.verdict) groups.changed.add(evaluated, times);
    if (seen === undefined) return;
    const said = seen.direction === undefined ? before.verdict : before[seen.direction].verdict;
    if (said !== "Undecided" && said !== seen.verdict) groups.disagreements.add(evaluated, times, seen);
  }

  private addUnknown({ who, why }: Extract<FlowEvaluation, { kind: "unknown" }>, times: number): void {
    const name = this.unknown.size < mostUnknown || this.unknown.has(`${why} ${who}`) ? who : "others";
    const known = this.unknown.get(`${why} ${name}`);
    if (known !== undefined) known.count += times;
    else this.unknown.set(`${why} ${name}`, { who: name, why, count: times });
  }
}

/** The verdict of a state about an observed connection. */
type FlowEvaluation =
  | { readonly kind: "said"; readonly flow: Flow; readonly said: FlowExplanation }
  | { readonly kind: "unknown"; readonly who: string; readonly why: UnknownWhy };

/** The limit of cached answers: traffic repeats itself, but its amount is unknown. */
const mostKnown = 100_000;

/** Evaluates observations in one state. */
export class FlowEvaluator {
  private readonly ends: ObservedEndpoints;
  private readonly engine: Engine;
  private readonly known = new Map<string, FlowExplanation>();

  constructor(state: State) {
    this.ends = new ObservedEndpoints(state);
    this.engine = compile(state.cluster, state.tiers);
  }

  /** If a record may mean several connections, the one with the worst verdict. */
  evaluate(observation: Observation): FlowEvaluation {
    const meant = this.ends.meantBy(observation);
    if (meant.kind === "unknown") return meant;
    const all = meant.flows.map((flow) => ({ kind: "said", flow, said: this.explain(flow) }) as const);
    return (
      all.find(({ said }) => said.verdict === "Deny") ??
      all.find(({ said }) => said.verdict === "Undecided") ??
      all[0] ?? { kind: "unknown", who: "unknown", why: "other" }
    );
  }

  /** The same for all external addresses that no rule distinguishes. */
  nameOf(end: Endpoint): string {
    if (end.kind === "external") return `outside ${this.engine.ends.vocabulary.atoms.indexOf(end.address)}`;
    const at = end.kind === "node" && end.address !== undefined ? ` at ${formatAddress(end.address)}` : "";
    return `${formatEndpoint(end)}${at}`;
  }

  private explain(flow: Flow): FlowExplanation {
    const { source, destination, protocol, port, family, toItself } = flow;
    const ends = `${this.nameOf(source)} ${this.nameOf(destination)}`;
    const key = `${ends} ${protocol} ${port} ${family}${toItself ? " itself" : ""}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made = this.engine.explain(flow);
    if (this.known.size >= mostKnown) this.known.clear();
    this.known.set(key, made);
    return made;
  }
}
