import type { QuestionName, RequestOf } from "./answers.js";
import type { StateSource } from "./given-state.js";

/** What the page sends to the worker, one at a time; each is answered by one reply of the same number, perhaps after some with the progress. */
export type Message =
  | { readonly number: number; readonly kind: "load"; readonly source: StateSource }
  | {
      readonly number: number;
      readonly kind: "ask";
      readonly name: QuestionName;
      readonly request: RequestOf<QuestionName>;
    };

export type Reply =
  /** Before a state is read: how many objects of it have been. */
  | { readonly number: number; readonly kind: "progress"; readonly objects: number }
  | { readonly number: number; readonly kind: "answer"; readonly answer: unknown }
  | { readonly number: number; readonly kind: "failure"; readonly message: string };
