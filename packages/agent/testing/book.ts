import type { Isolation, Rule } from "@tierwall/core/model";
import { readState } from "@tierwall/core/state";
import type { BookEntry } from "../src/ruleset/program.js";

/** An entry for every rule and isolation of these policies, `apiVersion` of NetworkPolicy left out; ids are a, b, c, … */
export function bookOf(yaml: string, file = "policies.yaml"): ReadonlyMap<string, BookEntry> {
  const text = yaml.replaceAll(
    /^kind: NetworkPolicy/gm,
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy",
  );
  const { tiers, diagnostics } = readState([{ file, text }]);
  const wrong = diagnostics.find(({ severity }) => severity === "error");
  if (wrong !== undefined) throw new Error(wrong.message);
  const book = new Map<string, BookEntry>();
  const add = (entry: Omit<BookEntry, "id">) => {
    const id = String.fromCharCode("a".charCodeAt(0) + book.size);
    book.set(id, { id, ...entry });
  };
  for (const direction of ["ingress", "egress"] as const)
    for (const { name: tier, rules, isolation } of tiers[direction]) {
      for (const rule of rules) add({ direction, tier, ...ofRule(rule) });
      if (isolation.length > 0) add({ direction, tier, ...ofIsolation(isolation) });
    }
  return book;
}

const ofRule = (rule: Rule) =>
  ({
    verdict: rule.action,
    shadow: isShadow(rule.origin.policy.annotations),
    by: { kind: "rule", rule },
  }) as const;

const ofIsolation = (isolation: readonly Isolation[]) =>
  ({ verdict: "Deny", shadow: false, by: { kind: "isolation", isolation } }) as const;

const isShadow = (annotations: Readonly<Record<string, string>>) =>
  annotations["tierwall.dev/enforcement"] === "shadow";
