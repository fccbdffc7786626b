import { globMatches } from "../net/glob.js";
import type { DomainPattern } from "../policy/model.js";

/** S8.1 and, for `pattern`, Cilium's wildcards (S7.7). Names are compared without case and trailing dot. */
export function domainMatches(pattern: DomainPattern, name: string): boolean {
  const asked = normalizeDomain(name);
  switch (pattern.kind) {
    case "exact":
      return asked === pattern.text;
    case "subdomains":
      return asked.endsWith(`.${pattern.text}`) && asked.length > pattern.text.length + 1;
    case "pattern":
      return matchesPattern(pattern.text, asked);
  }
}

function normalizeDomain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** A lone `*` is everything, a leading `**.` one or more labels, and any other `*` stays within its label. */
function matchesPattern(text: string, name: string): boolean {
  if (text === "*") return true;
  const isBelow = text.startsWith("**.");
  const wanted = (isBelow ? text.slice(3) : text).split(".");
  const labels = name.split(".");
  const before = labels.length - wanted.length;
  if (isBelow ? before < 1 || labels.slice(0, before).includes("") : before !== 0) return false;
  return wanted.every((label, i) => globMatches(label, labels[before + i]!));
}
