import { compile, type Engine, type FlowExplanation } from "../../engine/index.js";
import { type Endpoint, type Flow, formatEndpoint } from "../../evaluate/flow.js";
import { formatAddress } from "../../net/address.js";
import type { State } from "../../state/state.js";
import type { Observation } from "./observation.js";
import { ObservedEndpoints, type UnknownWhy } from "./observed-endpoints.js";

/** The verdict of a state about an observed connection. */
export type FlowEvaluation =
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
