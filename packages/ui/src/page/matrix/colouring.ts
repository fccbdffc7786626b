import type { TierVerdict } from "@tierwall/core/analysis";
import type { TierName } from "@tierwall/core/model";
import type { Look } from "@tierwall/core/report";
import { defaultTier, tierWords } from "../frame/tiers.js";
import type { LegendBand } from "./legend.js";
import { looks } from "./looks.js";
import { lookPaint, type Paint, tierPaint, type Tokens } from "./palette.js";

/** The bytes of a matrix: what they look like, and what they mean. */
export interface Colouring {
  readonly paintsOf: (tokens: Tokens) => readonly Paint[];
  /** Of one cell, in words. */
  readonly wordsOf: (code: number) => string;
  readonly legend: (counts: readonly number[], tokens: Tokens) => readonly LegendBand[];
  readonly note: string;
}

const lookWords = (look: Look, isOnePort: boolean): string => {
  switch (look) {
    case "itself":
      return "no pair";
    case "all":
      return isOnePort ? "allowed" : "every port allowed";
    case "some":
      return "some ports allowed";
    case "partly":
      return "allowed for some pods only";
    case "undecided":
      return "undecided: facts are missing";
    case "none":
      return isOnePort ? "denied" : "every port denied";
  }
};

export function byVerdict(isOnePort: boolean): Colouring {
  const shown = looks.filter((look) => look !== "itself" && !(isOnePort && look === "some"));
  return {
    paintsOf: (tokens) => looks.map((look) => lookPaint(look, tokens)),
    wordsOf: (code) => lookWords(looks[code] ?? "itself", isOnePort),
    legend: (counts, tokens) => [
      {
        title: "",
        entries: shown.flatMap((look) => {
          const count = counts[looks.indexOf(look)] ?? 0;
          return count === 0 && (look === "undecided" || look === "partly")
            ? []
            : { paint: lookPaint(look, tokens), text: lookWords(look, isOnePort), count };
        }),
      },
    ],
    note: "A cell is about all pods of its row opening connections to all pods of its column.",
  };
}

/** `verdicts` as the engine numbers them. */
export function byTier(verdicts: readonly TierVerdict[], isOnePort: boolean): Colouring {
  const wordsOf = (said: TierVerdict): string => {
    switch (said.kind) {
      case "none":
        return "no pair";
      case "tier":
        return `${said.verdict === "Allow" ? "allowed" : "denied"} by ${tierWords[said.tier].title}`;
      case "default":
        return "allowed: no rule matches";
      case "undecided":
        return "undecided: facts are missing";
      case "several":
        return "several tiers, from pod to pod";
    }
  };
  const short = (said: TierVerdict) =>
    said.kind === "tier" ? (said.verdict === "Allow" ? "allowed" : "denied") : wordsOf(said);
  const tierOf = (said: TierVerdict): TierName | "default" | "other" =>
    said.kind === "tier" ? said.tier : said.kind === "default" ? "default" : "other";
  const order = [...(Object.keys(tierWords) as TierName[]), "default", "other"] as const;
  return {
    paintsOf: (tokens) => verdicts.map((said) => tierPaint(said, tokens)),
    wordsOf: (code) => wordsOf(verdicts[code] ?? { kind: "none" }),
    legend: (counts, tokens) =>
      order.flatMap((tier) => {
        const entries = verdicts.flatMap((said, code) =>
          said.kind === "none" || tierOf(said) !== tier || !counts[code]
            ? []
            : { paint: tierPaint(said, tokens), text: short(said), count: counts[code] },
        );
        if (entries.length === 0) return [];
        const title = tier === "other" ? "" : (tier === "default" ? defaultTier : tierWords[tier]).title;
        return { title, entries };
      }),
    note: isOnePort
      ? "The tier that denies it; for allowed connections, the highest tier that allows it."
      : "The tier that decides about most of the ports: the one that denies them, or the highest that allows them. Choose a port to be exact.",
  };
}

export function countsOf(codes: Uint8Array): readonly number[] {
  const counts = Array.from({ length: 256 }, () => 0);
  for (const code of codes) counts[code]!++;
  return counts;
}
