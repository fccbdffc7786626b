import {
  describeSubject,
  type Direction,
  type PodSelection,
  type PolicyRef,
  type Rule,
  type Tier,
  type TierName,
  tierNames,
} from "@tierwall/core/model";
import type { HeldState } from "../held-state.js";
import { type PolicyView, policyView, type RuleView, ruleView } from "./policy-view.js";

export interface PoliciesAnswer {
  readonly stack: StackView;
  readonly caveats: readonly string[];
}

/** All policies in evaluation order. */
export type StackView = readonly ShelfView[];

/** A tier. Both directions have the same tiers, and often the same policies in them. */
export interface ShelfView {
  readonly tier: TierName;
  readonly policies: readonly StackedPolicy[];
}

export interface StackedPolicy {
  readonly policy: PolicyView;
  /** `pods with app=web in namespace shop`. */
  readonly subject: string;
  readonly rules: readonly StackedRule[];
  /** The directions in which it denies its pods what no rule allows. */
  readonly isolates: readonly Direction[];
}

export interface StackedRule extends Omit<RuleView, "policy" | "title"> {
  readonly direction: Direction;
}

const directions = ["ingress", "egress"] as const;

export function answerPolicies(held: HeldState, _request: Record<string, never>): PoliciesAnswer {
  return { stack: stackOf(held), caveats: held.caveats };
}

function stackOf({ state }: HeldState): StackView {
  return tierNames.flatMap((tier) => {
    const shelf = new Shelf(tier);
    for (const direction of directions) {
      const found = state.tiers[direction].find(({ name }) => name === tier);
      if (found !== undefined) shelf.add(direction, found);
    }
    const policies = shelf.policies();
    return policies.length === 0 ? [] : [{ tier, policies }];
  });
}

interface Growing extends StackedPolicy {
  readonly rules: StackedRule[];
  readonly isolates: Direction[];
  /** Smaller is evaluated earlier; of equals, the order of names decides, or it does not matter. */
  readonly order: number;
}

class Shelf {
  private readonly known = new Map<PolicyRef, Growing>();

  constructor(private readonly tier: TierName) {}

  policies(): readonly StackedPolicy[] {
    const all = [...this.known.values()];
    // `rule-2` before `rule-10`.
    const names = new Intl.Collator("en", { numeric: true });
    all.sort((a, b) => a.order - b.order || names.compare(nameOf(a), nameOf(b)));
    return all.map(({ order: _order, ...policy }) => policy);
  }

  add(direction: Direction, { rules, isolation }: Tier): void {
    for (const rule of rules) this.addRule(direction, rule);
    for (const { subject, origin } of isolation) {
      if (origin.kind === "option") continue;
      const { isolates } = this.of(origin.policy, subject, 0);
      if (!isolates.includes(direction)) isolates.push(direction);
    }
  }

  private addRule(direction: Direction, rule: Rule): void {
    const { policy, precedence } = rule.origin;
    // Guardrails are ordered by their action, and the developers' policies have no order.
    const { rules } = this.of(
      policy,
      rule.subject,
      precedence ?? (this.tier === "guardrail" ? this.known.size : 0),
    );
    const { policy: _policy, title: _title, ...view } = ruleView(rule);
    const same = rules.findIndex((other) => other.direction === direction && other.path === view.path);
    // One rule as it is written may be several to the engine.
    if (same === -1) rules.push({ ...view, direction });
    else rules[same] = { ...rules[same]!, traffic: `${rules[same]!.traffic}; ${view.traffic}` };
  }

  private of(policy: PolicyRef, subject: PodSelection, order: number): Growing {
    const known = this.known.get(policy);
    if (known !== undefined) return known;
    const made = {
      policy: policyView(policy),
      subject: describeSubject(subject),
      rules: [],
      isolates: [],
      order,
    };
    this.known.set(policy, made);
    return made;
  }
}

const nameOf = ({ policy: { namespace = "", name } }: StackedPolicy): string => `${namespace}/${name}`;
