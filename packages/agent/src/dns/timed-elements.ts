import { isObject } from "@tierwall/core/manifest";
import { Nft } from "../kernel/nft.js";
import { done, type Outcome } from "../kernel/outcome.js";

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
