import type { TierVerdict } from "@tierwall/core/analysis";
import type { TierName } from "@tierwall/core/model";
import type { Look } from "@tierwall/core/report";

/** What is drawn over a cell that is large enough: colour is never the only signal. */
export type Mark = "none" | "cross" | "question" | "dot" | "half" | "stripes";

/** How one kind of cell looks. */
export interface Paint {
  readonly colour: Rgb;
  readonly mark: Mark;
}

export type Rgb = readonly [red: number, green: number, blue: number];

/** The colours of the page, by the names of its tokens. */
export type Tokens = (name: string) => Rgb;

/** As the page is now, light or dark. */
export function pageTokens(): Tokens {
  const style = getComputedStyle(document.documentElement);
  return (name) => parseHex(style.getPropertyValue(`--${name}`).trim());
}

export function lookPaint(look: Look, tokens: Tokens): Paint {
  switch (look) {
    case "itself":
      return { colour: tokens("ground"), mark: "none" };
    case "all":
      return { colour: tokens("accent"), mark: "none" };
    case "some":
      return { colour: mixed(tokens("accent"), tokens("surface"), 0.5), mark: "dot" };
    case "partly":
      return { colour: mixed(tokens("accent"), tokens("surface"), 0.25), mark: "half" };
    case "undecided":
      return { colour: mixed(tokens("undecided"), tokens("surface"), 0.75), mark: "question" };
    case "none":
      return { colour: mixed(tokens("denied"), tokens("surface"), 0.14), mark: "cross" };
  }
}

export const tierToken = (tier: TierName | "default"): string => `tier-${tier}`;

/** Allowed is the full colour of the tier, denied a pale one with a cross. */
export function tierPaint(said: TierVerdict, tokens: Tokens): Paint {
  switch (said.kind) {
    case "none":
      return { colour: tokens("ground"), mark: "none" };
    case "tier": {
      const colour = tokens(tierToken(said.tier));
      return said.verdict === "Allow"
        ? { colour, mark: "none" }
        : { colour: mixed(colour, tokens("surface"), 0.38), mark: "cross" };
    }
    case "default":
      return { colour: tokens("tier-default"), mark: "none" };
    case "undecided":
      return { colour: mixed(tokens("undecided"), tokens("surface"), 0.75), mark: "question" };
    case "several":
      return { colour: mixed(tokens("ink"), tokens("surface"), 0.2), mark: "stripes" };
  }
}

export function mixed(a: Rgb, b: Rgb, share: number): Rgb {
  const at = (i: 0 | 1 | 2) => Math.round(a[i] * share + b[i] * (1 - share));
  return [at(0), at(1), at(2)];
}

export const cssOf = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;

/** `#0a5fb8`, or short as builds write it: `#fff`. */
export function parseHex(text: string): Rgb {
  const digits = text.slice(1);
  const whole = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  const number = Number.parseInt(whole, 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}
