import { defaultTier } from "../frame/tiers.js";
import type { RuleUseAnswer } from "../worker/questions/rule-use.js";
import { defaultKey } from "../worker/questions/use-key.js";
import { nothing, useWords } from "./use-words.js";

/** Below all tiers: the default. */
export function DefaultShelf({ uses }: { readonly uses: RuleUseAnswer | undefined }) {
  const words = (direction: "ingress" | "egress") => useWords(uses?.[defaultKey(direction)] ?? nothing);
  return (
    <div className="default-shelf" role="none">
      <strong>{defaultTier.title}</strong>
      <span className="row-rest">{defaultTier.who}</span>
      {uses !== undefined && (
        <span className="row-end">
          in: {words("ingress")} · out: {words("egress")}
        </span>
      )}
    </div>
  );
}
