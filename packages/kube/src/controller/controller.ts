import type { LiveOptions } from "@tierwall/core/state";
import type { Logger } from "pino";
import type { ClusterListing } from "../cluster/cluster-listing.js";
import { ClusterSource, type Follower } from "../cluster/cluster-source.js";
import type { Connection, ConnectionOptions } from "../cluster/connection.js";
import { controllerKinds, namesOfForeign } from "../cluster/foreign-kinds.js";
import type { MetricsCommand } from "../http/metrics-server.js";
import { policyKinds, resourceOf } from "../cluster/kinds.js";
import { HealthLog } from "../service/health-log.js";
import type { Situation } from "../cluster/situation.js";
import type { ClientOptions } from "../webhook/client-authority.js";
import type { Judge } from "../webhook/analyst-thread.js";
import type { WebhookOptions } from "../webhook/webhook.js";
import type { ControllerMetrics } from "./controller-metrics.js";
import { KnownGuarantees } from "./guarantee-conditions.js";
import { LeaderElection, type Leadership } from "./leader-election.js";
import { LeaderWork } from "./leader-work.js";
import { LiveEngine } from "./live-engine.js";
import { NodeReports } from "./node-reports.js";
import { StoredPolicies } from "./stored-policies.js";

interface ControllerOptions {
  /** The namespace of the Leases, of the replicas and of the agents. */
  readonly namespace: string;
  /** The name of this replica. */
  readonly identity: string;
  /** How long a leader that does not renew its Lease stays the leader; milliseconds. */
  readonly leaseDuration: number;
  /** What no object of the cluster contains. */
  readonly state: Omit<LiveOptions, "provenance">;
  /** Whether `listing` can be asked. */
  readonly keepsObjects?: boolean;
  /** Is given every object, on every replica, and decides guarantees. */
  readonly analyst: Follower & Pick<Judge, "ask">;
}

/** All options of `tierwall controller`. */
export interface ControllerCommand
  extends Pick<ControllerOptions, "namespace" | "leaseDuration" | "state" | "keepsObjects"> {
  readonly connection: ConnectionOptions;
  readonly services?: readonly StartService[];
  /** Absent: nothing is served. */
  readonly metrics?: MetricsCommand;
  /** Absent: policies are not judged before they are in the cluster. */
  readonly webhook?: Omit<WebhookOptions, "namespace"> & { readonly clients?: ClientOptions };
}

/** Something that runs on every replica, whether it leads or not. */
export interface ControllerService {
  readonly stop: () => Promise<void>;
}

/** Starts one, before the cluster is known; rejects with why it cannot. */
export type StartService = (controller: Controller, log: Logger) => Promise<ControllerService>;

const controllerLease = "tierwall-controller";

/**
 * Keeps the engine of a cluster current on every replica; on the one that leads, writes what follows for its policies.
 *
 *   API server ──► source ──► live engine ──┬─► (others, on every replica)
 *        ▲                                  │
 *        │         stored policies ─────────┤
 *        │         reports of agents ───────┤
 *        │                                  ▼
 *        └── conditions, events ◄──── leader's work
 */
export class Controller {
  readonly live = new LiveEngine();
  private readonly source: ClusterSource;
  private readonly stored: StoredPolicies;
  private readonly guarantees = new KnownGuarantees();
  private readonly reports: NodeReports;
  private readonly election: LeaderElection;
  private readonly health: HealthLog;
  private work: LeaderWork | undefined;
  private foreign: Situation["foreign"] = [];
  /** The policies that the metrics count. */
  private counted: Situation["policies"] | undefined;

