import type { PolicyRef } from "@tierwall/core/model";
import { visibleWithin } from "@tierwall/core/report";
import { getOrInsert } from "@tierwall/core/state";
import { namesOfForeign } from "../cluster/foreign-kinds.js";
import type { Situation } from "../cluster/situation.js";
import { acceptedOf, failedRulesIn } from "./accepted.js";
import { type Condition, hasConditions, type Statement } from "./condition.js";
import { type Findings, nothingFound } from "./findings.js";
import type { NodeReports } from "./node-reports.js";
import { programmedOn } from "./programmed.js";
import { digestOf } from "./programmed-report.js";
import type { Wanted } from "./status-writer.js";
import type { StoredPolicies } from "./stored-policies.js";

interface Patience {
  /** How long nodes may take to enforce a policy before its condition reports that some do not; milliseconds. */
  readonly programming: number;
  /** How long a node that is new may take to get an agent. */
  readonly newNode: number;
}

export const usualPatience: Patience = { programming: 3000, newNode: 120_000 };

type Kept = Pick<NodeReports, "all" | "health">;

/**
 * Computes the conditions of each policy from all known facts. A condition that is not known yet for the current version
 * stays as it is on the policy, with the generation that it was observed for.
 *
 *   situation ──► Accepted
 *   findings ───► Conflicted, Shadowed
 *   reports ────► Programmed
 *   foreign ────► ForeignPolicies
 */
export class PolicyConditions {
  private byUid: ReadonlyMap<string, PolicyRef> = new Map();
  private situation: Situation | undefined;
  private failedRules: ReturnType<typeof failedRulesIn> = new Map();
  private findings: { readonly found: Findings; readonly of: ReadonlySet<PolicyRef> } | undefined;
  /** Since when a policy is not enforced everywhere, where its condition does not report it yet. */
  private readonly lagging = new Map<string, number>();
  private nodesSince: ReadonlyMap<string, number> = new Map();
  /** The same for all policies; undefined where no policies of other projects are known. */
  private foreignStatement: Statement | undefined;

  constructor(
    private readonly stored: StoredPolicies,
    private readonly reports: Kept,
    private readonly patience: Patience = usualPatience,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Gives back the policies that are new, or others than before. */
  take(situation: Situation): readonly PolicyRef[] {
    const before = this.situation;
    this.situation = situation;
    if (before?.foreign !== situation.foreign || before.unreadForeign !== situation.unreadForeign)
      this.foreignStatement = foreignStatementOf(situation);
    if (before?.cluster.nodes !== situation.cluster.nodes) this.takeNodes(situation, before === undefined);
    if (before?.policies === situation.policies) return [];
    this.failedRules = failedRulesIn(situation.tiers);
    const known = new Set(this.byUid.values());
    const own = situation.policies.filter((policy) => policy.stored !== undefined && hasConditions(policy));
    this.byUid = new Map(own.map((policy) => [policy.stored!.uid, policy]));
    for (const uid of this.lagging.keys()) if (!this.byUid.has(uid)) this.lagging.delete(uid);
    return own.filter((policy) => !known.has(policy));
  }

  /** Proven of the present situation. */
  find(findings: Findings): void {
    this.findings = { found: findings, of: new Set(this.byUid.values()) };
  }

  /** The message of conditions about policies of other projects. */
  get foreignMessage(): string | undefined {
    return this.foreignStatement?.message;
  }

  /** All that have conditions. */
  get uids(): Iterable<string> {
    return this.byUid.keys();
  }

  has(uid: string): boolean {
    return this.byUid.has(uid);
  }

  wantedFor(uid: string): Wanted | undefined {
    const policy = this.byUid.get(uid);
    if (policy === undefined) return undefined;
    const complaints = this.situation!.complaints.get(policy) ?? [];
    const conditions = [
      conditionOf(policy, acceptedOf(complaints, this.failedRules.get(policy) ?? [])),
      this.programmedFor(policy),
      this.provenFor(policy, "Conflicted"),
      this.provenFor(policy, "Shadowed"),
      this.foreignStatement && conditionOf(policy, this.foreignStatement),
    ];
    return { policy, conditions: conditions.filter((condition) => condition !== undefined) };
  }

  private provenFor(policy: PolicyRef, type: "Conflicted" | "Shadowed"): Condition | undefined {
    const { findings } = this;
    if (findings === undefined || !findings.of.has(policy)) return this.standing(policy, type);
    return conditionOf(policy, findings.found[type].get(policy) ?? nothingFound[type]);
  }

  /** Nodes need a moment for every change: until one is late, the condition stays as it is. */
  private programmedFor(policy: PolicyRef): Condition | undefined {
    const { uid } = policy.stored!;
    const standing = this.standing(policy, "Programmed");
    if (!this.reports.health.isKnown) return standing;
    const found = programmedOn(digestOf(policy.stored!), this.countedNodes(), this.reports.all);
    const isWorse =
      found.status !== "True" &&
      (standing === undefined ? found.status === "False" : standing.status === "True");
    if (!isWorse) {
      this.lagging.delete(uid);
      return conditionOf(policy, found);
    }
    const since = getOrInsert(this.lagging, uid, () => this.now());
    return this.now() - since < this.patience.programming ? standing : conditionOf(policy, found);
  }

  private standing(policy: PolicyRef, type: Condition["type"]): Condition | undefined {
    const found = this.stored.of(policy)?.conditions.find((one) => one.type === type);
    if (found === undefined) return undefined;
    const { lastTransitionTime: _, ...condition } = found;
    return condition;
  }

  private takeNodes({ cluster }: Situation, isFirst: boolean): void {
    // Nodes that only pods mention are not registered yet, or no longer.
    const names = [...cluster.nodes.values()].filter(({ labels }) => labels !== undefined);
    const since = (name: string) =>
      this.nodesSince.get(name) ?? (isFirst ? Number.NEGATIVE_INFINITY : this.now());
    this.nodesSince = new Map(names.map(({ name }) => [name, since(name)]));
  }

  private countedNodes(): readonly string[] {
    const isNew = (since: number) => this.now() - since < this.patience.newNode;
    return [...this.nodesSince]
      .filter(([name, since]) => this.reports.all.has(name) || !isNew(since))
      .map(([name]) => name);
  }
}

/** Without counts and names of objects: each change would be a write to each policy. */
function foreignStatementOf({ foreign, unreadForeign }: Situation): Statement | undefined {
  const inForce = namesOfForeign(foreign.map(({ kind }) => kind));
  const unread = namesOfForeign(unreadForeign);
  const messages = [
    inForce && `policies of other projects are also in force, and are not evaluated here: ${inForce}`,
    unread && `policies of other projects may be in force, and the controller cannot read them: ${unread}`,
  ].filter((message) => message !== "");
  if (messages.length === 0) return undefined;
  return {
    type: "ForeignPolicies",
    status: inForce === "" ? "Unknown" : "True",
    reason: inForce === "" ? "NotReadable" : "InForce",
    message: messages.join("; "),
  };
}

/** API servers refuse a status with a message of more than 32,768 characters, and the conditions would stay what they were. */
const longestMessage = 4096;

const conditionOf = (policy: PolicyRef, statement: Statement): Condition => ({
  ...statement,
  message: visibleWithin(statement.message, longestMessage),
  observedGeneration: policy.stored!.generation,
});
