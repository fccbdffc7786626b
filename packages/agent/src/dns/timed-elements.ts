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
  if (sets.length === 0) return [];
  const commands = sets.map((set) => `list set inet ${table} ${set}`).join("; ");
  const mostOutput = 1024 * 1024 * 1024;
  return new Promise((resolve) => {
    execFile("nft", ["-j", commands], { maxBuffer: mostOutput }, (error, text, complaint) =>
      resolve(error === null ? elementsIn(text) : complaint.trim() || error.message),
    );
  });
}

/** Reads the JSON of nft, a document a set. */
export function elementsIn(text: string): readonly LeftElement[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const document: unknown = JSON.parse(line);
      const listed = isObject(document) && Array.isArray(document.nftables) ? document.nftables : [];
      return listed.flatMap((item: unknown) => (isObject(item) && isObject(item.set) ? inSet(item.set) : []));
    });
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
