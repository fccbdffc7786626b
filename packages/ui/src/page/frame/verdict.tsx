import type { OverallVerdict } from "@tierwall/core";

/** Colour is never the only signal: each verdict has a mark and a word. */
export const verdictWords = {
  Allow: { mark: "✓", word: "allowed", tone: "allowed" },
  Deny: { mark: "✗", word: "denied", tone: "denied" },
  Undecided: { mark: "?", word: "undecided", tone: "undecided" },
  Mixed: { mark: "~", word: "it depends", tone: "undecided" },
} as const satisfies Record<OverallVerdict, { mark: string; word: string; tone: string }>;

export type Tone = (typeof verdictWords)[OverallVerdict]["tone"];

export function VerdictBadge({
  verdict,
  size = "normal",
  word = verdictWords[verdict].word,
}: {
  readonly verdict: OverallVerdict;
  readonly size?: "normal" | "headline";
  /** Where there is something more exact to say. */
  readonly word?: string;
}) {
  const { mark, tone } = verdictWords[verdict];
  return (
    <span className={`verdict ${tone} ${size}`}>
      <span aria-hidden="true">{mark}</span> {word}
    </span>
  );
}
