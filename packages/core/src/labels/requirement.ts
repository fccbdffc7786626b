import { visible } from "../diagnostics/visible.js";

/** One condition of a label selector. `matchLabels` entries become `In` with one value. */
export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** A label selector in one form: all requirements must hold; none selects everything. */
export type LabelMatch = readonly Requirement[];

export type Labels = Readonly<Record<string, string>>;

/** The label every namespace carries, given or not (S1.10). */
export const namespaceNameLabel = "kubernetes.io/metadata.name";

/**
 * What a namespace carries that is not in the input: its other labels are not known (S9.4). No selector of any API can ask for this
 * key, and no list of labels shows it.
 */
export const unknownLabels = "(unknown labels)";

// S1.10: NotIn and DoesNotExist hold where the key is absent.
export function holds(requirement: Requirement, labels: Labels): boolean {
  const found: unknown = labels[requirement.key];
  // A value that is not a string is not a label, but a property of every object.
  const value = typeof found === "string" ? found : undefined;
  switch (requirement.operator) {
    case "In":
      return value !== undefined && requirement.values.includes(value);
    case "NotIn":
      return value === undefined || !requirement.values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

export function selects(match: LabelMatch, labels: Labels): boolean {
  return match.every((requirement) => holds(requirement, labels));
}

/** A selector as written in a manifest. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: Requirement["operator"];
    readonly values?: readonly string[];
  }[];
}

export function toMatch(selector: LabelSelector): LabelMatch {
  const fromLabels = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: "In", values: [value] }),
  );
  const fromExpressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }): Requirement => ({ key, operator, values: values ?? [] }),
  );
  return [...fromLabels, ...fromExpressions];
}

/** The requirement that a namespace has this name. */
export function namespaceNamed(name: string): LabelMatch {
  return [{ key: namespaceNameLabel, operator: "In", values: [name] }];
}

/** `app=web`, `tier in (a, b)`, `!legacy`; `everything` for an empty selector. */
export function formatMatch(match: LabelMatch): string {
  return match.length === 0 ? "everything" : match.map(formatRequirement).join(", ");
}

export function formatRequirement(requirement: Requirement): string {
  return visible(written(requirement));
}

function written({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "In":
      return values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(", ")})`;
    case "NotIn":
      return values.length === 1 ? `${key}!=${values[0]}` : `${key} not in (${values.join(", ")})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
  }
}
