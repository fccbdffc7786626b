import { execFile } from "node:child_process";
import { isObject } from "@tierwall/core";

export interface LeftElement {
  readonly set: string;
  readonly key: string;
  readonly milliseconds: number;
}

/** The elements of sets in the kernel with the time they have left: what an agent before this one learned. */
export async function leftElements(
  table: string,
  sets: readonly string[],
): Promise<readonly LeftElement[] | string> {
  const found: LeftElement[] = [];
  // One at a time: asked for several, nft 1.0.6 finds only the last.
  for (const set of sets) {
    const listed = await listSet(table, set);
    if (typeof listed === "string") return listed;
    found.push(...listed);
  }
  return found;
}

async function listSet(table: string, set: string): Promise<readonly LeftElement[] | string> {
  const mostOutput = 1024 * 1024 * 1024;
  return new Promise((resolve) => {
    const parameters = ["-j", "list", "set", "inet", table, set];
    execFile("nft", parameters, { maxBuffer: mostOutput }, (error, text, complaint) =>
      resolve(error === null ? elementsIn(text) : complaint.trim() || error.message),
    );
  });
}

/** Reads the JSON of nft. */
export function elementsIn(text: string): readonly LeftElement[] {
  const document: unknown = JSON.parse(text);
  const listed = isObject(document) && Array.isArray(document.nftables) ? document.nftables : [];
  return listed.flatMap((item: unknown) => (isObject(item) && isObject(item.set) ? inSet(item.set) : []));
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
