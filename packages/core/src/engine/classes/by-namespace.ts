import { namedNamespaces, type NamespaceChoice } from "./selection.js";

/** Selectors by the namespaces that they name: most name one, and those of other namespaces need not be tried. */
export class ByNamespace<T> {
  private readonly named = new Map<string, T[]>();
  private readonly unnamed: T[] = [];

  add(namespaces: NamespaceChoice, selector: T): void {
    const names = namedNamespaces(namespaces);
    if (names === undefined) this.unnamed.push(selector);
    for (const name of names ?? []) {
      const known = this.named.get(name);
      if (known === undefined) this.named.set(name, [selector]);
      else known.push(selector);
    }
  }

  /** All that may select something in a namespace. */
  *in(namespace: string): Iterable<T> {
    yield* this.unnamed;
    yield* this.named.get(namespace) ?? [];
  }
}
