import type { Grain } from "@tierwall/core";
import { useEffect, useState } from "react";
import { shortPorts } from "../frame/short-ports.js";
import { go, hrefOf } from "../frame/use-address.js";
import { useAnswer } from "../frame/use-answer.js";
import type { MatrixEndView } from "../worker/questions/matrix.js";
import type { Colouring } from "./colouring.js";
import { ReasonList } from "./reason-list.js";
import type { CellPlace } from "./scene.js";

export interface CellReasonProps {
  readonly request: { readonly by: Grain; readonly port: string };
  readonly ends: readonly MatrixEndView[];
  readonly codes: Uint8Array;
  readonly colouring: Colouring;
  readonly cursor: CellPlace | undefined;
  /** Clicked: to be explained as soon as it is known how to ask. */
  readonly opened: CellPlace | undefined;
}

/** The cell under the cursor: what it says at once, and the reason when the pointer rests. */
export function CellReason({ request, ends, codes, colouring, cursor, opened }: CellReasonProps) {
  const rested = useRested(opened ?? cursor);
  const asked = useAnswer(
    "matrix-cell",
    rested === undefined ? undefined : { ...request, from: rested.row, to: rested.column },
    "patient",
  );
  const answer = asked.status === "answered" ? asked.answer : undefined;
  useEffect(() => {
    if (opened === undefined || answer?.question === undefined) return;
    if (answer.from !== ends[opened.row]?.name || answer.to !== ends[opened.column]?.name) return;
    go("explain", { ...answer.question, port: request.port });
  }, [opened, answer, ends, request.port]);
  if (cursor === undefined)
    return (
      <section className="cell-reason" aria-label="Cell" aria-live="polite">
        <p className="cell-hint">
          Point at a cell, or move to it with the arrow keys, to see the reason of its verdict.
        </p>
      </section>
    );
  const [from, to] = [ends[cursor.row]!.name, ends[cursor.column]!.name];
  const code = codes[cursor.row * ends.length + cursor.column]!;
  const isAbout = answer?.from === from && answer.to === to;
  return (
    <section className="cell-reason" aria-label="Cell" aria-live="polite">
      <h2>
        {from} <span aria-label="to">→</span> {to}
      </h2>
      <p className="cell-words">
        {colouring.wordsOf(code)}
        {isAbout && answer.ports !== "-" && request.port === "" && (
          <span className="cell-ports"> {shortPorts(answer.ports)}</span>
        )}
      </p>
      {isAbout && <ReasonList reasons={answer.reasons} />}
      {isAbout && answer.question !== undefined && (
        <a href={hrefOf("explain", { ...answer.question, port: request.port })}>Explain this connection</a>
      )}
    </section>
  );
}

/** The same place again, once it has not changed for a moment: while the pointer moves, nothing is asked. */
function useRested(place: CellPlace | undefined): CellPlace | undefined {
  const [rested, setRested] = useState(place);
  useEffect(() => {
    const timer = setTimeout(() => setRested(place), 60);
    return () => clearTimeout(timer);
  }, [place]);
  return place === undefined ? undefined : rested;
}
