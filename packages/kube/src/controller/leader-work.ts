import { budgetFor, proveInSteps, RuleQuestions } from "@tierwall/core/analysis";
import type { Engine } from "@tierwall/core/engine";
import { formatPolicy } from "@tierwall/core/model";
import type { Logger } from "pino";
import type { Connection } from "../cluster/connection.js";
import { Delivery } from "../timing/delivery.js";
import type { Situation } from "../cluster/situation.js";
import type { Condition, StoredCondition } from "./condition.js";
import type { Judge } from "../webhook/analyst-thread.js";
import type { ControllerMetrics } from "./controller-metrics.js";
import { Events } from "./events.js";
import { findingsFrom } from "./findings.js";
import { GuaranteeConditions, type KnownGuarantees } from "./guarantee-conditions.js";
import { inSteps } from "./in-steps.js";
import type { Leadership } from "./leader-election.js";
import type { LiveEngine } from "./live-engine.js";
import { PolicyConditions } from "./policy-conditions.js";
import type { NodeReports } from "./node-reports.js";
import { Overridings } from "./overridings.js";
import { StatusWriter, type Wanted } from "./status-writer.js";
import type { StoredPolicies } from "./stored-policies.js";

interface LeaderParts {
  readonly connection: Connection;
  readonly identity: string;
  readonly live: LiveEngine;
  readonly stored: StoredPolicies;
  readonly reports: NodeReports;
  readonly guarantees: KnownGuarantees;
  /** Decides guarantees, in a thread of its own. */
  readonly judge: Pick<Judge, "ask">;
  readonly metrics: ControllerMetrics;
  readonly log: Logger;
}

/** Milliseconds. A new version of a policy waits this long for its proofs, so that everything is written together. */
const longestWait = 300;
/** Milliseconds after which everything is checked in any case. */
const lookAtAll = 5000;
/** Milliseconds. Guarantees are decided again when policies change; what they assume may also depend on pods. */
const decideAll = 60_000;
/** Milliseconds. After an edit a thousand agents report within seconds, and each report is about all policies. */
const reportsTogether = { quiet: 50, longest: 250 };

/** Milliseconds. What changes together is proven together. */
const changesTogether = { quiet: 50, longest: 50 };
/** How long proofs pause, in multiples of the time they took: users wait for them after an edit; pods come and go all the time. */
const restAfter = { edit: 1, churn: 4 } as const;
/** Milliseconds of one analysis for questions about every cluster: while it runs, the engine takes no changes. */
const timeForEveryCluster = 250;

/** The work of the leader: writes conditions and Events about the policies and guarantees of the cluster. */
export class LeaderWork {
  private readonly conditions: PolicyConditions;
  private readonly guarantees = new GuaranteeConditions();
  private readonly proofs = new Delivery(() => this.decide(), changesTogether);
  private situation: Situation | undefined;
  private readonly writer: StatusWriter;
  private readonly events: Events;
  private readonly overridings: Overridings;
  private readonly analysis = new Delivery(() => this.analyse(), changesTogether);
  private readonly reports = new Delivery(() => this.checkAll(), reportsTogether);
  private asked:
    | (Pick<Engine, "tiers"> & Pick<Engine["cluster"], "cidrGroups"> & { readonly questions: RuleQuestions })
    | undefined;
  /** When versions of policies were first seen whose conditions are still to be written. */
  private readonly unwritten = new Map<string, { readonly generation: number; readonly since: number }>();

  constructor(
    private readonly parts: LeaderParts,
    private readonly leadership: Leadership,
  ) {
    const { connection, identity, stored, reports, metrics, log } = parts;
    this.conditions = new PolicyConditions(stored, reports);
    this.events = new Events(connection, identity, leadership, (reason, result, message) => {
      metrics.events.inc({ reason, result });
      if (message !== undefined) log.warn({ reason }, `an event was not written: ${message}`);
    });
    this.overridings = new Overridings(stored, (event) => this.events.add(event));
    this.writer = new StatusWriter(connection, stored, (uid) => this.wantedFor(uid), leadership, {
      onWritten: (wanted, before, after) => this.written(wanted, before, after),
      onFailed: (policy, message) => {
        metrics.statusWrites.inc({ result: "failed" });
        log.warn({ policy: formatPolicy(policy) }, `its conditions were not written: ${message}`);
      },
    });
    const timer = setInterval(() => this.checkAll(), lookAtAll);
    const proofTimer = setInterval(() => this.proofs.request(restAfter.churn), decideAll);
    leadership.signal.addEventListener(
      "abort",
      () => {
        clearInterval(timer);
        clearInterval(proofTimer);
        void this.proofs.stop();
        void this.analysis.stop();
        void this.reports.stop();
      },
      { once: true },
    );
  }

  /** Resolves when nothing is being proven: until then, the engine must take no other situation. */
  async untilProven(): Promise<void> {
    await this.analysis.idle();
  }

  /** The engine has another situation. */
  changed(situation: Situation): void {
    const { unwritten, conditions, writer } = this;
    const { foreignMessage: before } = conditions;
    const fresh = conditions.take(situation);
    // It is on every policy.
    if (conditions.foreignMessage !== before) this.checkAll();
    for (const { stored } of fresh) {
      const { uid, generation } = stored!;
      if (unwritten.get(uid)?.generation !== generation)
        unwritten.set(uid, { generation, since: situation.since });
      writer.check(uid, longestWait);
    }
    for (const uid of unwritten.keys()) if (!conditions.has(uid)) unwritten.delete(uid);
    writer.forget((uid) => !this.has(uid));
    const rest = fresh.length > 0 ? restAfter.edit : restAfter.churn;
    this.analysis.request(rest);
    if (this.situation === undefined || !isSameForGuarantees(this.situation, situation))
      this.proofs.request(rest);
    this.situation = situation;
  }

