import {
  type Inventory,
  type Namespace,
  namespaceNameLabel,
  type Pod,
  type PodSelection,
} from "@tierwall/core/model";

/** S1.10: also a namespace that is not in the input has its name. */
export class Namespaces {
  private readonly lone = new Map<string, Namespace>();

  of(cluster: Inventory, { namespace: name }: Pod): Namespace {
    return cluster.namespaces.get(name) ?? this.lone.get(name) ?? this.add(name);
  }

  private add(name: string): Namespace {
    const made = { name, labels: { [namespaceNameLabel]: name } };
    this.lone.set(name, made);
    return made;
  }
}

/** The only namespaces that can be meant, where a selector names them; most do. */
export function namesIn(selector: PodSelection["namespaces"]): readonly string[] | undefined {
  return selector.find(({ key, operator }) => key === namespaceNameLabel && operator === "In")?.values;
}
