import { hrefOf } from "../frame/use-address.js";
import { verdictWords } from "../frame/verdict.js";
import type { RecentQuestion } from "./use-recent.js";

export function RecentQuestions({ recent }: { readonly recent: readonly RecentQuestion[] }) {
  if (recent.length === 0) return null;
  return (
    <nav className="recent" aria-label="Recent questions">
      <span>Recent</span>
      <ul>
        {recent.map(({ verdict, ...question }) => {
          const { mark, word, tone } = verdictWords[verdict];
          const { from, to, port } = question;
          return (
            <li key={`${from} ${to} ${port}`}>
              <a href={hrefOf("explain", { ...question })}>
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
