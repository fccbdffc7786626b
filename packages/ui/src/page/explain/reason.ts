import type { ConnectionView } from "../worker/questions/explain.js";
import { deciderOf, decisiveWalk } from "./selection.js";

/** The answer's reason in a sentence, next to the verdict. Empty where every port has its own. */
export function reasonOf(connection: ConnectionView): string {
  const walk = decisiveWalk(connection);
  if (walk === undefined) return "";
  const decider = deciderOf(walk);
  const where = walk.direction === "egress" ? `when it leaves ${walk.end}` : `when it enters ${walk.end}`;
  const isIsolation = decider?.path === "isolation";
  switch (walk.verdict) {
    case "Deny":
      if (decider === undefined) return `It is denied ${where}.`;
      return isIsolation
        ? `No rule allows it ${where}, and ${decider.title} isolates the pod.`
        : `${decider.title} denies it ${where}.`;
    case "Undecided":
      return `It depends on missing information: ${walk.missing.join("; ") || `what happens ${where}`}.`;
    case "Allow":
      if (walk.special !== undefined) return walk.special;
      return decider === undefined ? "No policy denies it." : `${decider.title} allows it ${where}.`;
  }
}
