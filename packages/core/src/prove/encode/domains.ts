import { domainMatches } from "../../evaluate/domain.js";
import type { DomainPattern } from "../../policy/model.js";
import { type Literal, not } from "../sat/index.js";
import type { Formula } from "./formula.js";

/*
 * Which patterns an address may have names for. If an address has a name that matches a pattern, it matches every other
 * pattern which that name matches: `www.example.com` is also one of `*.example.com`. So a pattern that holds needs a name,
 * all of whose patterns hold. An address may have several names, and each pattern its own.
 */

/** The key under which the evaluator asks whether an address has a name of this pattern. */
export const domainKey = ({ kind, text }: DomainPattern): string => `dns:${kind}:${text}`;

/** Demands that the patterns that hold have names. A pattern that is met later has its turn then. */
export function requireNames(
  patterns: readonly DomainPattern[],
  literalOf: (pattern: DomainPattern) => Literal,
  formula: Formula,
): void {
  const depth = Math.max(...patterns.map(({ text }) => text.split(".").length)) + 1;
  for (const pattern of patterns) {
    const names = namesOf(pattern, depth).filter((name) => domainMatches(pattern, name));
    const explained = names.map((name) =>
      formula.and(patterns.filter((other) => domainMatches(other, name)).map(literalOf)),
    );
    formula.require(not(literalOf(pattern)), ...explained);
  }
}

/** One name of each number of labels that matches as few other patterns as a name of this one can. */
export function namesOf({ kind, text }: DomainPattern, depth: number): readonly string[] {
  if (kind === "exact") return [text];
  const below = kind === "subdomains" || text.startsWith("**.");
  const rest = (kind === "subdomains" ? text : text.replace(/^\*\*\./, "")).replaceAll("*", unmentioned);
  const lengths = Array.from({ length: depth }, (_, i) => i + 1);
  if (below) return lengths.map((count) => `${`${unmentioned}.`.repeat(count)}${rest}`);
  if (text === "*") return lengths.map((count) => Array<string>(count).fill(unmentioned).join("."));
  return [rest];
}

/** No pattern is likely to name this, and none ends or begins with it. */
const unmentioned = "q0q9q8q7q";
