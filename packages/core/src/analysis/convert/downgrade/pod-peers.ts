import type { Cluster } from "../../../cluster/model.js";
import { getOrInsert, grouped } from "../../../collections/maps.js";
import { type LabelMatch, type Labels, namespaceNameLabel, selects } from "../../../labels/requirement.js";
import type { JsonObject } from "../../../manifest/document.js";
import { writtenSelector } from "../written-selector.js";
import type { PodCell } from "./reach.js";

/** Finds peers for sets of cells. */
export class PodPeers {
  private readonly byNamespace: ReadonlyMap<string, readonly PodCell[]>;
  /** Many pods have the same peers, in part or in all. */
  private readonly known = new Map<string, readonly LabelMatch[] | undefined>();

  constructor(
    cells: readonly PodCell[],
    private readonly cluster: Cluster,
  ) {
    this.byNamespace = grouped(cells, namespaceOf);
  }

  /** Peers that match exactly these cells; undefined if labels do not distinguish them from others. */
  of(wanted: readonly PodCell[]): readonly JsonObject[] | undefined {
    /** Namespaces by how their pods are chosen: all of them, or by these selectors. */
    const parts = new Map<string, { readonly selectors: readonly LabelMatch[]; readonly names: string[] }>();
    for (const [name, chosen] of grouped(wanted, namespaceOf)) {
      const selectors = this.within(name, chosen);
      if (selectors === undefined) return undefined;
      const key = JSON.stringify(selectors);
      getOrInsert(parts, key, () => ({ selectors, names: [] })).names.push(name);
    }
    return [...parts.values()].flatMap(({ selectors, names }) =>
      this.namespacesCalled(names).flatMap((namespaces) =>
        selectors.map((pods) => ({
          namespaceSelector: writtenSelector(namespaces),
          ...(pods.length === 0 ? {} : { podSelector: writtenSelector(pods) }),
        })),
      ),
    );
  }

  /** Selectors for some of the cells of a namespace. */
  within(namespace: string, chosen: readonly PodCell[]): readonly LabelMatch[] | undefined {
    return this.once(`pods ${chosen.map(({ index }) => index).join()}`, () =>
      selectorsAmong(chosen, this.byNamespace.get(namespace)!, ({ labels }) => labels),
    );
  }

  /** By their names where nothing shorter will do; those without pods do not matter. */
  private namespacesCalled(names: readonly string[]): readonly LabelMatch[] {
    const labelsOf = (name: string) => this.cluster.namespaces.get(name)?.labels ?? {};
    const all = [...this.byNamespace.keys()];
    return this.once(`namespaces ${names.join()}`, () => selectorsAmong(names, all, labelsOf)) ?? [];
  }

  private once(
    key: string,
    find: () => readonly LabelMatch[] | undefined,
  ): readonly LabelMatch[] | undefined {
    if (!this.known.has(key)) this.known.set(key, find());
    return this.known.get(key);
  }
}

/** Selectors for some of all, which hold none of the others. */
function selectorsAmong<T>(
  chosen: readonly T[],
  all: readonly T[],
  labelsOf: (one: T) => Labels,
): readonly LabelMatch[] | undefined {
  const isChosen = new Set(chosen);
  return selectorsFor(chosen.map(labelsOf), all.filter((one) => !isChosen.has(one)).map(labelsOf));
}

const namespaceOf = ({ namespace }: PodCell): string => namespace;

/**
 * Selectors, combined with OR, that match exactly the first of two lists of labels; as short as possible. Undefined if
 * labels do not distinguish the two.
 */
export function selectorsFor(
  wanted: readonly Labels[],
  others: readonly Labels[],
): readonly LabelMatch[] | undefined {
  if (others.length === 0) return [[]];
  const byOneKey = selectorByOneKey(wanted, others);
  if (byOneKey !== undefined) return [byOneKey];
  const found = new Map<string, LabelMatch>();
  for (const labels of wanted) {
    const match = selectorOf(labels, others);
    if (match === undefined) return undefined;
    found.set(JSON.stringify(match), match);
  }
  return [...found.values()];
}

const has = (labels: Labels, key: string): boolean => Object.hasOwn(labels, key);

/** `app in (a, b)`: the key with the fewest values; a namespace by its name only where nothing else will do. */
function selectorByOneKey(wanted: readonly Labels[], others: readonly Labels[]): LabelMatch | undefined {
  const keys = Object.keys(wanted[0] ?? {}).filter((key) => wanted.every((labels) => has(labels, key)));
  const candidates = keys.flatMap((key) => {
    const values = [...new Set(wanted.map((labels) => labels[key]!))];
    const match: LabelMatch = [{ key, operator: "In", values: values.toSorted() }];
    return others.some((labels) => selects(match, labels)) ? [] : [{ key, values, match }];
  });
  const rank = (key: string) => (key === namespaceNameLabel ? 1 : 0);
  return candidates.toSorted((a, b) => rank(a.key) - rank(b.key) || a.values.length - b.values.length)[0]
    ?.match;
}

/** Those with these labels and, where others have more, without theirs; then as few of them as will do. */
function selectorOf(labels: Labels, others: readonly Labels[]): LabelMatch | undefined {
  const all: LabelMatch = Object.entries(labels).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  const more = new Set(
    others
      .filter((other) => selects(all, other))
      .flatMap((other) => Object.keys(other).filter((key) => !has(labels, key))),
  );
  const without: LabelMatch = [...more].map((key) => ({ key, operator: "DoesNotExist", values: [] }));
  const isExact = (match: LabelMatch) => !others.some((other) => selects(match, other));
  let match: LabelMatch = [...all, ...without];
  if (!isExact(match)) return undefined;
  // Without any label of their own, pods that come later would be among them.
  if (without.length > 0) return match;
  for (const requirement of match) {
    const fewer = match.filter((one) => one !== requirement);
    if (isExact(fewer)) match = fewer;
  }
  return match;
}
