import { isObject } from "@tierwall/core/manifest";
import type { Ruleset } from "../ruleset/ruleset.js";
import { Nft } from "./nft.js";
import { done, type Outcome } from "./outcome.js";

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

export interface LeftElement {
  readonly set: string;
  readonly key: string;
  readonly milliseconds: number;
}

/**
 * The elements of a set in the kernel with their remaining time, which an earlier agent learned. One set at a time: if several are
 * requested, nft 1.0.6 finds only the last.
 */
export async function leftElements(table: string, set: string): Promise<Outcome<readonly LeftElement[]>> {
  const listed = await new Nft().objects("list", "set", "inet", table, set);
  return listed.ok ? done(elementsIn(listed.value)) : listed;
}

/** Reads the JSON of nft. */
export function elementsIn(objects: readonly object[]): readonly LeftElement[] {
  return objects.flatMap((item) => ("set" in item && isObject(item.set) ? inSet(item.set) : []));
}

function inSet({ name, elem }: Record<string, unknown>): readonly LeftElement[] {
  if (typeof name !== "string" || !Array.isArray(elem)) return [];
  return elem.flatMap((entry: unknown) => {
    const element = isObject(entry) && isObject(entry.elem) ? entry.elem : undefined;
    const parts = isObject(element?.val) ? element.val.concat : undefined;
    if (!Array.isArray(parts) || typeof element?.expires !== "number") return [];
    return [{ set: name, key: parts.map(String).join(" . "), milliseconds: element.expires * 1000 }];
  });
}
