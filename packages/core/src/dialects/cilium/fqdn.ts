import type { DomainPattern } from "../../policy/model.js";
import { type Format, object, type Static, string } from "../../schema/schema.js";

const allowed = "letters, digits, `-`, `_` and `.`";

const matchName: Format = {
  name: "cilium-match-name",
  check: (text) => {
    if (/^([-a-zA-Z0-9_]+\.)*[-a-zA-Z0-9_]+\.?$/.test(text)) return [];
    const message = `\`${text}\` is not a domain name; write ${allowed}`;
    return [
      {
        code: "TW1308",
        message,
        ...(text.includes("*") ? { hint: "Wildcards belong in `matchPattern`." } : {}),
      },
    ];
  },
};

const matchPattern: Format = {
  name: "cilium-match-pattern",
  check: (text) =>
    /^([-a-zA-Z0-9_*]+\.)*[-a-zA-Z0-9_*]+\.?$/.test(text)
      ? []
      : [
          {
            code: "TW1417",
            message: `\`${text}\` is not a pattern for domain names; write ${allowed}, and \`*\``,
          },
        ],
};

/** Single names, or by Cilium's own wildcards (S7.7): for `toFQDNs` and for DNS queries. */
export const fqdnSelector = object(
  "a Cilium FQDN selector",
  "Domain names: one, or all that match a pattern.",
  {
    matchName: string("One name, without its subdomains.", { format: matchName, maxLength: 255 }),
    matchPattern: string(
      "A pattern: `*` matches any characters within one label, a single `*` every name, a leading `**.` " +
        "one or more labels. More than two stars in a row mean the same as two at the beginning, and as one elsewhere.",
      { format: matchPattern, maxLength: 255 },
    ),
  },
  [{ kind: "exactly-one", of: ["matchName", "matchPattern"], code: "TW1417" }],
);

export function lowerFqdn({ matchName, matchPattern }: Static<typeof fqdnSelector>): DomainPattern {
  return matchName !== undefined
    ? { kind: "exact", text: normalise(matchName) }
    : { kind: "pattern", text: withFewestStars(normalise(matchPattern ?? "")) };
}

/** S7.7: stars in a row are a lone one, a leading `**.`, or one within a label. */
function withFewestStars(pattern: string): string {
  if (/^\*+$/.test(pattern)) return "*";
  const [, leading = "", rest = ""] = /^(\*{2,}\.)?(.*)$/.exec(pattern) ?? [];
  return `${leading === "" ? "" : "**."}${rest.replace(/\*+/g, "*")}`;
}

// S8.1: neither case nor a trailing dot matters.
const normalise = (text: string): string => text.toLowerCase().replace(/\.$/, "");
