import type { Cluster } from "../../../cluster/model.js";
import type { LabelMatch } from "../../../labels/requirement.js";
import type { JsonObject } from "../../../manifest/document.js";
import { writtenSelector } from "../written-selector.js";
import { type Cell, grouped } from "./cells.js";
import { selectorsFor } from "./label-selectors.js";

/** Peers that hold exactly these cells; undefined where labels do not tell them from others. */
export function podPeers(
  wanted: ReadonlySet<Cell>,
  cells: readonly Cell[],
  { namespaces }: Cluster,
): readonly JsonObject[] | undefined {
  const labelsOf = (name: string) => namespaces.get(name)?.labels ?? {};
  const byNamespace = grouped(cells, ({ namespace }) => namespace);
  /** Namespaces by how their pods are chosen: all of them, or by these selectors. */
  const parts = new Map<string, { readonly selectors: readonly LabelMatch[]; readonly names: string[] }>();
  const untouched: string[] = [];
  for (const [name, all] of byNamespace) {
    const chosen = all.filter((cell) => wanted.has(cell));
    if (chosen.length === 0) {
      untouched.push(name);
      continue;
    }
    const rest = all.filter((cell) => !wanted.has(cell));
    const selectors = selectorsFor(
      chosen.map(({ labels }) => labels),
      rest.map(({ labels }) => labels),
    );
    if (selectors === undefined) return undefined;
    const key = JSON.stringify(selectors);
    const part = parts.get(key) ?? { selectors, names: [] };
    part.names.push(name);
    parts.set(key, part);
  }
  const peers: JsonObject[] = [];
  for (const { selectors, names } of parts.values()) {
    const others = [...byNamespace.keys()].filter((name) => !names.includes(name));
    const inNamespaces = selectorsFor(names.map(labelsOf), others.map(labelsOf)) ?? [];
    for (const namespaceMatch of inNamespaces)
      for (const pods of selectors)
        peers.push({
          namespaceSelector: writtenSelector(namespaceMatch),
          ...(pods.length === 0 ? {} : { podSelector: writtenSelector(pods) }),
        });
  }
  return peers;
}
