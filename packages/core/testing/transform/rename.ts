/** Words and their replacements; every word of the vocabulary has one meaning only. */
export type Renaming = Readonly<Record<string, string>>;

const prefixes = ["k8s:", "any:", "io.cilium.k8s.namespace.labels.", "k8s:io.cilium.k8s.namespace.labels."];

/** Every word, also where Cilium writes something before it; other texts stay. */
function renameWord(text: string, names: Renaming): string {
  if (Object.hasOwn(names, text)) return names[text]!;
  const prefix = prefixes.find((p) => text.startsWith(p) && Object.hasOwn(names, text.slice(p.length)));
  return prefix === undefined ? text : prefix + names[text.slice(prefix.length)]!;
}

/** Renames keys and texts throughout a manifest or a question. */
export function rename<T>(value: T, names: Renaming): T {
  if (typeof value === "string") return renameWord(value, names) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => rename(item, names)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [
      renameWord(key, names),
      rename(item, names),
    ]),
  ) as T;
}
