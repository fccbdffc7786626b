import { useId } from "react";
import { CodeFrame } from "../frame/code-frame.js";
import { Prose } from "../frame/prose.js";
import { hrefOf } from "../frame/use-address.js";
import type { GuaranteeView } from "../worker/questions/guarantee/guarantees.js";
import type { ProofView } from "../worker/questions/guarantee/proof-view.js";
import { Counterexample, Part } from "./counterexample.js";
import { ResultBadge } from "./results.js";

/** One guarantee: whether it holds, what it claims, why, and what to do. */
export function GuaranteeCard({
  guarantee: { key, name, place, claim, assuming },
  proof,
  isEditable,
  onLonger,
}: {
  readonly guarantee: GuaranteeView;
  /** Undefined until it is decided. */
  readonly proof: ProofView | undefined;
  /** Whether it can be opened in the editor. */
  readonly isEditable: boolean;
  /** Tries again with more time. */
  readonly onLonger: (() => void) | undefined;
}) {
  const id = useId();
  return (
    <article className="guarantee" aria-labelledby={id} aria-busy={proof === undefined}>
      <header>
        <ResultBadge result={proof?.result} />
        <h2 id={id}>{name}</h2>
        {place !== undefined && (
          <code className="place">
            {place.file}:{place.line}
          </code>
        )}
        {isEditable && (
          <a className="guarantee-edit" href={hrefOf("guarantees", { edit: key })}>
            Edit<span className="unseen"> {name}</span>
          </a>
        )}
      </header>
      <p className="guarantee-claim">{claim}</p>
      {assuming.length > 0 && (
        <p className="guarantee-assuming">
          Assuming that{" "}
          {assuming.map((text, i) => (
            <span key={text}>
              {i > 0 && "; "}
              {text}
            </span>
          ))}
          .
        </p>
      )}
      {proof !== undefined && <Outcome name={name} proof={proof} onLonger={onLonger} />}
    </article>
  );
}

function Outcome({
  name,
  proof,
  onLonger,
}: {
  readonly name: string;
  readonly proof: ProofView;
  readonly onLonger: (() => void) | undefined;
}) {
  switch (proof.result) {
    case "Proven":
      return (
        <div className="guarantee-reason">
          {proof.restsOn.length === 0 ? (
            <p>It holds without any policy.</p>
          ) : (
            <>
              <p>Rests on</p>
              <ul>
                {proof.restsOn.map((part) => (
                  <li key={part.title}>
                    <Part part={part} />
                  </li>
                ))}
              </ul>
            </>
          )}
          {proof.unneeded.length > 0 && (
            <p className="guarantee-note">
              The proof does not need the assumption that {proof.unneeded.join("; ")}.
            </p>
          )}
        </div>
      );
    case "Refuted":
      return <Counterexample guarantee={name} counterexample={proof.counterexample} />;
    case "NotDecided":
      return (
        <div className="guarantee-reason">
          <p>
            {proof.seconds === undefined
              ? `Neither proven nor refuted: ${proof.why}`
              : `Neither proven nor refuted within ${proof.seconds} s.`}
          </p>
          {proof.seconds !== undefined && onLonger !== undefined && (
            <button type="button" onClick={onLonger}>
              Try for a minute
            </button>
          )}
        </div>
      );
    case "Vacuous":
      return (
        <div className="guarantee-reason">
          <p>
            No connection in any cluster matches <code>from</code>, <code>to</code> and the ports, so there is
            nothing to prove.{" "}
            {proof.contradicting.length > 0
              ? `No cluster satisfies these assumptions: ${proof.contradicting.join("; ")}.`
              : "Check the selectors for conditions that contradict each other."}
          </p>
        </div>
      );
    case "NotAsked":
      return (
        <div className="guarantee-reason">
          {proof.problems.map((problem) => (
            <CodeFrame key={`${problem.code} ${problem.message}`} problem={problem} />
          ))}
          {proof.problems.length === 0 && <Prose text="It could not be decided." />}
        </div>
      );
  }
}
