import { useEffect, useState } from "react";
import type { AnswerOf, QuestionName, RequestOf } from "../worker/answers.js";
import { ask, type AskOptions } from "../worker/ask.js";
import { useCluster } from "./cluster/cluster-state.js";

export type Asked<A> =
  /** The answer to the question before stays, so that nothing flickers while the next is on its way. */
  | { readonly status: "asking"; readonly before?: A }
  | { readonly status: "answered"; readonly answer: A }
  | { readonly status: "failed"; readonly message: string };

/**
 * The answer to a question about the present state; asked again when the question or the state changes. Undefined asks
 * nothing yet.
 */
export function useAnswer<N extends QuestionName>(
  name: N,
  request: RequestOf<N> | undefined,
  lane: NonNullable<AskOptions["lane"]> = "quick",
): Asked<AnswerOf<N>> {
  const { state } = useCluster();
  const generation = state.status === "ready" ? state.generation : 0;
  // Requests are plain data, compared by their JSON.
  const text = request === undefined ? undefined : JSON.stringify(request);
  const key = `${generation} ${name} ${text}`;
  const [last, setLast] = useState<Keyed<AnswerOf<N>>>({ key: "", asked: { status: "asking" } });
  useEffect(() => {
    if (text === undefined || generation === 0) return undefined;
    const wanted = new AbortController();
    ask(name, JSON.parse(text) as RequestOf<N>, { signal: wanted.signal, lane }).then(
      (answer) => {
        if (!wanted.signal.aborted) setLast({ key, asked: { status: "answered", answer } });
      },
      (error: Error) => {
        if (!wanted.signal.aborted) setLast({ key, asked: { status: "failed", message: error.message } });
      },
    );
    return () => wanted.abort();
  }, [name, text, lane, generation, key]);
  return last.key === key ? last.asked : asBefore(last.asked);
}

/** What is known, and of which question about which state: an answer never passes for that to another question. */
interface Keyed<A> {
  readonly key: string;
  readonly asked: Asked<A>;
}

function asBefore<A>(asked: Asked<A>): Asked<A> {
  const before = shown(asked);
  return before === undefined ? { status: "asking" } : { status: "asking", before };
}

/** What there is to show: the answer, or the one before it. */
export function shown<A>(asked: Asked<A>): A | undefined {
  return asked.status === "answered" ? asked.answer : asked.status === "asking" ? asked.before : undefined;
}
