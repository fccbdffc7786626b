/** Names of objects that are to be made: those of their policies where that is possible, and each once. */
export class Names {
  private readonly taken: Set<string>;

  /** `taken` by objects that stay. */
  constructor(taken: Iterable<string>) {
    this.taken = new Set(taken);
  }

  /** `guard-foo`; with a number behind it where somebody has that name. */
  nameFor(name: string, suffixes: readonly string[]): string {
    const wanted = [name, ...suffixes].map(asName).filter(Boolean).join("-").slice(0, longest);
    let found = wanted;
    for (let i = 2; this.taken.has(found); i++) found = `${wanted}-${i}`;
    this.taken.add(found);
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
