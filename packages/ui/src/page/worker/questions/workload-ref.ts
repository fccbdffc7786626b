import type { Inventory, Workload } from "@tierwall/core/model";

/** How a question names each workload: `shop/cart`, or with its kind where that would be ambiguous. */
export function workloadRefs({ workloads, pods }: Inventory): (workload: Workload) => string {
  const named = new Map<string, number>();
  for (const { namespace, name } of workloads) {
    const key = `${namespace}/${name}`;
    named.set(key, (named.get(key) ?? 0) + 1);
  }
  return ({ namespace, kind, name }) => {
    const key = `${namespace}/${name}`;
    const pod = pods.get(key);
    const isClear = named.get(key) === 1 && (pod === undefined || pod.fromTemplate === true);
    return isClear ? key : `${namespace}/${kind}/${name}`;
  };
}
