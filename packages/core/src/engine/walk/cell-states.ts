import { PairMemo } from "../../sets/pair-memo.js";
import { everyPort, noPorts, type PortSetId, type PortSets } from "../../sets/port-sets.js";
import type { Action } from "../../policy/model.js";
import { type OutcomeId, type Outcomes, silent, uncertain, undecided } from "./outcomes.js";

/*
 * First match (S1.1 to S1.3) for one pair of classes and all ports at once. A state says what has become of the ports;
 * each rule that matches the pair leads from one state to the next:
 *
 *            ┌─ Allow ─► allowed
 *   open ────┼─ Deny ──► denied          isolation denies what is still open at the end of a tier
 *            ├─ Pass ──► passed ───────► open again in the next tier
 *            └─ Maybe ─► perhaps open    whether the rule matches depends on missing facts (S9.1)
 *
 * Every state is stored once and known by a number, and so is every step: walking past thousands of pairs looks up
 * numbers, and the algebra below runs once for each step that is new.
 */
export type StateId = number;

/**
 * What a part of a rule does. `Maybe`: whether the rule matches depends on a fact that is not known. `Undecided`: the
 * rule matches, and may allow or deny, whatever else is known (S9.3).
 */
export type Effect = Action | "Maybe" | "Undecided";

export const isSure = (effect: Effect): effect is Action => effect !== "Maybe" && effect !== "Undecided";

/** Ports and effect of a part of a rule, as one number. */
export type Step = number;

const effects = ["Allow", "Deny", "Pass", "Maybe", "Undecided", "MaybePass"] as const;

export function stepOf(ports: PortSetId, effect: Effect, action: Action): Step {
  const done = effect === "Maybe" && action === "Pass" ? "MaybePass" : effect;
  return ports * effects.length + effects.indexOf(done);
}

export const portsOf = (step: Step): PortSetId => Math.floor(step / effects.length);
export const effectOf = (step: Step): (typeof effects)[number] => effects[step % effects.length]!;

interface CellState {
  /** Ports that rules of this tier can still decide: surely, and if missing facts are so. */
  readonly open: PortSetId;
  readonly perhaps: PortSetId;
  readonly allowed: PortSetId;
  readonly denied: PortSetId;
  /** Ports that rules of this tier passed on: surely, and if missing facts are so. */
  readonly passed: PortSetId;
  readonly perhapsPassed: PortSetId;
  /** `uncertain` or `undecided` once a rule that is not sure took something. */
  readonly unsettled: OutcomeId;
}

/** What a rule takes of the ports that are open: surely, and if missing facts are so. */
export interface Taken {
  readonly surely: PortSetId;
  readonly perhaps: PortSetId;
}

export class CellStates {
  private readonly states: CellState[] = [];
  /** Numbers pairs of numbers, and so a list of numbers, pair by pair. */
  private pairs = 0;
  private readonly pairNumbers = new PairMemo(() => this.pairs++);
  private readonly ids = new Map<number, StateId>();
  private readonly steps = new PairMemo((state, step) => this.compute(state, step));
  private readonly isolated: (StateId | undefined)[] = [];
  private readonly next: (StateId | undefined)[] = [];
  private readonly outcomeIds: (OutcomeId | undefined)[] = [];
  private readonly ports: PortSets;
  /** 1 for states whose outcome no further rule of the tier can change. */
  isFinal = new Uint8Array(1024);
  /** Every port is open. */
  readonly start: StateId;

  constructor(readonly outcomes: Outcomes) {
    this.ports = outcomes.ports;
    this.start = this.startWith(everyPort);
  }

  /** Only these ports are open. */
  startWith(open: PortSetId): StateId {
    return this.intern({
      open,
      perhaps: noPorts,
      allowed: noPorts,
      denied: noPorts,
      passed: noPorts,
      perhapsPassed: noPorts,
      unsettled: silent,
    });
  }

  /** S1.1: a rule takes those of its ports that are still open. */
  take(state: StateId, step: Step): StateId {
    return this.steps.of(state, step);
  }

