import type { AnswerId } from "../compile/answers.js";
import { type OutcomeId, uncertain } from "../walk/outcomes.js";
import type { View } from "../compile/view.js";

/** Represents an answer that must be computed separately for each pair. */
export const askEach: AnswerId = 0xffffffff;
/** Represents an answer that is not computed yet. */
const notKnown: AnswerId = 0xfffffffe;

/** What all tiers of one end together mean for the ports that are open; looked up once for each outcome. */
export class OutcomeAnswers {
  private answers = new Uint32Array(0);

  constructor(private readonly view: View) {}

  /** Of all at once. */
  read(outcomes: Uint32Array, into: Uint32Array): void {
    for (let i = 0; i < outcomes.length; i++) into[i] = this.of(outcomes[i]!);
  }

  of(outcome: OutcomeId): AnswerId {
    const known = this.answers[outcome];
    return known === undefined || known === notKnown ? this.compute(outcome) : known;
  }

  private compute(outcome: OutcomeId): AnswerId {
    if (outcome >= this.answers.length) {
      const longer = new Uint32Array(2 * this.view.outcomes.allows.length).fill(notKnown);
      longer.set(this.answers);
      this.answers = longer;
    }
    const answer = outcome === uncertain ? askEach : this.view.answerOf(outcome);
    this.answers[outcome] = answer;
    return answer;
  }
}
