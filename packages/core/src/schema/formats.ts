import { covers, formatCidr, hasHostBits, parseCidr } from "../net/cidr.js";
import type { Complaint, Constraint, Violation, Format } from "./schema.js";

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const complain = (
  code: Complaint["code"],
  message: string,
  more: Partial<Complaint> = {},
): readonly Complaint[] => [{ code, message, ...more }];

/** A string is valid if it matches all patterns. */
function format(
  name: string,
  patterns: readonly string[],
  complaint: (text: string) => readonly Complaint[],
): Format {
  const expressions = patterns.map((pattern) => new RegExp(pattern));
  const isRight = (text: string) => expressions.every((expression) => expression.test(text));
  return { name, patterns, check: (text) => (isRight(text) ? [] : complaint(text)) };
}

export const labelKey = format(
  "label-key",
  [
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    "^([^/]{1,253}/)?[^/]{1,63}$",
  ],
  (text) =>
    complain(
      "TW1301",
      `\`${text}\` is not a label key; write at most 63 letters, digits, \`-\`, \`_\` and \`.\`, with an optional DNS prefix and \`/\` before it`,
    ),
);

export const labelValue = format(
  "label-value",
  ["^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$"],
  (text) =>
    complain(
      "TW1302",
      `\`${text}\` is not a label value; write at most 63 letters, digits, \`-\`, \`_\` and \`.\`, beginning and ending with a letter or digit`,
    ),
);

export const cidr: Format = {
  name: "cidr",
  cel: {
    rule: "isCIDR(self)",
    message: "not a CIDR; write an address, `/` and a prefix length, as in `10.0.0.0/8` or `fd00::/8`",
  },
  check: (text) => {
    if (parseCidr(text) === undefined)
      return complain(
        "TW1304",
        `\`${text}\` is not a CIDR; write an address, \`/\` and a prefix length, as in \`10.0.0.0/8\` or \`fd00::/8\``,
      );
    if (!hasHostBits(text)) return [];
    return complain(
      "TW2001",
      `\`${text}\` has host bits set; it is read as \`${formatCidr(parseCidr(text)!)}\``,
      {
        hint: "Implementations differ on this: write the network address.",
        readable: true,
      },
    );
  },
};

/** A container port's name (an IANA service name). */
export const portName = format("port-name", ["^[a-z0-9]+(-[a-z0-9]+)*$", "[a-z]", "^.{1,15}$"], (text) =>
  complain(
    "TW1307",
    `\`${text}\` is not a port name; write at most 15 lower-case letters, digits and single \`-\`, with at least one letter${/^\d+$/.test(text) ? "; write port numbers without quotes" : ""}`,
  ),
);

/** S8.1 */
export const domainName = format(
  "domain-name",
  [
    "^(\\*\\.)?([_a-zA-Z0-9]([-a-zA-Z0-9_]{0,61}[a-zA-Z0-9])?\\.)+[_a-zA-Z0-9]([-a-zA-Z0-9_]{0,61}[a-zA-Z0-9])?\\.?$",
  ],
  (text) =>
    complain(
      "TW1308",
      `\`${text}\` is not a domain name; write at least two labels, with \`*\` only as the whole first one, as in \`*.example.com\``,
    ),
);

export const namespaceName: Format = {
  name: "namespace-name",
  check: (text) =>
    text.length <= 63 && dnsLabel.test(text)
      ? []
      : complain(
          "TW1103",
          `\`${text}\` is not a namespace name; write at most 63 lower-case letters, digits and \`-\``,
        ),
};

export const objectName: Format = {
  name: "object-name",
  check: (text) =>
    text.length <= 253 && dnsSubdomain.test(text)
      ? []
      : complain(
          "TW1103",
          `\`${text}\` is not a valid name; write at most 253 lower-case letters, digits, \`-\` and \`.\`, beginning and ending with a letter or digit`,
        ),
};

/** `except` contains parts of `cidr`; `strict`: less than all of it. Invalid CIDRs have been reported. */
export const exceptInside = (strict: boolean): Constraint => ({
  kind: "custom",
  check: ({ cidr, except }) => {
    const outer = typeof cidr === "string" ? parseCidr(cidr) : undefined;
    if (outer === undefined || !Array.isArray(except)) return [];
    return except.flatMap((text: unknown, i): readonly Violation[] => {
      const inner = typeof text === "string" ? parseCidr(text) : undefined;
      if (inner === undefined || (covers(outer, inner) && !(strict && inner.prefix === outer.prefix)))
        return [];
      const message = `\`${String(text)}\` is not inside \`${String(cidr)}\``;
      return [{ code: "TW1305", path: ["except", i], message }];
    });
  },
});
