import { isRelative } from "@tierwall/core/engine";
import {
  type Direction,
  formatPolicy,
  type Isolation,
  type PolicyRef,
  type Rule,
  type Tier,
  type Tiers,
} from "@tierwall/core/model";
import { getOrInsert } from "@tierwall/core/state";
import type { BookEntry, ModesOf, PolicyModes } from "../../ruleset/program.js";
import { digestOf } from "../content-name.js";

/** Digits of an id, which is in the names of counters and in the prefix of log lines. */
const idLength = 10;

/** A rule with its id and modes, independent of its subjects. */
export interface RuleRecord {
  readonly rule: Rule;
  readonly modes: PolicyModes;
  readonly entry: BookEntry;
  /** Nothing in it is relative to the subject: neither peers (S5.4) nor named ports (S1.8). */
  readonly meansTheSameToAll: boolean;
}

interface Known extends RuleRecord {
  /** Its place in the policy, and how many earlier rules have the same place. */
  readonly place: string;
  readonly before: number;
}

/**
 * Assigns ids to rules. An id depends on the policy and the place in it, so that a counter continues when peers or ports of a rule
 * are edited; and on everything that log lines and counters report about it. So the meaning of an id never changes: packets that
 * were judged before an edit, and are read after it, are distinguished from those that the new version judged.
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
        // One place of a policy can be lowered to several rules.
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

  /** The isolations that are enforced, and those whose policies are in shadow mode. */
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

  /** Whether denials are logged: unless all isolating policies disable it. */
  auditOfIsolation(isolation: readonly Isolation[]): PolicyModes["audit"] {
    const quiet = isolation.every(
      ({ origin }) => origin.kind === "policy" && this.modesOf(origin.policy).audit === "none",
    );
    return quiet ? "none" : "denied";
  }

  private recordOf(rule: Rule, direction: Direction, tier: string, place: string, before: number): Known {
    const modes = this.modesOf(rule.origin.policy);
    const verdict = verdictOf(rule);
    const reported = [verdict, rule.origin.name ?? "", modes.shadow, modes.audit];
    const id = idOf([direction, tier, place, before, ...reported]);
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

// S7.7: the node cannot know whether the endpoints authenticate to each other, so such an Allow denies.
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

const known = new WeakMap<Tiers, Tiers>();

/**
 * S9.7: the tiers that a node enforces. A rule of the tier `foreign` means that the verdict is unknown, and its action is Allow: if
 * it were compiled, it would allow what the policies of the cluster deny. Returns the same object for the same tiers, since the
 * compiler reuses its results while they are the same.
 */
export function ownTiers(tiers: Tiers): Tiers {
  return getOrInsert(known, tiers, () => ({
    ingress: tiers.ingress.filter(isOwn),
    egress: tiers.egress.filter(isOwn),
  }));
}

const isOwn = ({ name }: Tier): boolean => name !== "foreign";
