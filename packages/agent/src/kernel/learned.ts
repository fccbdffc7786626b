import type { Ruleset } from "../ruleset/ruleset.js";
import type { Nft } from "./nft.js";

/** The lines that copy the learned elements of one table to another. */
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

/** In the last millisecond of its life, an element is printed without `expires`, like a new one. */
const isLiving = (element: string): boolean =>
  element !== "" && (element.includes(" expires ") || !element.includes(" timeout "));
