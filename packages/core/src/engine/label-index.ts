import type { LabelMatch, Labels } from "../labels/requirement.js";

/** Finds the selectors that a change of labels may turn, without trying all of them. */
export class LabelIndex<T> {
  /** Those that name a value, by key and value; those that only ask whether a label is there, by key. */
  private readonly naming = new Map<string, T[]>();
  private readonly asking = new Map<string, T[]>();

  add(match: LabelMatch, selector: T): void {
    for (const { key, operator, values } of match)
      if (operator === "Exists" || operator === "DoesNotExist") put(this.asking, key, selector);
      else for (const value of values) put(this.naming, labelKey(key, value), selector);
  }

  /** Each once. */
  touched(before: Labels, after: Labels): ReadonlySet<T> {
    const found = new Set<T>();
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [was, is] = [own(before, key), own(after, key)];
      if (was === is) continue;
      for (const value of [was, is])
        for (const selector of (value !== undefined && this.naming.get(labelKey(key, value))) || [])
          found.add(selector);
      if (was === undefined || is === undefined)
        for (const selector of this.asking.get(key) ?? []) found.add(selector);
    }
    return found;
  }
}

function put<T>(into: Map<string, T[]>, key: string, value: T): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [value]);
  else known.push(value);
}

const own = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

/** Neither keys nor values of labels hold an equals sign. */
const labelKey = (key: string, value: string): string => `${key}=${value}`;
