import { release } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "@tierwall/kube";
import type { Logger } from "pino";
import type { Turn } from "../agent.js";
import type { AgentOptions } from "../agent-options.js";
import { NameService } from "../dns/name-service.js";
import { ClusterReach } from "../dns/reach.js";
import { BridgeWatch } from "../node-network/bridges.js";
import { flowtablesInUse } from "../node-network/flowtables.js";
import { ipvsInUse } from "../node-network/ipvs.js";
import { KernelTable, type KernelTableOptions } from "../kernel/kernel-table.js";
import { Nft } from "../kernel/nft.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { supportsReturnPaths } from "../node-network/return-paths.js";
import { elementsText, Enforcement } from "../loop/enforcement.js";
import { Presence, presenceFor } from "../loop/presence.js";
import { markField } from "../ruleset/connection-mark.js";
import type { NodeOptions } from "../ruleset/program.js";
import { connectionsMarked } from "../kernel/tracked-connections.js";
import { NodeProblems } from "../observe/node-problems.js";
import { Observer } from "../observe/observer.js";
import { DnsCounts } from "./dns-counts.js";

/*
 * What a node has once, whoever gives it rules: its table in the kernel, the names its pods learn, and those who watch.
 *
 *   Enforcement ──► KernelTable ◄── counters ── Observer
 *        └────────► NameService ──► elements ──┘
 */
export interface EnforcedNode {
  /** As they were given, but for what its kernel cannot do. */
  readonly options: NodeOptions;
  readonly table: KernelTable;
  readonly enforcement: Enforcement;
  readonly observer: Observer;
  readonly problems: NodeProblems;
  readonly dns: DnsCounts;
  /** Says which settings of the kernel were changed, each once: bridges come with the first pod behind them. */
  logChangedSettings(): void;
  /** Where the pods of the node are, for what depends on it (node-network/bridges.ts). */
  placePods(turn: Pick<Turn, "situation" | "options">): void;
  /** Looks for what others do to packets beside our rules. */
  inspect(): Promise<void>;
  /** The rules stay. */
  close(): Promise<void>;
}

/** How often counters are read, in milliseconds: what metrics are late by, at most. */
const countEvery = 10_000;

/** Prometheus holds this many rules of a node without complaint. */
const mostSeries = 2_000;

/** Takes the table of the node, or says why it cannot be had. */
export async function openNode(
  options: AgentOptions,
  log: Logger,
  callbacks: Pick<KernelTableOptions, "onDrift" | "onTrialEnd"> = {},
): Promise<Outcome<EnforcedNode>> {
  const { connectionMask, localRanges, unknownPodsPassAfter: after } = options.node;
  const ipvs = ipvsInUse();
  if (ipvs !== undefined) return failed(ipvs);
  const bridges = new BridgeWatch(localRanges);
  const always = after === undefined ? {} : { always: presenceFor(after) };
  const opened = await KernelTable.open({
    table: options.table,
    connectionMask,
    bridges: bridges.check,
    onLockChange: (change) =>
      change === "lost"
        ? log.error("the agent's lock was lost: nothing is written to the kernel until it is held again")
        : log.warn("the agent's lock is held again"),
    ...always,
    ...callbacks,
  });
  if (!opened.ok) return opened;
  const table = opened.value;
  try {
    const observer = observerOf(options, log, table);
    await observer.start();
    const able = await supportsReturnPaths(new Nft(), release());
    const ownOptions = able ? options.node : ({ ...options.node, forgedSources: "pass" } as const);
    const presence = after === undefined ? undefined : new Presence(table, after, log);
    await presence?.begin();
    const node = nodeOf({ ...options, node: ownOptions }, log, table, observer, bridges, presence);
    node.logChangedSettings();
    await node.inspect();
    return done(node);
  } catch (cause) {
    await table.close();
    return failed(messageOf(cause));
  }
}

function nodeOf(
  options: AgentOptions,
  log: Logger,
  table: KernelTable,
  observer: Observer,
  bridges: BridgeWatch,
  presence: Presence | undefined,
): EnforcedNode {
  const dns = new DnsCounts(observer.metrics, log);
  const reach = new ClusterReach(options.node.node);
  const names = new NameService({
    reach,
    write: async (changes) => {
      const written = await table.changeElements((one) => elementsText(changes, one));
      return written.ok ? undefined : written.message;
    },
    onEvent: (event) => dns.take(event),
    nameBit: markField(options.node.connectionMask).byName,
  });
  const told = new Set<string>();
  const problems = new NodeProblems(log, observer.metrics.nodeProblem);
  const nft = new Nft();
  return {
    options: options.node,
    table,
    observer,
    problems,
    dns,
    logChangedSettings: () => {
      for (const setting of table.changedSettings)
        if (!told.has(setting))
          log.warn(`${setting} was set to 1: packets between pods on one bridge are judged only then`);
      for (const setting of table.changedSettings) told.add(setting);
      problems.report("bridges", bridges.warning);
    },
    placePods: ({ situation, options: { node, localRanges, rangesDoubted } }) => {
      const local = [...situation.cluster.pods.values()].filter(
        (pod) => pod.node === node && !pod.hostNetwork,
      );
      bridges.pods = {
        addresses: local.flatMap(({ addresses }) => addresses),
        ranges: rangesDoubted === true ? [] : localRanges,
      };
    },
    inspect: async () => {
      problems.report("ipvs", ipvsInUse());
      const flowtables = await flowtablesInUse(nft);
      // While they cannot be listed, what was found last stays reported.
      if (flowtables.ok) problems.report("flowtables", flowtables.value);
    },
    enforcement: new Enforcement({ table, names, reach, dnsServers: options.dnsServers }),
    close: async () => {
      presence?.end();
      await names.stop();
      await observer.stop();
      await table.close();
    },
  };
}

function observerOf(options: AgentOptions, log: Logger, table: KernelTable): Observer {
  const { node, auditLog, stateFolder, control } = options;
  return new Observer({
    node: node.node,
    shadow: node.shadow,
    stateFile: join(stateFolder, "hits.json"),
    readCounters: async () => table.counters(),
    every: countEvery,
    series: mostSeries,
    ...(auditLog === undefined || node.log === undefined
      ? {}
      : { audit: { log: auditLog, group: node.log.group, folder: join(dirname(control), "ulogd") } }),
    cut: {
      list: () => connectionsMarked(markField(node.connectionMask).denied),
      onCut: (connections, more) => {
        for (const { at: _, ...connection } of connections)
          log.info(connection, "an established connection was cut: the rules do not allow it any more");
        if (more > 0) log.info({ more }, "more established connections were cut");
      },
    },
    onTrouble: (message) => log.warn(message),
  });
}
