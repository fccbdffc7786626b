import type { PolicyRef } from "../../policy/model.js";

/** Names of objects that are to be made: those of their policies where that is possible, and each once. */
export class Names {
  private readonly taken: Set<string>;

  /** `taken` by objects that stay. */
  constructor(taken: readonly Pick<PolicyRef, "namespace" | "name">[]) {
    this.taken = new Set(taken.map(({ namespace = "", name }) => `${namespace}/${name}`));
  }

  /** `guard-foo`; with a number behind it where another object has that name. */
  nameFor(name: string, suffixes: readonly string[], namespace = ""): string {
    const wanted = [name, ...suffixes].map(asName).filter(Boolean).join("-").slice(0, longest);
    let found = wanted;
    for (let i = 2; this.taken.has(`${namespace}/${found}`); i++) found = `${wanted}-${i}`;
    this.taken.add(`${namespace}/${found}`);
    return found;
  }
}

/** Room for a number within the 253 characters that a name may have. */
const longest = 240;

/** Label values may hold what names may not. */
function asName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replaceAll(/(^[-.]+|[-.]+$)/g, "");
}
