import { counted } from "../frame/counted.js";
import { hrefOf } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import { Counterexample } from "../guarantees/counterexample.js";
import { ResultBadge } from "../guarantees/results.js";
import { liveBudget, useProofs } from "../guarantees/use-proofs.js";
import type { PolicyEdit } from "../worker/questions/edit-desk.js";
import type { ProofView } from "../worker/questions/guarantee/proof-view.js";

interface Compared {
  readonly key: string;
  readonly name: string;
  readonly before: ProofView | undefined;
  readonly after: ProofView | undefined;
}

const holds = (proof: ProofView | undefined): boolean => proof?.result === "Proven";

/** Guarantees that an edit breaks, with a counterexample each; those that it makes hold; and how many stay as they are. */
export function BrokenGuarantees({
  edit,
  isWanted,
}: {
  readonly edit: PolicyEdit;
  /** Whether the edit can be evaluated. */
  readonly isWanted: boolean;
}) {
  const found = shown(useAnswer("guarantees", {}))?.guarantees ?? [];
  const listed = found.slice(0, mostShown);
  const more = found.length - listed.length;
  const keys = listed.length === 0 ? undefined : listed.map(({ key }) => key);
  const before = useProofs(keys, liveBudget);
  const after = useProofs(isWanted ? keys : undefined, liveBudget, edit);
  if (keys === undefined) return null;
  const all = listed.map(
    ({ key, name }): Compared => ({ key, name, before: before.byKey.get(key), after: after.byKey.get(key) }),
  );
  const known = all.filter((each) => each.before !== undefined && each.after !== undefined);
  const broken = known.filter((each) => holds(each.before) && !holds(each.after));
  const fixed = known.filter((each) => !holds(each.before) && holds(each.after));
  const still = known.filter((each) => !holds(each.before) && !holds(each.after));
  const isBusy = before.isBusy || after.isBusy;
  const kept = known.filter((each) => holds(each.before) && holds(each.after));
  const others = [
    ...(kept.length === 0 ? [] : [`${counted(kept.length, "still holds", "still hold")} in every cluster`]),
    ...(still.length === 0 ? [] : [`${counted(still.length, "does", "do")} not hold, as before`]),
    ...(more === 0 ? [] : [`${counted(more, "more is", "more are")} not proven here`]),
  ];
  const title =
    broken.length > 0
      ? `✗ ${counted(broken.length, "guarantee breaks", "guarantees break")}`
      : isBusy
        ? "Guarantees"
        : "✓ No guarantee breaks";
  return (
    <section
      className={broken.length > 0 ? "play-remarks play-guarantees denied" : "play-remarks play-guarantees"}
      aria-label="Guarantees"
      aria-busy={isBusy}
    >
      <h3>
        {title}{" "}
        <small role="status">
          {isBusy ? `proving ${counted(listed.length, "guarantee")}…` : others.join(" · ")}
        </small>
      </h3>
      {broken.map(({ key, name, after: proof }) => (
        <div key={key} className="play-broken-guarantee">
          <p>
            <ResultBadge result={proof?.result} />{" "}
            <a href={hrefOf("guarantees", { edit: key })}>
              <strong>{name}</strong>
            </a>{" "}
            held before
          </p>
          {proof?.result === "Refuted" && (
            <Counterexample guarantee={name} counterexample={proof.counterexample} edit={edit} />
          )}
        </div>
      ))}
      {fixed.map(({ key, name }) => (
        <p key={key}>
          <ResultBadge result="Proven" /> <a href={hrefOf("guarantees", { edit: key })}>{name}</a> did not
          hold before
        </p>
      ))}
    </section>
  );
}

/** Of more than this, the first are proven while a policy is edited. */
const mostShown = 20;
