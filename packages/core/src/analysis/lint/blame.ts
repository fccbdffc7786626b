import type { Decider } from "../../evaluate/walk.js";
import { formatPolicy, type PolicyRef } from "../../policy/model.js";
import type { Finding } from "./finding.js";
import type { LintContext } from "./rule.js";

/** Who decided, in words, and the place to point to. */
export interface Blame {
  readonly who: string;
  readonly about: Pick<Finding, "object" | "place" | "path" | "related">;
}

export function blameOf(by: Decider, context: LintContext): Blame {
  switch (by.kind) {
    case "rule":
      return { who: formatPolicy(by.rule.origin.policy), about: context.about(by.rule) };
    case "isolation": {
      const origins = by.isolation.map(({ origin }) => origin);
      const [first, ...others] = origins.flatMap((origin) => (origin.kind === "policy" ? origin.policy : []));
      if (first === undefined)
        return {
          who: origins.map((origin) => (origin.kind === "option" ? origin.option : "")).join(),
          about: {},
        };
      const place = context.placeOfSubject(first);
      return {
        who: formatPolicy(first),
        about: {
          object: formatPolicy(first),
          ...(place === undefined ? {} : { place }),
          ...(others.length === 0 ? {} : { related: others.map(alsoIsolating) }),
        },
      };
    }
    case "default":
    case "no-walk":
    case "own-address":
    case "own-node":
      return { who: "the default", about: {} };
  }
}

function alsoIsolating(policy: PolicyRef) {
  const place = policy.place();
  return { text: `${formatPolicy(policy)} isolates them, too`, ...(place === undefined ? {} : { place }) };
}
