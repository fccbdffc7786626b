import type { Cluster } from "../../../cluster/model.js";
import { getOrInsert, grouped } from "../../../collections/maps.js";
import type { LabelMatch, Labels } from "../../../labels/requirement.js";
import type { JsonObject } from "../../../manifest/document.js";
import { writtenSelector } from "../written-selector.js";
import type { PodCell } from "./cells.js";
import { selectorsFor } from "./label-selectors.js";

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
