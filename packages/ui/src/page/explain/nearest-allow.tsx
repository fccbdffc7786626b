import type { NearestView } from "../worker/questions/explain.js";
import { meantRule } from "./meant.js";
import { type Looking, MeantButton } from "./step.js";

/** For what is denied: the rule that came nearest to allowing it, and what it would take. */
export function NearestAllow({ nearest, ...looking }: { readonly nearest: NearestView } & Looking) {
  const { rule, fails, why } = nearest;
  const failing =
    fails.length === 0 ? "is evaluated too late" : `matches except for the ${fails.join(" and the ")}`;
  return (
    <section className="nearest">
      <h3>Nearest allow</h3>
      <p>
        <MeantButton meant={meantRule(rule)} {...looking} /> {failing}: {why}.
      </p>
    </section>
  );
}
