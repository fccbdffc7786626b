import "./guarantees.css";
import { useState } from "react";
import { Caveats } from "../frame/caveats.js";
import { useCluster } from "../frame/cluster/cluster-state.js";
import { CodeFrame } from "../frame/code-frame.js";
import { counted } from "../frame/counted.js";
import { Loading, Notice } from "../frame/notice.js";
import { go, hrefOf, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import type { GuaranteesAnswer, GuaranteeView } from "../worker/questions/guarantee/guarantees.js";
import { GuaranteeCard } from "./guarantee-card.js";
import { GuaranteeEditor } from "./guarantee-editor.js";
import { resultOrder, resultWords } from "./results.js";
import { guaranteeTemplates } from "./templates.js";
import { type Proofs, usualBudget, useProofs } from "./use-proofs.js";

/** What must hold in every cluster: each guarantee proven, or refuted by a counterexample. */
export function GuaranteesPage() {
  const { edit = "", template = "" } = useAddress().query;
  if (edit !== "" || template !== "") return <GuaranteeEditor guarantee={edit} template={template} />;
  return <GuaranteeList />;
}

/** More are proven only on request. */
const mostAtOnce = 50;

function GuaranteeList() {
  const { query } = useAddress();
  const budget = budgetIn(query["budget"]);
  const asked = useAnswer("guarantees", {});
  const answer = shown(asked);
  const [most, setMost] = useState(mostAtOnce);
  const listed = answer?.guarantees.slice(0, most);
  const proofs = useProofs(
    listed?.map(({ key }) => key),
    budget,
  );
  if (asked.status === "failed")
    return (
      <Notice title="The guarantees could not be read" role="alert">
        {asked.message}
      </Notice>
    );
  if (answer === undefined || listed === undefined) return <Loading>Reading the guarantees…</Loading>;
  if (answer.guarantees.length + answer.problems.length === 0) return <NoGuarantees />;
  const more = answer.guarantees.length - listed.length;
  const longer = budget < 60 ? () => go("guarantees", { ...query, budget: "60" }) : undefined;
  return (
    <div className="guarantees" aria-busy={proofs.isBusy}>
      <header className="guarantees-head">
        <div>
          <h1>{headline(answer, listed, proofs)}</h1>
          <Scope />
        </div>
        <NewGuarantee />
      </header>
      <Counts listed={listed} proofs={proofs} />
      <Caveats caveats={answer.caveats} />
      {proofs.failure !== undefined && (
        <Notice title="The guarantees could not be proven" role="alert">
          {proofs.failure}
        </Notice>
      )}
      {answer.problems.length > 0 && (
        <section className="guarantee-problems" aria-label="Guarantees with errors">
          <h2>{counted(answer.problems.length, "error")} to fix first</h2>
          {answer.problems.map((problem) => (
            <CodeFrame key={`${problem.place?.line} ${problem.message}`} problem={problem} />
          ))}
        </section>
      )}
      <ul className="guarantee-list" aria-label="Guarantees">
        {ordered(listed, proofs).map((guarantee) => (
          <li key={guarantee.key}>
            <GuaranteeCard
              guarantee={guarantee}
              proof={proofs.isOld ? undefined : proofs.byKey.get(guarantee.key)}
              isEditable
              onLonger={longer}
            />
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p className="guarantees-more">
          {counted(more, "more guarantee is", "more guarantees are")} not proven yet.{" "}
          <button type="button" onClick={() => setMost(most + mostAtOnce)}>
            Prove the next {Math.min(more, mostAtOnce)}
          </button>
        </p>
      )}
    </div>
  );
}

/** Seconds, as the address bar has them: up to ten minutes. */
function budgetIn(text: string | undefined): number {
  const seconds = Number(text ?? usualBudget);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 600) : usualBudget;
}

/** The answer in one sentence. */
function headline(
  { problems }: GuaranteesAnswer,
  listed: readonly GuaranteeView[],
  { byKey, isBusy }: Proofs,
): string {
  const results = listed.map(({ key }) => byKey.get(key)?.result);
  const count = (name: string) => results.filter((result) => result === name).length;
  const [all, proven, refuted] = [listed.length, count("Proven"), count("Refuted")];
  if (refuted > 0)
    return `${refuted} of ${counted(all, "guarantee")} ${refuted === 1 ? "does" : "do"} not hold in every cluster`;
  if (isBusy) return `Proving ${counted(all, "guarantee")}…`;
  if (all === 0) return "No guarantee can be read";
  if (proven < all) return `${proven} of ${counted(all, "guarantee")} proven`;
  const what = all === 1 ? "The guarantee holds" : `All ${all} guarantees hold`;
  return problems.length > 0 ? `${what} in every cluster, but some have errors` : `${what} in every cluster`;
}

/** What "every cluster" means. */
function Scope() {
  const { state } = useCluster();
  const policies = state.status === "ready" ? state.summary.policies : 0;
  return (
    <p>
      Every cluster that could exist under the {counted(policies, "policy", "policies")} shown here, including
      namespaces and pods that do not exist yet.
    </p>
  );
}

function Counts({ listed, proofs }: { readonly listed: readonly GuaranteeView[]; readonly proofs: Proofs }) {
  const results = listed.map(({ key }) => proofs.byKey.get(key)?.result);
  return (
    <ul className="guarantee-counts" aria-label="Results">
      {resultOrder.flatMap((name) => {
        const count = results.filter((result) => result === name).length;
        const { mark, word, tone } = resultWords[name];
        return count === 0
          ? []
          : [
              <li key={name} className={`verdict ${tone}`}>
                <span aria-hidden="true">{mark}</span> {count} {word}
              </li>,
            ];
      })}
    </ul>
  );
}

/** As in the files while proofs come in; then what a person would fix first. */
function ordered(listed: readonly GuaranteeView[], { byKey, isBusy }: Proofs): readonly GuaranteeView[] {
  if (isBusy) return listed;
  const rank = ({ key }: GuaranteeView) => resultOrder.indexOf(byKey.get(key)?.result ?? "Proven");
  return listed.toSorted((a, b) => rank(a) - rank(b));
}

function NewGuarantee() {
  return (
    <a className="guarantee-new" href={hrefOf("guarantees", { template: guaranteeTemplates[0]!.name })}>
      Write a guarantee
    </a>
  );
}

function NoGuarantees() {
  return (
    <div className="guarantees-empty">
      <h1 className="unseen">Guarantees</h1>
      <Notice title="No guarantees yet">
        A guarantee states what must hold in every cluster under these policies: whatever namespaces, pods and
        NetworkPolicies are added later. Tierwall proves it, or shows a cluster in which it fails.
      </Notice>
      <h2>Start from a template</h2>
      <ul>
        {guaranteeTemplates.map(({ name, title }) => (
          <li key={name}>
            <a href={hrefOf("guarantees", { template: name })}>{title}</a>
          </li>
        ))}
      </ul>
      <p>
        Or add documents of <code>kind: Guarantee</code> to the files that this page shows.
      </p>
    </div>
  );
}
