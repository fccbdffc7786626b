import { isRelative } from "@tierwall/core/engine";
import {
  type Direction,
  formatPolicy,
  type Isolation,
  type PolicyRef,
  type Rule,
  type Tiers,
} from "@tierwall/core/model";
import type { BookEntry, ModesOf, PolicyModes } from "../../ruleset/program.js";
import { digestOf } from "../content-name.js";

/** Digits of an id; it stands in the names of counters and in front of log lines. */
const idLength = 10;

/** What the node's table says of a rule, whatever its subjects are. */
export interface RuleRecord {
  readonly rule: Rule;
  readonly modes: PolicyModes;
  readonly entry: BookEntry;
  /** Nothing in it is relative to the subject: neither peers (S5.4), nor ports by name (S1.8). */
  readonly meansTheSameToAll: boolean;
}

interface Known extends RuleRecord {
  /** Where it stands, and how many others came from there before it. */
  readonly place: string;
  readonly before: number;
}

/**
 * Gives rules their ids: by the policy and the place in it, so that a counter goes on when peers or ports of a rule are edited; and by
 * everything that log lines and counts say of it. So an id never means another thing: packets that were judged before an edit, and
 * are read after it, are distinguished from those that were judged by the new version.
 */
export class RuleBook {
  private records = new Map<Rule, Known>();
  private read: Tiers | undefined;

  constructor(private readonly modesOf: ModesOf) {}

  update(tiers: Tiers): void {
    if (tiers === this.read) return;
    this.read = tiers;
    const records = new Map<Rule, Known>();
    for (const direction of ["egress", "ingress"] as const)
      for (const tier of tiers[direction]) {
        // One place of a policy may have become several rules.
        const seen = new Map<string, number>();
        for (const rule of tier.rules) {
          const known = this.records.get(rule);
          const place = known?.place ?? placeOf(rule);
          const before = seen.get(place) ?? 0;
          seen.set(place, before + 1);
          const isSame = known?.before === before;
          records.set(rule, isSame ? known : this.recordOf(rule, direction, tier.name, place, before));
        }
      }
    this.records = records;
  }

  of(rule: Rule): RuleRecord {
    return this.records.get(rule)!;
  }

  /** Those that isolate a pod for good, and those that only would: their policies are in shadow mode. */
  isolationEntries(
    direction: Direction,
    tier: string,
    isolation: readonly Isolation[],
  ): readonly BookEntry[] {
    const isShadow = ({ origin }: Isolation) =>
      origin.kind === "policy" && this.modesOf(origin.policy).shadow;
    return [false, true].flatMap((shadow): BookEntry[] => {
      const isolating = isolation.filter((entry) => isShadow(entry) === shadow);
      if (isolating.length === 0) return [];
      const who = isolating.map(({ origin }) =>
        origin.kind === "policy" ? nameOf(origin.policy) : origin.option,
      );
      const audit = this.auditOfIsolation(isolating);
      const id = idOf([direction, tier, "isolation", who.toSorted(), shadow, audit]);
      return [
        { id, direction, tier, verdict: "Deny", shadow, by: { kind: "isolation", isolation: isolating } },
      ];
    });
  }

  /** Whether denials are logged: unless all who isolate asked not to. */
  auditOfIsolation(isolation: readonly Isolation[]): PolicyModes["audit"] {
    const quiet = isolation.every(
      ({ origin }) => origin.kind === "policy" && this.modesOf(origin.policy).audit === "none",
    );
    return quiet ? "none" : "denied";
  }

  private recordOf(rule: Rule, direction: Direction, tier: string, place: string, before: number): Known {
    const modes = this.modesOf(rule.origin.policy);
    const verdict = verdictOf(rule);
    const says = [verdict, rule.origin.name ?? "", modes.shadow, modes.audit];
    const id = idOf([direction, tier, place, before, ...says]);
    const entry: BookEntry = {
      id,
      direction,
      tier,
      verdict,
      shadow: modes.shadow,
      by: { kind: "rule", rule },
    };
    return { rule, modes, entry, meansTheSameToAll: !isRelativeRule(rule, direction), place, before };
  }
}

// S7.7: this node cannot know whether the two endpoints authenticate to each other, so that such an Allow denies.
function verdictOf({ action, condition }: Rule): BookEntry["verdict"] {
  return action === "Allow" && condition?.kind === "authentication" ? "Deny" : action;
}

function isRelativeRule({ peers, ports }: Rule, direction: Direction): boolean {
  const namesPorts = ports !== "every" && ports.some((port) => port.kind === "named");
  return peers.some(isRelative) || (direction === "ingress" && namesPorts);
}

const idOf = (meaning: readonly unknown[]): string => digestOf(JSON.stringify(meaning)).slice(0, idLength);

const placeOf = ({ origin }: Rule): string => `${nameOf(origin.policy)} ${origin.path}`;

const nameOf = (policy: PolicyRef): string => `${policy.group} ${formatPolicy(policy)}`;
