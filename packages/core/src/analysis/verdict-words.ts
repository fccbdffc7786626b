import type { Verdict } from "../evaluate/evaluate.js";

export const verdictWords: Readonly<Record<Verdict, string>> = {
  Allow: "allowed",
  Deny: "denied",
  Undecided: "undecided",
};
