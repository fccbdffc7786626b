import type { Cluster } from "../../../cluster/model.js";
import { grouped } from "../../../diagnostics/summary.js";
import type { LabelMatch } from "../../../labels/requirement.js";
import type { JsonObject } from "../../../manifest/document.js";
import { writtenSelector } from "../written-selector.js";
import type { Cell } from "./cells.js";
import { selectorsFor } from "./label-selectors.js";

/** Finds peers for sets of cells. */
export class PodPeers {
  private readonly byNamespace: ReadonlyMap<string, readonly Cell[]>;
  /** Many pods have the same peers, in part or in all. */
  private readonly known = {
    pods: new Map<string, readonly LabelMatch[] | undefined>(),
    namespaces: new Map<string, readonly LabelMatch[]>(),
  };

  constructor(
    cells: readonly Cell[],
    private readonly cluster: Cluster,
  ) {
    this.byNamespace = grouped(cells, namespaceOf);
  }

  /** Peers that hold exactly these cells; undefined where labels do not tell them from others. */
  of(wanted: readonly Cell[]): readonly JsonObject[] | undefined {
    /** Namespaces by how their pods are chosen: all of them, or by these selectors. */
    const parts = new Map<string, { readonly selectors: readonly LabelMatch[]; readonly names: string[] }>();
    for (const [name, chosen] of grouped(wanted, namespaceOf)) {
      const selectors = this.within(name, chosen);
      if (selectors === undefined) return undefined;
      const key = JSON.stringify(selectors);
      const part = parts.get(key) ?? { selectors, names: [] };
      part.names.push(name);
      parts.set(key, part);
    }
    return [...parts.values()].flatMap(({ selectors, names }) =>
      this.namespaces(names).flatMap((namespaces) =>
        selectors.map((pods) => ({
          namespaceSelector: writtenSelector(namespaces),
          ...(pods.length === 0 ? {} : { podSelector: writtenSelector(pods) }),
        })),
      ),
    );
  }

  /** Selectors for some of the cells of a namespace. */
  within(namespace: string, chosen: readonly Cell[]): readonly LabelMatch[] | undefined {
    const key = chosen.map(({ index }) => index).join();
    if (!this.known.pods.has(key)) this.known.pods.set(key, this.selectorsWithin(namespace, chosen));
    return this.known.pods.get(key);
  }

  private selectorsWithin(namespace: string, chosen: readonly Cell[]): readonly LabelMatch[] | undefined {
    const all = this.byNamespace.get(namespace)!;
    const isChosen = new Set(chosen);
    const others = chosen.length === all.length ? [] : all.filter((cell) => !isChosen.has(cell));
    return selectorsFor(chosen.map(labelsOf), others.map(labelsOf));
  }

  /** By their names where nothing shorter will do; those without pods do not matter. */
  private namespaces(names: readonly string[]): readonly LabelMatch[] {
    const key = names.join();
    const known = this.known.namespaces.get(key) ?? this.selectorsOf(names);
    this.known.namespaces.set(key, known);
    return known;
  }

  private selectorsOf(names: readonly string[]): readonly LabelMatch[] {
    const labels = (name: string) => this.cluster.namespaces.get(name)?.labels ?? {};
    const chosen = new Set(names);
    const others = [...this.byNamespace.keys()].filter((name) => !chosen.has(name));
    return selectorsFor(names.map(labels), others.map(labels)) ?? [];
  }
}

const namespaceOf = ({ namespace }: Cell): string => namespace;
const labelsOf = ({ labels }: Cell): Cell["labels"] => labels;
