import { describe, expect, it } from "vitest";
import { bookOf } from "../../testing/book.js";
import { deciderOf, isLogged, modesOf, policiesBehind, policyText, verdictText } from "./decider.js";

const policy = (name: string, annotation: string, spec = "{podSelector: {}, ingress: [{}]}") => `
kind: NetworkPolicy
metadata: {name: ${name}, namespace: shop, annotations: {${annotation}}}
spec: ${spec}
---`;

describe("what is logged", () => {
  it.each([
    ["nothing said: what is denied", "", { Allow: false, Deny: true }],
    ["denied", "tierwall.dev/audit: denied", { Allow: false, Deny: true }],
    ["all", "tierwall.dev/audit: all", { Allow: true, Deny: true }],
    ["none", "tierwall.dev/audit: none", { Allow: false, Deny: false }],
    [
      "a value that is not known: as if nothing were said",
      "tierwall.dev/audit: some",
      { Allow: false, Deny: true },
    ],
  ])("%s", (_what, annotation, expected) => {
    const entries = [...bookOf(policy("web", annotation)).values()];
    expect(Object.fromEntries(entries.map((entry) => [entry.verdict, isLogged(entry)]))).toEqual(expected);
  });

  it("isolation by several: one that asks for it is enough", () => {
    const quiet = policy("a", "tierwall.dev/audit: none", "{podSelector: {}}");
    const isolation = (yaml: string) => [...bookOf(yaml).values()][0]!;
    expect(isLogged(isolation(quiet))).toBe(false);
    expect(isLogged(isolation(quiet + policy("b", "", "{podSelector: {}}")))).toBe(true);
  });

  it("isolation by an option has no policy with annotations: it is logged", () => {
    const by = { kind: "isolation", isolation: [] } as const;
    expect(isLogged({ by, verdict: "Deny" })).toBe(true);
  });
});

it("shadow is what the annotation says", () => {
  const [shadowed] = bookOf(policy("web", "tierwall.dev/enforcement: shadow")).values();
  const [enforced] = bookOf(policy("web", "tierwall.dev/enforcement: enforce")).values();
  expect([shadowed, enforced].map((entry) => modesOf(policiesBehind(entry!)[0]!).shadow)).toEqual([
    true,
    false,
  ]);
  expect([shadowed, enforced].map((entry) => verdictText(deciderOf(entry!)))).toEqual([
    "ShadowAllow",
    "Allow",
  ]);
});

it("a decision names its policy and rule; if several policies isolate, one is named and the others counted", () => {
  const entries = [...bookOf(policy("a", "") + policy("b", "")).values()];
  expect(entries.map((entry) => [policyText(deciderOf(entry)), deciderOf(entry).rule])).toEqual([
    ["NetworkPolicy shop/a", "rule 1"],
    ["NetworkPolicy shop/b", "rule 1"],
    ["NetworkPolicy shop/a and 1 more", "isolation"],
  ]);
});
