import "./explain.css";
import { useEffect } from "react";
import { useCluster } from "../frame/cluster/cluster-state.js";
import { counted } from "../frame/counted.js";
import { Loading, Notice } from "../frame/notice.js";
import { Prose } from "../frame/prose.js";
import { go, useAddress } from "../frame/use-address.js";
import { type Asked, shown, useAnswer } from "../frame/use-answer.js";
import type { ExplainRequest } from "../worker/questions/explain.js";
import type { FirstQuestion } from "../worker/questions/first-question.js";
import { ExplanationPanel } from "./explanation-view.js";
import { QuestionBar } from "./question-bar.js";
import { RecentQuestions } from "./recent-questions.js";
import { useRecent } from "./use-recent.js";

/** Is this connection allowed, and why? The address bar holds the question. */
export function ExplainPage() {
  const { from = "", to = "", port = "" } = useAddress().query;
  const { state } = useCluster();
  const contents = state.status === "ready" ? state.summary.contents : "";
  const isAsked = from !== "" && to !== "";
  const isUnasked = from === "" && to === "";
  const first = useFirstQuestion(isUnasked);
  const asked = useAnswer("explain", isAsked ? { from, to, port } : undefined);
  // The first question comes with its answer, which is shown until the question from the address bar is answered.
  const opening = shown(first)?.answer;
  const answer = isAsked ? (shown(asked) ?? opening) : isUnasked ? opening : undefined;
  const recent = useRecent(
    { from, to, port },
    asked.status === "answered" && asked.answer.kind === "explained" ? asked.answer.explanation : undefined,
    contents,
  );
  const ask = (request: ExplainRequest) => go("explain", { ...request });
  return (
    <div className="explain">
      <h1 className="unseen">Explain a connection</h1>
      <QuestionBar question={{ from, to, port }} onAsk={ask} />
      <RecentQuestions recent={recent} contents={contents} />
      {asked.status === "failed" && (
        <Notice title="This could not be answered" role="alert">
          {asked.message}
        </Notice>
      )}
      {isAsked && answer === undefined && asked.status === "asking" && (
        <Loading>Evaluating the tiers…</Loading>
      )}
      {isUnasked && answer === undefined && <Opening first={first} />}
      {answer?.kind === "refused" && (
        <Notice title="This question has no answer" role="alert">
          <Prose text={`${answer.message}. ${answer.hint ?? ""}`} />
        </Notice>
      )}
      {answer?.kind === "explained" && <ExplanationPanel explanation={answer.explanation} />}
    </div>
  );
}

/** Shown until the first question is found. */
function Opening({ first }: { readonly first: Asked<FirstQuestion | undefined> }) {
  const { state } = useCluster();
  const pods = state.status === "ready" ? state.summary.pods : 0;
  switch (first.status) {
    case "asking":
      return <Loading>Looking for a connection worth explaining among {counted(pods, "pod")}…</Loading>;
    case "failed":
      return (
        <Notice title="No example could be found" role="alert">
          {first.message}
        </Notice>
      );
    case "answered":
      return (
        <Notice title="Ask about a connection">
          Choose two endpoints above: workloads, pods, Services, nodes, or any address.
        </Notice>
      );
  }
}

/** A page without a question shows an example of one. */
function useFirstQuestion(isWanted: boolean): Asked<FirstQuestion | undefined> {
  const asked = useAnswer("first-question", isWanted ? {} : undefined);
  useEffect(() => {
    if (isWanted && asked.status === "answered" && asked.answer !== undefined)
      go("explain", { ...asked.answer.question }, "replace");
  }, [isWanted, asked]);
  return asked;
}
