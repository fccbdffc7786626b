import type { Namespace } from "../../cluster/model.js";
import type { Labels } from "../../labels/requirement.js";
import { namedNamespaces, namespaceFits, type PodChoice } from "./selection.js";

/** Finds the selectors that a change of a pod's labels may turn, without trying all of them. */
export class LabelIndex<T> {
  /** Those that name a value, by key and value; those that only ask whether a label is there, by key. */
  private readonly naming = new Map<string, Entry<T>[]>();
  private readonly asking = new Map<string, Entry<T>[]>();

  add({ namespaces, pods }: Pick<PodChoice, "namespaces" | "pods">, selector: T): void {
    const entry = { namespaces, selector };
    for (const place of namedNamespaces(namespaces) ?? [everywhere])
      for (const { key, operator, values } of pods)
        if (operator === "Exists" || operator === "DoesNotExist") put(this.asking, `${key} ${place}`, entry);
        else for (const value of values) put(this.naming, `${key}=${value} ${place}`, entry);
  }

  /** Each once, for a pod of a namespace. */
  touched(namespace: Namespace, before: Labels, after: Labels): ReadonlySet<T> {
    const found = new Set<T>();
    const take = (entries: Map<string, Entry<T>[]>, key: string) => {
      for (const place of [everywhere, namespace.name])
        for (const { namespaces, selector } of entries.get(`${key} ${place}`) ?? [])
          if (namespaceFits(namespaces, namespace)) found.add(selector);
    };
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [was, is] = [own(before, key), own(after, key)];
      if (was === is) continue;
      for (const value of [was, is]) if (value !== undefined) take(this.naming, `${key}=${value}`);
      if (was === undefined || is === undefined) take(this.asking, key);
    }
    return found;
  }
}

interface Entry<T> extends Pick<PodChoice, "namespaces"> {
  readonly selector: T;
}

/** For selectors that do not name their namespaces; no namespace has this name. */
const everywhere = "";

function put<T>(into: Map<string, T[]>, key: string, value: T): void {
  const known = into.get(key);
  if (known === undefined) into.set(key, [value]);
  else known.push(value);
}

const own = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;
