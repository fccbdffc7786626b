import { everyPort, noPorts, type PortSetId, type PortSets } from "./port-sets.js";

/*
 * What a tier says about one pair of classes, for all ports at once. While its rules are gone through it is a state: the
 * ports allowed, denied and passed so far, the others being still open. At the end it is an outcome: the ports allowed
 * and denied; what is in neither goes on to the next tier. Both are held once and known by a number.
 */

export type Effect = "Allow" | "Deny" | "Pass" | "Maybe";
export type StateId = number;
export type OutcomeId = number;
export type StepId = number;

/** Nothing matched yet, and: nothing said. */
export const untouched: StateId = 0;
export const silent: OutcomeId = 0;
/** A fact that is not known may decide: such pairs are left to the literal evaluator. */
export const uncertainState: StateId = 1;
export const uncertain: OutcomeId = 1;

interface State {
  readonly allow: PortSetId;
  readonly deny: PortSetId;
  readonly pass: PortSetId;
  readonly open: PortSetId;
}

export class Outcomes {
  private readonly states: State[] = [];
  private readonly stateIds = new Map<string, StateId>();
  private readonly steps: { readonly ports: PortSetId; readonly effect: Effect }[] = [];
  private readonly stepIds = new Map<string, StepId>();
  /** By step, then by state. */
  private readonly nexts: (StateId | undefined)[][] = [];
  private readonly outcomeIds = new Map<number, OutcomeId>();
  private readonly composed = new Map<number, OutcomeId>();
  private readonly finished = { isolated: [] as OutcomeId[], free: [] as OutcomeId[] };
  readonly allows: PortSetId[] = [];
  readonly denies: PortSetId[] = [];
  /** Whether a state has no open ports, an outcome no ports left for the next tier. */
  readonly isClosed: boolean[] = [];
  readonly isFinal: boolean[] = [];

  constructor(readonly ports: PortSets) {
    this.internState(noPorts, noPorts, noPorts);
    this.states.push({ allow: noPorts, deny: noPorts, pass: noPorts, open: noPorts });
    this.isClosed.push(true);
    this.internOutcome(noPorts, noPorts);
    this.allows.push(noPorts);
    this.denies.push(noPorts);
    this.isFinal.push(true);
  }

  step(ports: PortSetId, effect: Effect): StepId {
    const key = `${effect} ${ports}`;
    const known = this.stepIds.get(key);
    if (known !== undefined) return known;
    const id = this.steps.push({ ports, effect }) - 1;
    this.nexts.push([]);
    this.stepIds.set(key, id);
    return id;
  }

  stepOf(id: StepId): { readonly ports: PortSetId; readonly effect: Effect } {
    return this.steps[id]!;
  }

  /** What is known of `next` for this step, by state. */
  nextsOf(step: StepId): readonly (StateId | undefined)[] {
    return this.nexts[step]!;
  }

  /** S1.1: a rule takes what is still open of its ports. */
  next(state: StateId, step: StepId): StateId {
    const known = this.nexts[step]![state];
    return known === undefined ? this.computeNext(state, step) : known;
  }

  private computeNext(state: StateId, step: StepId): StateId {
    const { allow, deny, pass, open } = this.states[state]!;
    const { ports, effect } = this.steps[step]!;
    const taken = this.ports.intersect(open, ports);
    let next = state;
    if (taken !== noPorts)
      switch (effect) {
        case "Allow":
          next = this.internState(this.ports.union(allow, taken), deny, pass);
          break;
        case "Deny":
          next = this.internState(allow, this.ports.union(deny, taken), pass);
          break;
        case "Pass":
          next = this.internState(allow, deny, this.ports.union(pass, taken));
          break;
        case "Maybe":
          next = uncertainState;
      }
    this.nexts[step]![state] = next;
    return next;
  }

  /** S1.2: isolation denies what is still open; S1.3: otherwise it goes to the next tier, as what was passed does. */
  finish(state: StateId, isolated: boolean): OutcomeId {
    const memo = isolated ? this.finished.isolated : this.finished.free;
    const known = memo[state];
    if (known !== undefined) return known;
    const { allow, deny, open } = this.states[state]!;
    const outcome =
      state === uncertainState
        ? uncertain
        : this.internOutcome(allow, isolated ? this.ports.union(deny, open) : deny);
    memo[state] = outcome;
    return outcome;
  }

  /** The second tier speaks of what the first left open. */
  compose(first: OutcomeId, second: OutcomeId): OutcomeId {
    if (second === silent || this.isFinal[first]!) return first;
    if (first === silent) return second;
    if (second === uncertain) return uncertain;
    const key = first * 0x4000000 + second;
    const known = this.composed.get(key);
    if (known !== undefined) return known;
    const [a1, d1] = [this.allows[first]!, this.denies[first]!];
    const [a2, d2] = [this.allows[second]!, this.denies[second]!];
    const { ports } = this;
    const made = this.internOutcome(
      ports.union(a1, ports.subtract(a2, d1)),
      ports.union(d1, ports.subtract(d2, a1)),
    );
    this.composed.set(key, made);
    return made;
  }

  private internState(allow: PortSetId, deny: PortSetId, pass: PortSetId): StateId {
    const key = `${allow} ${deny} ${pass}`;
    const known = this.stateIds.get(key);
    if (known !== undefined) return known;
    const settled = this.ports.union(this.ports.union(allow, deny), pass);
    const open = this.ports.subtract(everyPort, settled);
    const id = this.states.push({ allow, deny, pass, open }) - 1;
    this.isClosed.push(open === noPorts);
    this.stateIds.set(key, id);
    return id;
  }

  private internOutcome(allow: PortSetId, deny: PortSetId): OutcomeId {
    const key = allow * 0x4000000 + deny;
    const known = this.outcomeIds.get(key);
    if (known !== undefined) return known;
    const id = this.allows.push(allow) - 1;
    this.denies.push(deny);
    this.isFinal.push(this.ports.union(allow, deny) === everyPort);
    this.outcomeIds.set(key, id);
    return id;
  }
}
