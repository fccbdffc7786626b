import { type Cluster, type Namespace, namespaceNameLabel, type Pod } from "@tierwall/core";

/** S1.10: also a namespace that is not in the input has its name. */
export class Namespaces {
  private readonly lone = new Map<string, Namespace>();

  of(cluster: Cluster, { namespace: name }: Pod): Namespace {
    return cluster.namespaces.get(name) ?? this.lone.get(name) ?? this.add(name);
  }

  private add(name: string): Namespace {
    const made = { name, labels: { [namespaceNameLabel]: name } };
    this.lone.set(name, made);
    return made;
  }
}
