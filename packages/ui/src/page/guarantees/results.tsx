import type { ResultName } from "../worker/questions/guarantee/proof-view.js";

/** Colour is never the only signal: each result has a mark and a word. */
export const resultWords: Readonly<
  Record<ResultName, { readonly mark: string; readonly word: string; readonly tone: string }>
> = {
  Refuted: { mark: "✗", word: "refuted", tone: "denied" },
  NotAsked: { mark: "!", word: "not valid", tone: "undecided" },
  NotDecided: { mark: "?", word: "not decided", tone: "undecided" },
  Vacuous: { mark: "∅", word: "vacuous", tone: "undecided" },
  Proven: { mark: "✓", word: "proven", tone: "allowed" },
};

/** What a person would fix comes first. */
export const resultOrder = Object.keys(resultWords) as readonly ResultName[];

export function ResultBadge({ result }: { readonly result: ResultName | undefined }) {
  if (result === undefined)
    return (
      <span className="verdict proving">
        <span className="spinner small" aria-hidden="true" /> proving…
      </span>
    );
  const { mark, word, tone } = resultWords[result];
  return (
    <span className={`verdict ${tone}`} data-result={result}>
      <span aria-hidden="true">{mark}</span> {word}
    </span>
  );
}