  /** S1.2: isolation denies what the rules of its tier left open. */
  isolate(state: StateId): StateId {
    return (this.isolated[state] ??= this.computeIsolated(this.states[state]!));
  }

  /** S1.3: what the tier left open or passed is open in the next tier. */
  nextTier(state: StateId): StateId {
    return (this.next[state] ??= this.computeNext(this.states[state]!));
  }

  /** What a tier that began with every port open says in the end. */
  outcomeOf(state: StateId): OutcomeId {
    return (this.outcomeIds[state] ??= this.computeOutcome(this.states[state]!));
  }

  open(state: StateId): Taken {
    const { open, perhaps } = this.states[state]!;
    return { surely: open, perhaps };
  }

  allowed(state: StateId): PortSetId {
    return this.states[state]!.allowed;
  }

  denied(state: StateId): PortSetId {
    return this.states[state]!.denied;
  }

  /** What `take` takes. */
  taken(state: StateId, step: Step): Taken {
    const { open, perhaps } = this.states[state]!;
    const wanted = portsOf(step);
    const met = this.ports.intersect(open, wanted);
    const perhapsMet = this.ports.intersect(perhaps, wanted);
    return isSureStep(step)
      ? { surely: met, perhaps: perhapsMet }
      : { surely: noPorts, perhaps: this.ports.union(met, perhapsMet) };
  }

  private compute(id: StateId, step: Step): StateId {
    const { ports } = this;
    const state = this.states[id]!;
    const wanted = portsOf(step);
    const effect = effectOf(step);
    const { surely, perhaps } = this.taken(id, step);
    if (surely === noPorts && perhaps === noPorts) return id;
    const met = ports.intersect(state.open, wanted);
    const isSure = isSureStep(step);
    const plus = (set: PortSetId, is: boolean) => (is ? ports.union(set, surely) : set);
    const passes = effect === "Pass" || effect === "MaybePass";
    return this.intern({
      open: ports.subtract(state.open, wanted),
      perhaps: isSure ? ports.subtract(state.perhaps, wanted) : ports.union(state.perhaps, met),
      allowed: plus(state.allowed, effect === "Allow"),
      denied: plus(state.denied, effect === "Deny"),
      passed: plus(state.passed, effect === "Pass"),
      perhapsPassed: passes ? ports.union(state.perhapsPassed, perhaps) : state.perhapsPassed,
      unsettled: isSure || state.unsettled !== silent ? state.unsettled : unsettledBy(effect),
    });
  }

  private computeIsolated(state: CellState): StateId {
    const denied = this.ports.union(state.denied, state.open);
    return this.intern({ ...state, open: noPorts, perhaps: noPorts, denied });
  }

  private computeNext(state: CellState): StateId {
    const { open, perhaps, passed, perhapsPassed } = state;
    return this.intern({
      ...state,
      open: this.ports.union(open, passed),
      perhaps: this.ports.union(perhaps, perhapsPassed),
      passed: noPorts,
      perhapsPassed: noPorts,
    });
  }

  private computeOutcome({ unsettled, allowed, denied }: CellState): OutcomeId {
    return unsettled === silent ? this.outcomes.of(allowed, denied) : unsettled;
  }

  private intern(state: CellState): StateId {
    const { open, perhaps, allowed, denied, passed, perhapsPassed, unsettled } = state;
    const pair = (a: number, b: number) => this.pairNumbers.of(a, b);
    const decided = pair(pair(allowed, denied), passed);
    const key = pair(pair(open, decided), pair(pair(perhaps, perhapsPassed), unsettled));
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    const id = this.states.push(state) - 1;
    this.ids.set(key, id);
    if (id >= this.isFinal.length) {
      const longer = new Uint8Array(2 * this.isFinal.length);
      longer.set(this.isFinal);
      this.isFinal = longer;
    }
    this.isFinal[id] = unsettled !== silent || (open === noPorts && perhaps === noPorts) ? 1 : 0;
    return id;
  }
}

const isSureStep = (step: Step): boolean => step % effects.length < effects.indexOf("Maybe");

const unsettledBy = (effect: (typeof effects)[number]): OutcomeId =>
  effect === "Undecided" ? undecided : uncertain;
