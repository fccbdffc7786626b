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
      return wildcard(pattern.text).test(asked);
  }
}

function normalizeDomain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** A lone `*` is everything, a leading `**.` one or more labels, and any other `*` stays within its label. */
function wildcard(text: string): RegExp {
  if (text === "*") return /^/;
  const [head, rest] = text.startsWith("**.") ? ["([^.]+\\.)+", text.slice(3)] : ["", text];
  const body = rest
    .split("*")
    .map((part) => part.replace(/[.\\+?^$()[\]{}|/-]/g, "\\$&"))
    .join("[^.]*");
  return new RegExp(`^${head}${body}$`);
}
