import type { Decider } from "../../evaluate/walk.js";
import type { Isolation, Rule, Tier, TierName } from "../../policy/model.js";
import { byDefault, byOwnNode, type DirectionExplanation, noWalk } from "./explanation.js";
import { isolatingOf } from "./isolating.js";
import type { Row } from "../compile/tier-rows.js";

/** Holds each explanation once, so that those by the same deciders are the same object. */
export class SharedExplanations {
  private readonly byRule = {
    Allow: new Map<Rule, DirectionExplanation>(),
    Deny: new Map<Rule, DirectionExplanation>(),
  };
  private readonly byRow = new Map<Row, DirectionExplanation>();
  private readonly byIsolation = new Map<string, DirectionExplanation>();
  private readonly bySeveral = new Map<string, DirectionExplanation>();
  private readonly numbers = new Map<object, number>();

  ofRule(tier: TierName, rule: Rule, verdict: "Allow" | "Deny"): DirectionExplanation {
    const known = this.byRule[verdict].get(rule);
    if (known !== undefined) return known;
    const made: DirectionExplanation = { verdict, deciders: [{ kind: "rule", tier, rule }] };
    this.byRule[verdict].set(rule, made);
    return made;
  }

  /** S1.2 */
  ofRow(tier: Tier, row: Row): DirectionExplanation {
    const known = this.byRow.get(row);
    if (known !== undefined) return known;
    const made = this.isolatedBy(tier.name, isolatingOf(tier, row));
    this.byRow.set(row, made);
    return made;
  }

  private isolatedBy(tier: TierName, isolation: readonly Isolation[]): DirectionExplanation {
    const key = isolation.map((entry) => this.numberOf(entry)).join();
    const known = this.byIsolation.get(key);
    if (known !== undefined) return known;
    const made: DirectionExplanation = {
      verdict: "Deny",
      deciders: [{ kind: "isolation", tier, isolation }],
    };
    this.byIsolation.set(key, made);
    return made;
  }

  /** The one that is held of those that say this. */
  shared(said: DirectionExplanation): DirectionExplanation {
    const { verdict, deciders } = said;
    const [only] = deciders;
    if (deciders.length === 1 && only !== undefined && verdict !== "Undecided")
      switch (only.kind) {
        case "rule":
          return this.ofRule(only.tier, only.rule, verdict);
        case "isolation":
          return this.isolatedBy(only.tier, only.isolation);
        case "default":
          return byDefault;
        case "own-node":
          return byOwnNode;
        case "no-walk":
        case "own-address":
          return noWalk;
      }
    const key = `${verdict} ${deciders.map((by) => this.keyOf(by)).join()}`;
    const known = this.bySeveral.get(key) ?? said;
    this.bySeveral.set(key, known);
    return known;
  }

  private keyOf(by: Decider): string {
    if (by.kind === "rule") return `rule ${this.numberOf(by.rule)}`;
    if (by.kind !== "isolation") return by.kind;
    return `isolation ${by.isolation.map((entry) => this.numberOf(entry)).join("+")}`;
  }

  private numberOf(thing: object): number {
    const known = this.numbers.get(thing) ?? this.numbers.size;
    this.numbers.set(thing, known);
    return known;
  }
}
