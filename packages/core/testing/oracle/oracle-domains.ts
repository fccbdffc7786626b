import type { DnsRecord } from "../../src/cluster/model.js";
import type { Address } from "../../src/net/address.js";
import type { DomainPattern } from "../../src/policy/model.js";
import { isNeverNamed } from "../../src/net/special-addresses.js";
import type { Certainty } from "./oracle-addresses.js";

/** S8.1 to S8.3, label by label: the oracle's own implementation of domain names. */
export function oracleDomains(
  patterns: readonly DomainPattern[],
  addresses: readonly Address[],
  isExternal: boolean,
  records: readonly DnsRecord[] | undefined,
): Certainty {
  if (addresses.some((address) => isNeverNamed(address))) return "no";
  if (records === undefined) return isExternal ? "maybe" : "no";
  const named = records.filter(({ name }) => patterns.some((pattern) => nameFits(pattern, name)));
  const resolved = new Set(named.flatMap((record) => record.addresses.map(text)));
  return addresses.some((address) => resolved.has(text(address))) ? "yes" : "no";
}

const text = ({ family, value }: Address): string => `${family} ${value}`;
const labelsOf = (name: string): readonly string[] =>
  name
    .toLowerCase()
    .split(".")
    .filter((label) => label !== "");

export function nameFits({ kind, text }: DomainPattern, name: string): boolean {
  const [asked, wanted] = [labelsOf(name), labelsOf(text)];
  const extra = asked.length - wanted.length;
  const ends = (list: readonly string[]) =>
    list.every((label, i) => label === asked[asked.length - list.length + i]);
  if (kind === "exact") return extra === 0 && ends(wanted);
  if (kind === "subdomains") return extra > 0 && ends(wanted);
  if (text === "*") return true;
  if (wanted[0] === "**") return extra >= 0 && sameLabels(asked.slice(extra + 1), wanted.slice(1));
  return extra === 0 && sameLabels(asked, wanted);
}

const sameLabels = (asked: readonly string[], wanted: readonly string[]): boolean =>
  wanted.every((label, i) => labelFits(label, asked[i]!));

/** `*` matches any characters of one label. */
function labelFits(wanted: string, asked: string): boolean {
  if (wanted === "") return asked === "";
  const rest = wanted.slice(1);
  if (wanted[0] !== "*") return asked[0] === wanted[0] && labelFits(rest, asked.slice(1));
  return Array.from({ length: asked.length + 1 }, (_, i) => asked.slice(i)).some((tail) =>
    labelFits(rest, tail),
  );
}
