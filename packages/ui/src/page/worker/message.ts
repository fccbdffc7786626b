import type { QuestionName, RequestOf } from "./answers.js";
import type { StateSource } from "./given-state.js";

/** What the page tells the worker, one at a time; each is answered by one reply of the same number. */
export type Message =
  | { readonly number: number; readonly kind: "load"; readonly source: StateSource }
  | {
      readonly number: number;
      readonly kind: "ask";
      readonly name: QuestionName;
      readonly request: RequestOf<QuestionName>;
    };

export type Reply =
  | { readonly number: number; readonly kind: "answer"; readonly answer: unknown }
  | { readonly number: number; readonly kind: "failure"; readonly message: string };
