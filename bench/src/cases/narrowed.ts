import type { Inventory } from "@tierwall/core/model";
import type { State } from "@tierwall/core/state";
import type { Pod } from "../generate/parsed.js";

export type Tiers = State["tiers"];
type Direction = keyof Tiers;
type Tier = Tiers[Direction][number];
type Selection = Tier["rules"][number]["subject"];
type LabelMatch = Selection["pods"];
type Labels = Pod["labels"];

/** For one pod, the rules and isolations that are about it. What the literal evaluator need not look at twice. */
export function narrowedTo(
  pod: Pod,
  cluster: Inventory,
  tiers: Tiers,
  direction: Direction,
): readonly Tier[] {
  const namespace = cluster.namespaces.get(pod.namespace)!.labels;
  const account = { serviceaccount: pod.serviceAccount };
  const isAbout = ({ subject }: { readonly subject: Selection }) =>
    selects(subject.pods, pod.labels) &&
    selects(subject.namespaces, namespace) &&
    selects(subject.account ?? [], account);
  return tiers[direction].map((tier) => ({
    ...tier,
    rules: tier.rules.filter(isAbout),
    isolation: tier.isolation.filter(isAbout),
  }));
}

function selects(match: LabelMatch, labels: Labels): boolean {
  return match.every(({ key, operator, values }) => {
    const value = labels[key];
    switch (operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
    }
  });
}
