import { connectionText, type GuaranteeResult, partText } from "@tierwall/core/prove";
import type { Isolation, PolicyRef, Rule } from "@tierwall/core/model";
import { visibleWithin } from "@tierwall/core/report";

/** What is known about a Guarantee: plain data, which can be sent to other threads. */
export interface GuaranteeAnswer {
  readonly result: "Proven" | "Refuted" | "NotDecided" | "Vacuous" | "Invalid";
  /** One line: a counterexample, or a reason. */
  readonly text: string;
  /** Of a proof: the rules that suffice. */
  readonly restsOn: readonly string[];
  /** Of a proof: the policies of these rules, by key. Deleting another policy changes nothing. */
  readonly policies: readonly string[];
}

const longestText = 1000;
const mostRules = 50;

export const answer = (
  result: GuaranteeAnswer["result"],
  text: string,
  more: Partial<GuaranteeAnswer> = {},
): GuaranteeAnswer => ({
  result,
  text: visibleWithin(text, longestText),
  restsOn: [],
  policies: [],
  ...more,
});

export function answerOf({ guarantee, proof, diagnostics }: GuaranteeResult): GuaranteeAnswer {
  // Readers of Guarantees may not be able to read pods.
  const withoutPod = (message: string) => message.replace(/but pod \S+ does not$/, "but a pod does not");
  if (proof === undefined)
    return answer("Invalid", diagnostics.map(({ message }) => withoutPod(message)).join("; "));
  switch (proof.result) {
    case "Proven": {
      const { restsOn } = proof;
      const policies = new Set(restsOn.flatMap((part) => policyOf(part) ?? []).map(keyOfPolicy));
      return answer("Proven", "it holds in every cluster with these policies", {
        restsOn: partTexts(restsOn),
        policies: [...policies],
      });
    }
    case "Refuted": {
      const what = guarantee.claim.verdict === "Deny" ? "would be allowed" : "would not be allowed";
      return answer("Refuted", `${connectionText(proof.counterexample)} ${what}`);
    }
    case "NotDecided":
      return answer("NotDecided", proof.why);
    case "Vacuous": {
      const contradicting = proof.contradicting.map(({ text }) => text).join("; ");
      const why = contradicting === "" ? "" : `; no cluster satisfies: ${contradicting}`;
      return answer("Vacuous", `it is about no connection, in any cluster${why}`);
    }
  }
}

/** Policies of the cluster by name. Policies of namespaces are counted: readers of Guarantees may not be able to read them. */
function partTexts(parts: readonly (Rule | Isolation)[]): readonly string[] {
  const own = parts.filter((part) => policyOf(part)?.namespace === undefined).map(partText);
  const namespaces = new Set(parts.flatMap((part) => policyOf(part)?.namespace ?? []));
  const counted =
    namespaces.size === 0
      ? []
      : [namespaces.size === 1 ? "policies of a namespace" : `policies of ${namespaces.size} namespaces`];
  const more = own.length > mostRules ? [`${own.length - mostRules} more rules`] : [];
  return [...own.slice(0, mostRules), ...more, ...counted].map((text) => visibleWithin(text, longestText));
}

function policyOf({ origin }: Rule | Isolation): PolicyRef | undefined {
  return "policy" in origin ? origin.policy : undefined;
}

/** As `keyOf` of @tierwall/core/state names the object. */
export const keyOfPolicy = ({ group, kind, namespace, name }: PolicyRef): string =>
  `${group} ${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
