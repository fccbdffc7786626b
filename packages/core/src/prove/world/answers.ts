import type { Fact, Unknowns } from "../../evaluate/facts.js";

/** Facts as a model has them: the evaluator asks, and is answered. What the model does not mention is noted. */
export class Answers implements Unknowns {
  /** Questions without an answer. There are none where encoding and evaluator agree on what matters. */
  readonly unanswered: string[] = [];
  /** What the evaluator wanted to know: `whether …`. */
  readonly asked = new Map<string, { readonly text: string; readonly answer: boolean }>();

  constructor(private readonly answers: ReadonlyMap<string, boolean>) {}

  ask({ key, text }: Fact): boolean {
    const answer = this.answers.get(key);
    if (answer === undefined) this.unanswered.push(text);
    else this.asked.set(key, { text, answer });
    return answer ?? false;
  }

  // Addresses and labels are written in the manifests of the world.
  isIn(_who: string, _possible: unknown, _wanted: unknown, text: string): boolean {
    this.unanswered.push(text);
    return false;
  }

  isOneOf(_who: string, _wanted: unknown, text: string): boolean {
    this.unanswered.push(text);
    return false;
  }

  note(): void {
    // Notes are about missing addresses.
  }

  supposing(): Unknowns {
    return this;
  }
}
