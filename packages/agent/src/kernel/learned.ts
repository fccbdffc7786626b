import type { Ruleset } from "../ruleset/ruleset.js";
import type { Nft } from "./nft.js";

export interface TimedElement {
  readonly key: string;
  /** For maps. */
  readonly value?: string;
  readonly seconds: number;
}

/**
 * The lines that put elements into a set and begin their time anew. Kernels before 6.12 leave the time of an element that is
 * there already, so it is taken out and put in again: in one transaction, and no packet sees it missing.
 */
export function renewal(table: string, set: string, elements: readonly TimedElement[]): string {
  const text = elements
    .map(
      ({ key, value, seconds }) =>
        `${key} timeout ${Math.ceil(seconds * 1000)}ms${value ? ` : ${value}` : ""}`,
    )
    .join(", ");
  const keys = elements.map(({ key }) => key).join(", ");
  return `add element inet ${table} ${set} { ${text} }\ndelete element inet ${table} ${set} { ${keys} }\nadd element inet ${table} ${set} { ${text} }\n`;
}

/** The lines that put what one table has learned into another. */
export async function carryOver(
  nft: Nft,
  from: string,
  known: Ruleset,
  to: string,
  wanted: Ruleset,
): Promise<string> {
  const lines: string[] = [];
  for (const [name, { kind, elements }] of wanted.sets) {
    if (elements !== "learned" || !known.sets.has(name)) continue;
    const listed = await nft.ask("-nn", "list", kind, "inet", from, name);
    const [, text = ""] = (listed.ok && /elements = \{([^}]*)\}/.exec(listed.value)) || [];
    const living = text
      .split(",")
      .map((element) => element.trim().replaceAll(/\s+/g, " "))
      .filter(isLiving);
    if (living.length > 0) lines.push(`add element inet ${to} ${name} { ${living.join(", ")} }\n`);
  }
  return lines.join("");
}

/** The last millisecond of an element is printed like one whose time has just begun. */
const isLiving = (element: string): boolean =>
  element !== "" && (element.includes(" expires ") || !element.includes(" timeout "));
