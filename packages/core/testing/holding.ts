import type { Answer, Literal } from "../src/prove/sat/index.js";
import { not } from "../src/prove/sat/index.js";

/** Whether something holds in all, some or none of the models in which all of `given` hold. */
export function holding(
  solve: (assumptions: readonly Literal[]) => Answer,
  literal: Literal,
  given: readonly Literal[],
): "always" | "sometimes" | "never" {
  const [can, canBeOtherwise] = [literal, not(literal)].map(
    (each) => solve([...given, each]) === "satisfiable",
  );
  if (!can && !canBeOtherwise) throw new Error("there is no such model");
  return can ? (canBeOtherwise ? "sometimes" : "always") : "never";
}