  /** A guarantee came, changed, or is gone. */
  guaranteeChanged(): void {
    this.proofs.request(restAfter.edit);
  }

  private has(uid: string): boolean {
    return this.conditions.has(uid) || this.guarantees.has(uid);
  }

  private wantedFor(uid: string): Wanted | undefined {
    return this.conditions.wantedFor(uid) ?? this.guarantees.wantedFor(uid);
  }

  private get uids(): readonly string[] {
    return [...this.conditions.uids, ...this.guarantees.uids];
  }

  /** One after the other: the thread that decides them has other work in between. */
  private async decide(): Promise<void> {
    const { guarantees, judge, metrics } = this.parts;
    for (const { key } of guarantees.all) {
      const guarantee = guarantees.get(key);
      const answer = guarantee && (await judge.ask({ what: "holds", key }));
      if (!this.leadership.holds()) return;
      if (guarantee === undefined || answer === undefined) continue;
      this.guarantees.decided(guarantee, answer);
      this.writer.check(guarantee.stored.uid);
    }
    this.guarantees.keep(guarantees.all);
    metrics.guarantees.reset();
    for (const uid of this.guarantees.uids) {
      const { policy, conditions } = this.guarantees.wantedFor(uid)!;
      const { status } = conditions[0]!;
      if (status !== "Unknown") metrics.guarantees.set({ guarantee: policy.name }, status === "True" ? 1 : 0);
    }
    this.count();
  }

  /** A policy or a guarantee was written, perhaps by us. */
  stored(uid: string): void {
    if (this.has(uid)) this.writer.check(uid, longestWait);
  }

  /** A report of an agent changed. */
  reported(): void {
    this.reports.request();
  }

  private checkAll(): void {
    for (const uid of this.uids) this.writer.check(uid);
    this.count();
  }

  private async analyse(): Promise<void> {
    const { engine } = this.parts.live;
    if (engine === undefined) return;
    const end = this.parts.metrics.analysis.startTimer();
    const questions = this.questionsAbout(engine);
    const steps = proveInSteps(engine, { questions, budget: () => budgetFor(timeForEveryCluster) });
    const proofs = await inSteps(steps, this.leadership.signal);
    if (proofs === undefined) return;
    // The rest is asked next time: until then it is reported for this cluster.
    if (proofs.undecided.every((rule) => questions.isAnswered(rule))) questions.forgetFormulas();
    else this.analysis.request(restAfter.churn);
    const findings = findingsFrom(proofs);
    end();
    // Before the conditions, which mark that the Events of a version are written.
    this.overridings.report(findings.overridden);
    this.conditions.find(findings);
    this.checkAll();
  }

  /** What holds in every cluster stays while policies do, whatever happens to pods. */
  private questionsAbout({ tiers, cluster: { cidrGroups } }: Engine): RuleQuestions {
    const known = this.asked;
    if (known?.tiers === tiers && known.cidrGroups === cidrGroups) return known.questions;
    const questions = new RuleQuestions(tiers, cidrGroups);
    this.asked = { tiers, cidrGroups, questions };
    return questions;
  }

  private count(): void {
    const { conditions: gauge } = this.parts.metrics;
    gauge.reset();
    for (const uid of this.uids)
      for (const { type, status } of this.wantedFor(uid)?.conditions ?? []) gauge.inc({ type, status });
  }

  private written(
    { policy }: Wanted,
    before: readonly StoredCondition[],
    after: readonly StoredCondition[],
  ): void {
    const { metrics, log } = this.parts;
    metrics.statusWrites.inc({ result: "written" });
    const { uid, generation } = policy.stored!;
    const waiting = this.unwritten.get(uid);
    if (waiting?.generation === generation) {
      metrics.statusLag.observe((performance.now() - waiting.since) / 1000);
      this.unwritten.delete(uid);
    }
    for (const condition of after) {
      if (!isNews(before, condition)) continue;
      const { type, status, reason, message } = condition;
      log.info({ policy: formatPolicy(policy), type, status, reason }, message);
      this.events.add({
        regarding: policy,
        type: isBad(condition) ? "Warning" : "Normal",
        reason,
        action: type,
        note: message,
        occasion: condition.lastTransitionTime,
      });
    }
  }
}

/** Whether what guarantees depend on is the same, except for pods, which come and go all the time. */
function isSameForGuarantees(a: Situation, b: Situation): boolean {
  return (
    a.tiers === b.tiers &&
    a.foreign === b.foreign &&
    (["namespaces", "nodes", "cidrGroups"] as const).every((part) => a.cluster[part] === b.cluster[part])
  );
}

/** Whether an Event is written about a condition. What other projects enforce is the same for all policies: none is. */
export function isNews(before: readonly Condition[], condition: Condition): boolean {
  if (condition.type === "ForeignPolicies") return false;
  const known = before.find(({ type }) => type === condition.type);
  return known === undefined ? isBad(condition) : known.status !== condition.status;
}

/** Whether the policy needs an edit; that nodes are not done yet, and what other projects enforce, is no reason for one. */
const isBad = ({ type, status, reason }: Condition): boolean => {
  switch (type) {
    case "Accepted":
      return status === "False";
    case "Conflicted":
    case "Shadowed":
      return status === "True";
    case "Holds":
      return status === "False" || reason === "Vacuous" || reason === "Invalid";
    case "Programmed":
    case "ForeignPolicies":
      return false;
  }
};
