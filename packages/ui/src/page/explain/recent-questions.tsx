import { hrefOf } from "../frame/use-address.js";
import { verdictWords } from "../frame/verdict.js";
import type { RecentQuestion } from "./use-recent.js";

/** With the verdict where it is about what the page shows now; a question that was asked of something else has none. */
export function RecentQuestions({
  recent,
  contents,
}: {
  readonly recent: readonly RecentQuestion[];
  readonly contents: string;
}) {
  if (recent.length === 0) return null;
  return (
    <nav className="recent" aria-label="Recent questions">
      <span>Recent</span>
      <ul>
        {recent.map(({ verdict, contents: then, from, to, port }) => {
          const { mark, word, tone } = then === contents ? verdictWords[verdict] : notAsked;
          return (
            <li key={`${from} ${to} ${port}`}>
              <a href={hrefOf("explain", { from, to, port })}>
                <span className={`recent-mark ${tone}`} role="img" aria-label={word}>
                  {mark}
                </span>
                {from} → {to}
                {port !== "" && ` :${port}`}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

const notAsked = { mark: "·", word: "not asked of the present state", tone: "" } as const;
