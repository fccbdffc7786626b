/** What the DNS part asks of the kernel: elements of sets and maps that carry a timeout. */
export type SetChange =
  /** Added, or given a new timeout if it is there. */
  | { readonly kind: "renew"; readonly set: string; readonly element: TimedElement }
  /** Gone, whether or not it is there. */
  | { readonly kind: "forget"; readonly set: string; readonly key: string }
  /** Everything that was in the set or map is gone, and these are there. */
  | {
      readonly kind: "replace";
      readonly set: string;
      readonly holds: "set" | "map";
      readonly elements: readonly TimedElement[];
    };

export interface TimedElement {
  readonly key: string;
  /** Of a map. */
  readonly value?: string;
  readonly milliseconds: number;
}

/** The lines of a transaction for `nft -f -`. */
export function changesText(changes: readonly SetChange[], table: string): string {
  const renewed = new Map<string, Map<string, TimedElement>>();
  const lines: string[] = [];
  for (const change of changes)
    switch (change.kind) {
      case "renew":
        renew(renewed, change.set, change.element);
        break;
      case "forget":
        lines.push(...removing(table, change.set, change.key));
        break;
      case "replace":
        lines.push(`flush ${change.holds} inet ${table} ${change.set}`);
        if (change.elements.length > 0) lines.push(adding(table, change.set, change.elements));
        break;
    }
  for (const [set, byKey] of renewed) {
    const elements = [...byKey.values()];
    const keys = elements
      .map(({ key, value }) => (value === undefined ? key : `${key} : ${value}`))
      .join(", ");
    // Kernels before 6.12 leave the timeout of an element that is there as it was: take it out and put it in anew.
    lines.push(...removing(table, set, keys), adding(table, set, elements));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** Two answers with the same address may share a transaction: the longer life counts. */
function renew(renewed: Map<string, Map<string, TimedElement>>, set: string, element: TimedElement): void {
  const byKey = renewed.get(set) ?? new Map<string, TimedElement>();
  renewed.set(set, byKey);
  const other = byKey.get(element.key);
  if (other === undefined || other.milliseconds < element.milliseconds) byKey.set(element.key, element);
}

/** Only what is there can be deleted, and it may expire at any moment: so it is put there first. */
function removing(table: string, set: string, keys: string): readonly string[] {
  return [`add element inet ${table} ${set} { ${keys} }`, `delete element inet ${table} ${set} { ${keys} }`];
}

function adding(table: string, set: string, elements: readonly TimedElement[]): string {
  const texts = elements.map(
    ({ key, value, milliseconds }) =>
      `${key} timeout ${Math.max(1, Math.round(milliseconds))}ms${value === undefined ? "" : ` : ${value}`}`,
  );
  return `add element inet ${table} ${set} { ${texts.join(", ")} }`;
}
