import "./explain.css";
import { useEffect } from "react";
import { Loading, Notice } from "../frame/notice.js";
import { Prose } from "../frame/prose.js";
import { go, useAddress } from "../frame/use-address.js";
import { shown, useAnswer } from "../frame/use-answer.js";
import type { ExplainRequest } from "../worker/explain.js";
import { ExplanationView } from "./explanation-view.js";
import { QuestionBar } from "./question-bar.js";
import { RecentQuestions } from "./recent-questions.js";
import { useRecent } from "./use-recent.js";

/** May these two talk, and why? The address bar holds the question. */
export function ExplainPage() {
  const { from = "", to = "", port = "" } = useAddress().query;
  const isAsked = from !== "" && to !== "";
  useFirstQuestion(from === "" && to === "");
  const asked = useAnswer("explain", isAsked ? { from, to, port } : undefined);
  const answer = isAsked ? shown(asked) : undefined;
  const recent = useRecent(
    { from, to, port },
    asked.status === "answered" && asked.answer.kind === "explained" ? asked.answer.explanation : undefined,
  );
  const ask = (request: ExplainRequest) => go("explain", { ...request });
  return (
    <div className="explain">
      <h1 className="unseen">Explain a connection</h1>
      <QuestionBar question={{ from, to, port }} onAsk={ask} />
      <RecentQuestions recent={recent} />
      {asked.status === "failed" && (
        <Notice title="This could not be answered" role="alert">
          {asked.message}
        </Notice>
      )}
      {isAsked && answer === undefined && asked.status === "asking" && <Loading>Walking the tiers…</Loading>}
      {answer?.kind === "refused" && (
        <Notice title="This question has no answer" role="alert">
          <Prose text={`${answer.message}. ${answer.hint ?? ""}`} />
        </Notice>
      )}
      {answer?.kind === "explained" && <ExplanationView explanation={answer.explanation} />}
    </div>
  );
}

/** Somebody who has not asked yet sees what an answer looks like. */
function useFirstQuestion(isWanted: boolean): void {
  const asked = useAnswer("first-question", isWanted ? {} : undefined);
  useEffect(() => {
    if (isWanted && asked.status === "answered" && asked.answer !== undefined)
      go("explain", { ...asked.answer }, "replace");
  }, [isWanted, asked]);
}
