import type { NearestView } from "../worker/questions/explain.js";
import { selectionOfRule } from "./selection.js";
import { type Selecting, SelectButton } from "./step.js";

/** For a denied connection: the rule that almost allows it, and what is missing. */
export function NearestAllow({ nearest, ...selecting }: { readonly nearest: NearestView } & Selecting) {
  const { rule, fails, why } = nearest;
  const failing = fails.length === 0 ? "is not reached" : `matches except for the ${fails.join(" and the ")}`;
  return (
    <section className="nearest">
      <h3>Nearest allow</h3>
      <p>
        <SelectButton selection={selectionOfRule(rule)} {...selecting} /> {failing}: {why}.
      </p>
    </section>
  );
}
