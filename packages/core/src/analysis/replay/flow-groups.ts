import type { FlowExplanation } from "../../engine/index.js";
import type { Endpoint, Flow } from "../../evaluate/flow.js";
import { deciderKey } from "../decider-key.js";
import { partyKey, partyOf } from "../endpoints/party.js";
import type { Observation } from "./observation.js";

/** The verdicts about one observed connection: before and after the change. */
export interface EvaluatedFlow {
  readonly flow: Flow;
  readonly before: FlowExplanation;
  readonly after: FlowExplanation;
}

/** Observed connections between the same workloads, on the same port, with the same result; the flow is one of them. */
export interface FlowGroup extends EvaluatedFlow {
  readonly count: number;
  /** What was observed, if it differs. */
  readonly seen?: Observation["seen"];
  /** Whether there were several external addresses that no rule distinguishes. */
  readonly severalAddresses: boolean;
  /** Represents connections of too many endpoints and ports to list; the same rule denies them. */
  readonly isRest?: true;
}

type Growing = { -readonly [K in keyof FlowGroup]: FlowGroup[K] };

/** The limit of groups; the rest is counted, by the rules that deny. */
const mostGroups = 20_000;

export class FlowGroups {
  private readonly groups = new Map<string, Growing>();
  private readonly rest = new Map<string, Growing>();

  /** `nameOf` is the same for external addresses that no rule distinguishes. */
  constructor(
    private readonly nameOf: (end: Endpoint) => string,
    private readonly most = mostGroups,
  ) {}

  add(evaluated: EvaluatedFlow, times: number, seen?: Observation["seen"]): void {
    const { flow, before, after } = evaluated;
    const said = [denierKey(before), denierKey(after), seen?.verdict, seen?.direction].join();
    const key = `${this.endKey(flow.source)}\n${this.endKey(flow.destination)}\n${flow.protocol} ${flow.port} ${said}`;
    const known = this.groups.get(key) ?? (this.groups.size < this.most ? undefined : this.rest.get(said));
    if (known !== undefined) {
      known.count += times;
      known.severalAddresses ||= isElsewhere(known.flow, flow);
      return;
    }
    const made: Growing = {
      flow,
      before,
      after,
      count: times,
      severalAddresses: false,
      ...(seen === undefined ? {} : { seen }),
    };
    if (this.groups.size < this.most) this.groups.set(key, made);
    else this.rest.set(said, { ...made, isRest: true });
  }

  /** The most frequent first, and the rest last. */
  all(): readonly FlowGroup[] {
    const sorted = (groups: ReadonlyMap<string, FlowGroup>) =>
      [...groups.values()].toSorted((a, b) => b.count - a.count);
    return [...sorted(this.groups), ...sorted(this.rest)];
  }

  private endKey(end: Endpoint): string {
    return end.kind === "external" ? this.nameOf(end) : partyKey(partyOf(end, "workload"));
  }
}

/** The verdict, with its deciders if it is not Allow. */
function denierKey({ verdict, egress, ingress }: FlowExplanation): string {
  if (verdict === "Allow") return verdict;
  const sides = [egress, ingress].map((side) =>
    side.verdict === "Allow" ? "" : side.deciders.map(deciderKey).join(),
  );
  return `${verdict} ${sides.join("/")}`;
}

function isElsewhere(a: Flow, b: Flow): boolean {
  const addressOf = (end: Endpoint) => (end.kind === "external" ? end.address.value : undefined);
  return addressOf(a.source) !== addressOf(b.source) || addressOf(a.destination) !== addressOf(b.destination);
}
