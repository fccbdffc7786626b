import type { OverallVerdict } from "@tierwall/core";
import { useEffect, useState } from "react";
import type { ExplainRequest, ExplanationView } from "../worker/questions/explain.js";

/** A question that was asked here before, and what the answer was then, about these contents. */
export interface RecentQuestion extends ExplainRequest {
  readonly verdict: OverallVerdict;
  readonly contents: string;
}

const key = "tierwall.recent";
const mostKept = 6;

/** The questions asked before the present one, the latest first. */
export function useRecent(
  { from, to, port }: ExplainRequest,
  explanation: ExplanationView | undefined,
  contents: string,
): readonly RecentQuestion[] {
  const [recent, setRecent] = useState(stored);
  const verdict = explanation?.verdict;
  useEffect(() => {
    if (verdict === undefined) return;
    setRecent((before) => withQuestion(before, { from, to, port, verdict, contents }));
  }, [from, to, port, verdict, contents]);
  useEffect(() => localStorage.setItem(key, JSON.stringify(recent)), [recent]);
  return recent.filter((other) => !isSame(other, { from, to, port }));
}

export function withQuestion(
  recent: readonly RecentQuestion[],
  asked: RecentQuestion,
): readonly RecentQuestion[] {
  return [asked, ...recent.filter((other) => !isSame(other, asked))].slice(0, mostKept);
}

const isSame = (a: ExplainRequest, b: ExplainRequest): boolean =>
  a.from === b.from && a.to === b.to && a.port === b.port;

/** An older page or another program may have written it, so it is not trusted. */
function stored(): readonly RecentQuestion[] {
  try {
    const value = JSON.parse(localStorage.getItem(key) ?? "[]") as unknown;
    return Array.isArray(value) ? value.filter(isQuestion) : [];
  } catch {
    return [];
  }
}

function isQuestion(value: unknown): value is RecentQuestion {
  if (typeof value !== "object" || value === null) return false;
  const { from, to, port, verdict, contents } = value as Partial<Record<keyof RecentQuestion, unknown>>;
  return (
    [from, to, port, contents].every((part) => typeof part === "string") &&
    ["Allow", "Deny", "Undecided", "Mixed"].includes(String(verdict))
  );
}
