import { ClusterSource, connect, type KindHealth, type SituationSource } from "@tierwall/kube";
import type { Logger } from "pino";
import type { SourceOptions } from "../agent-options.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import type { AgentMetrics } from "../see/metrics.js";
import type { SourceStatus } from "../see/status.js";
import { FileSource } from "../source/file-source.js";

export interface OpenSource {
  readonly source: SituationSource;
  readonly status: () => readonly SourceStatus[];
}

/** Where the state of the cluster comes from, by the options; whether it can be reached shows later. */
export function openSource(
  options: SourceOptions,
  log: Logger,
  metrics: AgentMetrics,
): Promise<Outcome<OpenSource>> {
  return options.kind === "files" ? openFiles(options, log) : openCluster(options, log, metrics);
}

function openFiles(
  options: Extract<SourceOptions, { kind: "files" }>,
  _log: Logger,
): Promise<Outcome<OpenSource>> {
  const source = new FileSource(options);
  return Promise.resolve(done({ source, status: () => [] }));
}

async function openCluster(
  { kubeconfig, context, state }: Extract<SourceOptions, { kind: "cluster" }>,
  log: Logger,
  metrics: AgentMetrics,
): Promise<Outcome<OpenSource>> {
  const connected = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!connected.ok) return failed(connected.message);
  const restarts = new Map<string, number>();
  const onHealth = (kind: string, health: KindHealth) => {
    metrics.sourceSynced.set({ kind }, isGood(health) ? 1 : 0);
    metrics.watchRestarts.inc({ kind }, health.restarts - (restarts.get(kind) ?? 0));
    restarts.set(kind, health.restarts);
    const said = { kind, state: health.state };
    if (isGood(health)) log.info(said, "watching");
    else log.warn(said, health.message ?? "not known yet");
  };
  const source = new ClusterSource(connected.connection, { ...state, onHealth });
  return done({ source, status: () => [...source.health()].map(statusOf) });
}

/** A kind that the cluster does not serve has no objects, and that is known. */
const isGood = ({ state }: KindHealth): boolean => state === "synced" || state === "missing";

function statusOf([what, health]: readonly [string, KindHealth]): SourceStatus {
  const { state, message, lastEvent } = health;
  return {
    what,
    ok: isGood(health),
    state: message === undefined ? state : `${state}: ${message}`,
    ...(lastEvent === undefined ? {} : { lastChange: new Date(lastEvent).toISOString() }),
  };
}
