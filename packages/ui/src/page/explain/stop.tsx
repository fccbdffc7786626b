import type { Verdict } from "@tierwall/core";
import { verdictWords } from "../frame/verdict.js";

/** Where the water comes to rest. The words of the step say the same. */
export function Stop({ verdict }: { readonly verdict: Verdict }) {
  const { mark, tone } = verdictWords[verdict];
  return (
    <span className={`stop ${tone}`} aria-hidden="true">
      {mark}
    </span>
  );
}
