import { intersect, isEmpty, type Region, subtract } from "../net/region.js";

/*
 * Facts that the input does not contain. The evaluator is written as if everything were known: it asks for what is not. `explore`
 * then runs it once for every consistent set of answers, so that a verdict is Undecided exactly when the answers
 * matter (S9.1), however the unknown facts are related.
 */

export interface Fact {
  readonly key: string;
  /** Continues "it is not known …": `whether shop/cart runs on node worker-1`. */
  readonly text: string;
}

export interface Unknowns {
  /** The answer assumed in this run; the same question always gets the same answer. */
  ask(fact: Fact): boolean;
  /** Whether an address that is only known to be in `possible` is in `wanted`; later questions remember the answer. */
  isIn(who: string, possible: Region, wanted: Region, text: string): boolean;
  /** Whether an unknown string is one of these; later questions remember the answer. */
  isOneOf(who: string, wanted: readonly string[], text: string): boolean;
  /** An assumption that the user should know. */
  note(text: string): void;
  /** What is settled in this run, and `answer` for everything else; for what does not change the verdict. */
  supposing(answer: boolean): Unknowns;
}

export interface Run<T> {
  readonly value: T;
  readonly assumed: readonly (Fact & { readonly answer: boolean })[];
  readonly notes: readonly string[];
}

/** The limit of answers that are tried; beyond it, the results are incomplete. */
export const mostRuns = 1024;

/** Every outcome of `evaluate`, over all answers to what it asks; stops early once `enough` says so. */
export function explore<T>(
  evaluate: (unknowns: Unknowns) => T,
  enough: (runs: readonly Run<T>[]) => boolean = () => false,
): readonly Run<T>[] {
  const runs: Run<T>[] = [];
  let script: boolean[] = [];
  for (;;) {
    const session = new Session(script);
    runs.push({ value: evaluate(session), assumed: session.assumed, notes: [...session.notes] });
    if (enough(runs) || runs.length >= mostRuns) return runs;
    // Answers begin as false; the next run flips the last of them that is still false.
    const flip = session.answers.lastIndexOf(false);
    if (flip === -1) return runs;
    script = [...session.answers.slice(0, flip), true];
  }
}

/** What a text may still be: one of `only`, or anything but `not`. */
interface PossibleTexts {
  readonly only?: readonly string[];
  readonly not: readonly string[];
}

const anyText: PossibleTexts = { not: [] };

const isPossible = ({ only, not }: PossibleTexts, value: string): boolean =>
  only === undefined ? !not.includes(value) : only.includes(value);

function without({ only, not }: PossibleTexts, values: readonly string[]): PossibleTexts {
  if (only === undefined) return { not: [...not, ...values] };
  return { only: only.filter((value) => !values.includes(value)), not };
}

class Session implements Unknowns {
  readonly answers: boolean[] = [];
  readonly assumed: (Fact & { answer: boolean })[] = [];
  readonly notes = new Set<string>();
  private readonly known = new Map<string, boolean>();
  private readonly regions = new Map<string, Region>();
  private readonly texts = new Map<string, PossibleTexts>();

  constructor(private readonly script: readonly boolean[]) {}

  ask(fact: Fact): boolean {
    const known = this.known.get(fact.key);
    if (known !== undefined) return known;
    const answer = this.next(fact);
    this.known.set(fact.key, answer);
    return answer;
  }

  isIn(who: string, possible: Region, wanted: Region, text: string): boolean {
    const now = this.regions.get(who) ?? possible;
    const inside = intersect(now, wanted);
    if (isEmpty(inside)) return false;
    const outside = subtract(now, wanted);
    if (isEmpty(outside)) return true;
    const answer = this.next({ key: `${who} ${text}`, text });
    this.regions.set(who, answer ? inside : outside);
    return answer;
  }

  isOneOf(who: string, wanted: readonly string[], text: string): boolean {
    const now = this.texts.get(who) ?? anyText;
    const inside = wanted.filter((value) => isPossible(now, value));
    if (inside.length === 0) return false;
    if (now.only !== undefined && now.only.every((value) => inside.includes(value))) return true;
    const answer = this.next({ key: `${who} ${text}`, text });
    this.texts.set(who, answer ? { only: inside, not: [] } : without(now, inside));
    return answer;
  }

  note(text: string): void {
    this.notes.add(text);
  }

  supposing(answer: boolean): Unknowns {
    return {
      ask: (fact) => this.known.get(fact.key) ?? answer,
      isIn: (who, possible, wanted) => {
        const now = this.regions.get(who) ?? possible;
        if (isEmpty(intersect(now, wanted))) return false;
        return isEmpty(subtract(now, wanted)) || answer;
      },
      isOneOf: (who, wanted) => {
        const now = this.texts.get(who) ?? anyText;
        const inside = wanted.filter((value) => isPossible(now, value));
        const sure = now.only !== undefined && now.only.every((value) => inside.includes(value));
        return inside.length > 0 && (sure || answer);
      },
      note: () => undefined,
      supposing: (other) => this.supposing(other),
    };
  }

  private next(fact: Fact): boolean {
    const answer = this.script[this.answers.length] ?? false;
    this.answers.push(answer);
    this.assumed.push({ ...fact, answer });
    return answer;
  }
}
