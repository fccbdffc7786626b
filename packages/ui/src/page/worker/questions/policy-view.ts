import { clusterFile } from "@tierwall/core/manifest";
import { actionOf, formatPolicy, formatRule, type PolicyRef, type Rule } from "@tierwall/core/model";
import { trafficText } from "@tierwall/core/report";

/** A policy as the page shows it and asks about it. */
export interface PolicyView {
  /** Distinguishes it from all others, also of the same name in another API. */
  readonly key: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** `NetworkPolicy shop/allow-web`. */
  readonly title: string;
  readonly priority?: number;
}

/** A place in a file; absent for objects of a cluster, which are in no file that a user could open. */
export interface PlaceView {
  readonly file: string;
  readonly line: number;
}

export interface RuleView {
  readonly policy: PolicyView;
  /** Its path in its policy: `spec.ingress[0]`. */
  readonly path: string;
  /** Counted from one. */
  readonly number: number;
  readonly name?: string;
  /** `NetworkPolicy shop/allow-web rule 1 "dns"`. */
  readonly title: string;
  /** `Undecided`: of an API that is not evaluated. */
  readonly action: ReturnType<typeof actionOf>;
  /** `from all pods on 80/TCP`. */
  readonly traffic: string;
}

export function policyKey({ group, kind, namespace, name }: PolicyRef): string {
  return `${kind}.${group}/${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

export function policyView(policy: PolicyRef): PolicyView {
  const { kind, namespace, name, priority } = policy;
  return {
    key: policyKey(policy),
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    title: formatPolicy(policy),
    ...(priority === undefined ? {} : { priority }),
  };
}

export function ruleView(rule: Rule): RuleView {
  const { policy, path, index, name } = rule.origin;
  return {
    policy: policyView(policy),
    path,
    number: index + 1,
    ...(name === undefined ? {} : { name }),
    title: formatRule(rule.origin),
    action: actionOf(rule),
    traffic: trafficText(rule),
  };
}

export function placeView(place: PlaceView | undefined): { readonly place?: PlaceView } {
  if (place === undefined || place.file.startsWith(clusterFile)) return {};
  return { place: { file: place.file, line: place.line } };
}
