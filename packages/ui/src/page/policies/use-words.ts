import { counted, figure } from "../frame/counted.js";
import type { UseView } from "../worker/questions/rule-use.js";

export const nothing: UseView = { pairs: 0, possibly: 0, external: "never" };

export const decidesNothing = ({ pairs, possibly, external }: UseView): boolean =>
  pairs === 0 && possibly === 0 && external === "never";

/** How much a rule decides, in a word or two. */
export function useWords(use: UseView): string {
  const { pairs, possibly, external } = use;
  if (decidesNothing(use)) return "nothing";
  const inside =
    pairs > 0 ? counted(pairs, "pair") : possibly > 0 ? `up to ${counted(possibly, "pair")}` : "";
  const outside = { surely: "outside", possibly: "outside?", never: "" }[external];
  return [inside, outside].filter((part) => part !== "").join(" + ");
}

/** The same in a sentence. */
export function useSentence(use: UseView): string {
  const { pairs, possibly, external } = use;
  if (decidesNothing(use)) return "In this cluster it decides nothing.";
  const more = possibly > 0 ? `, and of ${figure(possibly)} more, depending on missing information` : "";
  const inside =
    pairs + possibly > 0 ? `Decides at least one port of ${counted(pairs, "pair")} of endpoints${more}.` : "";
  const outside = {
    surely: "Decides traffic with addresses outside the cluster.",
    possibly: "May decide traffic with addresses outside the cluster.",
    never: "",
  }[external];
  return [inside, outside].filter((part) => part !== "").join(" ");
}

export function sumOf(uses: readonly UseView[]): UseView {
  const external = uses.map((use) => use.external);
  return {
    pairs: uses.reduce((sum, { pairs }) => sum + pairs, 0),
    possibly: uses.reduce((sum, { possibly }) => sum + possibly, 0),
    external: external.includes("surely") ? "surely" : external.includes("possibly") ? "possibly" : "never",
  };
}
