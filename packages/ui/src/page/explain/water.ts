import type { StepView, WalkView } from "../worker/questions/explain.js";

/** How the connection goes on from a step: it falls to the next one, may fall there, or does not get there. */
export type Water = "flows" | "may-flow" | "stops" | "dry";

/** Where a walk ends at the latest: at a step, or on the ground behind the last one, where the default is. */
export function stopsAt({ steps }: Pick<WalkView, "steps">): number | "ground" {
  const last = steps.findIndex((step) => !mayGoOn(step));
  return last === -1 ? "ground" : last;
}

export function flowsOn(walk: Pick<WalkView, "steps">, index: number): Water {
  const stop = stopsAt(walk);
  if (stop !== "ground" && index > stop) return "dry";
  if (stop === index) return "stops";
  // Behind a step that may stop it, nothing is certain.
  const isOpen = walk.steps.slice(0, index + 1).some(({ outcome }) => outcome === "undecided");
  return isOpen ? "may-flow" : "flows";
}

function mayGoOn({ outcome, rules, isolators }: StepView): boolean {
  switch (outcome) {
    case "allow":
    case "deny":
    case "not-reached":
      return false;
    case "pass":
    case "next":
      return true;
    case "undecided": {
      // Whatever the missing facts are, this tier decides, unless a rule that may match passes.
      const lastWord =
        rules.find(({ result }) => result === "matches")?.rule.action ??
        (isolators.length > 0 ? "Deny" : "Pass");
      return (
        lastWord === "Pass" ||
        rules.some(({ rule, result }) => result === "may-match" && rule.action === "Pass")
      );
    }
  }
}
