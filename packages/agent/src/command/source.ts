import type { Diagnostic } from "@tierwall/core";
import type { ForeignKind, JsonObject } from "@tierwall/core/manifest";
import {
  ClusterSource,
  connect,
  type Connection,
  type ForeignApiTimes,
  ForeignApiWatch,
  isReadable,
  type KindHealth,
  listAt,
  namesOfForeign,
  type SituationSource,
  textAt,
} from "@tierwall/kube";
import { HealthLog } from "@tierwall/kube/service";
import type { Logger } from "pino";
import type { SourceOptions } from "../agent-options.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import type { AgentMetrics } from "../observe/metrics.js";
import type { SourceStatus } from "../observe/status.js";
import { FileSource } from "../source/file-source.js";

export interface OpenSource {
  readonly source: SituationSource;
  /** The connection to the cluster; absent for files. */
  readonly cluster?: { readonly connection: Connection; readonly namespace: string };
  readonly status: () => readonly SourceStatus[];
}

/** The source of the cluster's state that the options select. It is not contacted yet. */
export async function openSource(
  options: SourceOptions,
  log: Logger,
  metrics: AgentMetrics,
  { onErrors = () => undefined, onNode = () => undefined }: SourceHooks = {},
): Promise<Outcome<OpenSource>> {
  return options.kind === "files"
    ? done(openFiles(options, log, metrics, onErrors))
    : openCluster(options, log, metrics, onNode);
}

interface SourceHooks {
  /** Called when files have errors. */
  readonly onErrors?: OnErrors;
  /** Called when a Node of a cluster was read, which can be long before the first situation. */
  readonly onNode?: OnNode;
}

type OnNode = (name: string, podRanges: readonly string[]) => void;

type FileOptions = Extract<SourceOptions, { kind: "files" }>;
type OnErrors = (errors: readonly Diagnostic[]) => void;

/** If files have errors, the errors are logged and the last valid state stays in force. */
function openFiles(
  { paths, recursive, state }: FileOptions,
  log: Logger,
  metrics: AgentMetrics,
  onErrors: OnErrors,
): OpenSource {
  let errors: readonly Diagnostic[] = [];
  metrics.sourceSynced.set({ kind: "files" }, 1);
  const source = new FileSource({
    ...state,
    paths,
    recursive,
    onErrors: (found) => {
      errors = found;
      metrics.sourceSynced.set({ kind: "files" }, found.length === 0 ? 1 : 0);
      for (const { code, message, place } of found.slice(0, mostErrors))
        log.error({ code }, `${placeText(place)}${message}`);
      if (found.length > 0)
        log.error(
          { errors: found.length },
          "the files have errors; the kernel keeps the current rules until they are fixed",
        );
      else log.info("the errors in the files are fixed");
      onErrors(found);
    },
  });
  const status = () => [{ what: paths.join(", "), ok: errors.length === 0, state: filesState(errors) }];
  return { source, status };
}

/** More errors are usually one mistake in many places. */
const mostErrors = 20;

function filesState(errors: readonly Diagnostic[]): string {
  const [first] = errors;
  if (first === undefined) return "watched";
  const others = errors.length - 1;
  const more = others === 0 ? "" : `, and ${others} more ${others === 1 ? "error" : "errors"}`;
  return `${placeText(first.place)}${first.message}${more}`;
}

const placeText = (place: Diagnostic["place"]): string =>
  place === undefined ? "" : `${place.file}:${place.line}: `;

async function openCluster(
  { kubeconfig, context, namespace, state }: Extract<SourceOptions, { kind: "cluster" }>,
  log: Logger,
  metrics: AgentMetrics,
  onNode: OnNode,
): Promise<Outcome<OpenSource>> {
  const connected = await connect({
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  if (!connected.ok) return failed(connected.message);
  const health = new HealthLog({
    log,
    metrics,
    meanwhile: "the kernel keeps the current rules",
  });
  const { connection } = connected;
  const onObject = (_key: string, object: JsonObject | undefined) => {
    if (object?.kind === "Node") reportNode(object, onNode);
  };
  const source = new ClusterSource(connection, {
    ...state,
    onHealth: (kind, found) => health.take(kind, found),
    onRestart: (kind) => health.restarted(kind),
    onObject,
  });
  const foreign = new ServedForeignApis(connection, log, metrics);
  return done({
    source: {
      start: async (onSituation) => {
        foreign.watch.start();
        await source.start(onSituation);
      },
      stop: async () => {
        await foreign.watch.stop();
        await source.stop();
      },
    },
    cluster: { connection, namespace },
    status: () => [...[...source.health()].map(statusOf), ...foreign.status()],
  });
}

function reportNode(node: JsonObject, onNode: OnNode): void {
  const all = listAt(node, "spec", "podCIDRs").filter((range) => typeof range === "string");
  onNode(textAt(node, "metadata", "name"), all.length > 0 ? all : [textAt(node, "spec", "podCIDR")]);
}

function statusOf([what, health]: readonly [string, KindHealth]): SourceStatus {
  const { state, message, since, lastEvent } = health;
  const begun = since === undefined ? "" : ` since ${new Date(since).toISOString()}`;
  return {
    what,
    ok: isReadable(health),
    state: message === undefined ? state : `${state}${begun}: ${message}`,
    ...(lastEvent === undefined ? {} : { lastChange: new Date(lastEvent).toISOString() }),
  };
}

type Log = Pick<Logger, "info" | "warn">;

/**
 * Reports the policy APIs of other projects that the cluster serves. An agent enforces only the APIs that Tierwall evaluates. It
 * does not read the objects of the others, which would be a load with a thousand agents.
 */
export class ServedForeignApis {
  /** The caller starts and stops it. */
  readonly watch: ForeignApiWatch;
  private served: readonly ForeignKind[] = [];
  private trouble: string | undefined;

  constructor(
    connection: Connection,
    private readonly log: Log,
    private readonly metrics: Pick<AgentMetrics, "foreignApis">,
    times?: ForeignApiTimes,
  ) {
    const listener = {
      onServed: (kinds: readonly ForeignKind[]) => this.take(kinds),
      onTrouble: (message: string) => {
        this.trouble = message;
        log.warn(`cannot find out which policy APIs of other projects the cluster serves: ${message}`);
      },
    };
    this.watch = new ForeignApiWatch(connection, listener, times);
  }

  /** Empty if there is nothing to report. */
  status(): readonly SourceStatus[] {
    const what = "policy APIs of other projects";
    if (this.trouble !== undefined) return [{ what, ok: false, state: `not known: ${this.trouble}` }];
    if (this.served.length === 0) return [];
    return [{ what, ok: true, state: `${namesOfForeign(this.served)}; their policies apply in addition` }];
  }

  private take(kinds: readonly ForeignKind[]): void {
    const { log, metrics } = this;
    const before = namesOfForeign(this.served);
    this.served = kinds;
    this.trouble = undefined;
    metrics.foreignApis.reset();
    for (const { group, kind } of kinds) metrics.foreignApis.set({ group, kind }, 1);
    const now = namesOfForeign(kinds);
    if (now === before) return;
    if (now !== "")
      log.info(
        { foreign: now },
        "the cluster serves policy APIs of other projects; their policies apply in addition, and this agent does not enforce them",
      );
    else log.info("the cluster no longer serves policy APIs of other projects");
  }
}
