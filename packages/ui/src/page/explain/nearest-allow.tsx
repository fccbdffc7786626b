import type { NearestView } from "../worker/questions/explain.js";
import { meantRule } from "./meant.js";
import { type Looking, MeantButton } from "./step.js";

/** For a denied connection: the rule that almost allows it, and what is missing. */
export function NearestAllow({ nearest, ...looking }: { readonly nearest: NearestView } & Looking) {
  const { rule, fails, why } = nearest;
  const failing = fails.length === 0 ? "is not reached" : `matches except for the ${fails.join(" and the ")}`;
  return (
    <section className="nearest">
      <h3>Closest allow</h3>
      <p>
        <MeantButton meant={meantRule(rule)} {...looking} /> {failing}: {why}.
      </p>
    </section>
  );
}
