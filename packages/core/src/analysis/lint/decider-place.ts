import type { Decider } from "../../evaluate/walk.js";
import { formatPolicy } from "../../policy/model.js";
import type { Finding } from "./finding.js";
import { relatedAt } from "./naming.js";
import type { LintContext } from "./rule.js";

/** Who decided, in words, and the place to point to. */
export interface DeciderPlace {
  readonly who: string;
  readonly about: Pick<Finding, "object" | "place" | "path" | "related">;
}

export function deciderPlace(by: Decider, context: LintContext): DeciderPlace {
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
      const related = others.map((policy) =>
        relatedAt(`${formatPolicy(policy)} isolates them, too`, policy.place()),
      );
      const about = { ...context.aboutSubject(first), ...(related.length === 0 ? {} : { related }) };
      return { who: formatPolicy(first), about };
    }
    case "default":
    case "no-walk":
    case "own-address":
    case "own-node":
      return { who: "the default", about: {} };
  }
}