  constructor(
    readonly connection: Connection,
    readonly options: ControllerOptions,
    private readonly metrics: ControllerMetrics,
    private readonly log: Logger,
  ) {
    const { namespace, identity, leaseDuration: duration, state, analyst } = options;
    this.health = new HealthLog({
      log,
      metrics,
      meanwhile: "conditions stay as they are",
    });
    this.stored = new StoredPolicies((uid) => this.work?.stored(uid));
    this.source = new ClusterSource(connection, {
      ...state,
      kinds: controllerKinds,
      keepsObjects: options.keepsObjects ?? false,
      onObject: (key, object) => {
        this.stored.saw(key, object);
        if (this.guarantees.saw(key, object)) this.work?.guaranteeChanged();
      },
      onHealth: (kind, health) => this.health.take(kind, health),
      onRestart: (kind) => this.health.restarted(kind),
      follower: analyst,
    });
    this.reports = new NodeReports(connection, namespace, () => this.reported());
    this.election = new LeaderElection(
      connection,
      { namespace, lease: controllerLease, identity, duration },
      {
        onLead: (leadership) => this.lead(leadership),
        onLeader: (leader) => log.info({ leader }, leader === identity ? "leading" : "following"),
        onTrouble: (message) => log.warn(`the leader cannot be determined: ${message}`),
      },
    );
  }

  /** Resolves once the cluster is known. The election starts after that: a replica that does not know the cluster must not write. */
  async start(): Promise<void> {
    this.reports.start();
    await this.source.start((situation) => this.take(situation));
    this.election.start();
  }

  /** All that the cluster holds, of what was kept. */
  listing(): ClusterListing {
    return this.source.listing();
  }

  /** What is still missing; undefined once the cluster is known. */
  get waitingFor(): string | undefined {
    if (this.live.situation !== undefined) return undefined;
    const missing = [...this.source.health()].filter(([, { isKnown }]) => !isKnown);
    const [first] = missing;
    if (first === undefined) return "the first state of the cluster is being compiled";
    const [kind, { message }] = first;
    return `${missing.length} kinds are not listed yet, such as ${kind}${message === undefined ? "" : `: ${message}`}`;
  }

  /** Gives up the lead first, so that another can take it, and nothing is written any more. */
  async stop(): Promise<void> {
    await this.election.stop();
    await this.reports.stop();
    await this.source.stop();
  }

  private async take(situation: Situation): Promise<void> {
    await this.work?.untilProven();
    const end = this.metrics.recompute.startTimer();
    this.live.follow(situation);
    end();
    this.count(situation);
    this.work?.changed(situation);
  }

  private lead(leadership: Leadership): void {
    const { connection, live, stored, reports, guarantees, metrics, log } = this;
    const { identity, analyst: judge } = this.options;
    const parts = { connection, identity, live, stored, reports, guarantees, judge, metrics, log };
    const work = new LeaderWork(parts, leadership);
    this.work = work;
    metrics.leader.set(1);
    leadership.signal.addEventListener(
      "abort",
      () => {
        if (this.work === work) this.work = undefined;
        metrics.leader.set(0);
        metrics.conditions.reset();
        metrics.guarantees.reset();
        log.info("no longer leading");
      },
      { once: true },
    );
    work.changed(live.situation!);
  }

  private reported(): void {
    this.metrics.agents.set(this.reports.all.size);
    this.work?.reported();
  }

  private count({ cluster, policies, foreign }: Situation): void {
    const { metrics } = this;
    this.countForeign(foreign);
    metrics.pods.set(cluster.pods.size);
    metrics.nodes.set(cluster.nodes.size);
    if (policies === this.counted) return;
    this.counted = policies;
    for (const watched of policyKinds) {
      const own = policies.filter(({ group, kind }) => group === watched.group && kind === watched.kind);
      metrics.policies.set({ kind: resourceOf(watched) }, own.length);
    }
  }

  private countForeign(foreign: Situation["foreign"]): void {
    const { metrics, log } = this;
    if (foreign === this.foreign) return;
    const named = (objects: Situation["foreign"]) => namesOfForeign(objects.map(({ kind }) => kind));
    const [before, now] = [named(this.foreign), named(foreign)];
    this.foreign = foreign;
    metrics.foreign.reset();
    for (const { kind } of foreign) metrics.foreign.inc({ group: kind.group, kind: kind.kind });
    if (now === before) return;
    if (now === "") log.info("no policies of other projects are in force any more");
    else log.warn({ foreign: now }, "policies of other projects are in force, and are not evaluated here");
  }
}
