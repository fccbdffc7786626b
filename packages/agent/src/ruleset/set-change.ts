/** Changes of elements with a timeout, in sets and maps. */
export type SetChange =
  /** Adds the element, or renews its timeout. */
  | { readonly kind: "renew"; readonly set: string; readonly element: TimedElement }
  /** Removes the element, if it exists. */
  | { readonly kind: "forget"; readonly set: string; readonly key: string }
  /** Replaces all elements of the set or map. */
  | {
      readonly kind: "replace";
      readonly set: string;
      readonly holds: "set" | "map";
      readonly elements: readonly TimedElement[];
    };

export interface TimedElement {
  readonly key: string;
  /** In a map. */
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
    // Kernels before 6.12 do not change the timeout of an existing element: remove it and add it again.
    lines.push(...removing(table, set, keys), adding(table, set, elements));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** If two answers with the same address share a transaction, the longer lifetime counts. */
function renew(renewed: Map<string, Map<string, TimedElement>>, set: string, element: TimedElement): void {
  const byKey = renewed.get(set) ?? new Map<string, TimedElement>();
  renewed.set(set, byKey);
  const other = byKey.get(element.key);
  if (other === undefined || other.milliseconds < element.milliseconds) byKey.set(element.key, element);
}

/** Deleting an element that does not exist fails, and it may expire at any moment: so it is added first. */
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
