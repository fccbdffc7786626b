import { release } from "node:os";
import { dirname, join } from "node:path";
import { messageOf } from "@tierwall/kube";
import type { Logger } from "pino";
import type { Turn } from "../agent.js";
import type { AgentOptions } from "../agent-options.js";
import { NameService } from "../dns/name-service.js";
import { ClusterReach } from "../dns/reach.js";
import { BridgeWatch } from "../node-network/bridges.js";
import { flowtablesInUse, ipvsInUse } from "../node-network/other-programs.js";
import { KernelTable, type KernelTableOptions } from "../kernel/kernel-table.js";
import { Nft } from "../kernel/nft.js";
import { done, failed, type Outcome } from "../kernel/outcome.js";
import { supportsReturnPaths } from "../node-network/return-paths.js";
import { elementsText, Enforcement } from "../loop/enforcement.js";
import { Presence, presenceFor } from "../loop/presence.js";
import { markField } from "../ruleset/connection-mark.js";
import type { NodeOptions } from "../ruleset/program.js";
import { connectionsMarked } from "../kernel/conntrack.js";
import { NodeProblems } from "../observe/node-problems.js";
import { Observer } from "../observe/observer.js";
import { DnsCounts } from "../dns/event.js";

/*
 * The parts that exist once per node, for `tierwall agent` and for `agent apply`: the table in the kernel, the domain names
 * that its pods resolve, and the observer.
 *
 *   Enforcement ──► KernelTable ◄── counters ── Observer
 *        └────────► NameService ──► elements ──┘
 */
export interface EnforcedNode {
  /** As given, except for what the kernel of the node does not support. */
  readonly options: NodeOptions;
  readonly table: KernelTable;
  readonly enforcement: Enforcement;
  readonly observer: Observer;
  readonly problems: NodeProblems;
  readonly dns: DnsCounts;
  /** Logs which settings of the kernel were changed, each once. A bridge appears with its first pod. */
  logChangedSettings(): void;
  /** Sets where the pods of the node are, for the check of bridges (node-network/bridges.ts). */
  placePods(turn: Pick<Turn, "situation" | "options">): void;
  /** Looks for other programs whose settings let packets bypass the rules. */
  inspect(): Promise<void>;
  /** The rules stay. */
  close(): Promise<void>;
}

/** How often counters are read, in milliseconds. Metrics are at most this old. */
const countEvery = 10_000;

/** As many rules per node get their own series in Prometheus. */
const mostSeries = 2_000;

/** Opens the table of the node. Fails with the reason if that is impossible. */
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
        ? log.error("the agent lost its lock: it writes nothing to the kernel until it has the lock again")
        : log.warn("the agent has its lock again"),
    ...always,
    ...callbacks,
  });
  if (!opened.ok) return opened;
  const table = opened.value;
  try {
    const observer = observerOf(options, log, table);
    await observer.start();
    const isSupported = await supportsReturnPaths(new Nft(), release());
    const ownOptions = isSupported ? options.node : ({ ...options.node, forgedSources: "pass" } as const);
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
  const logged = new Set<string>();
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
        if (!logged.has(setting))
          log.warn(`set ${setting} to 1: without it, packets between pods on one bridge bypass the rules`);
      for (const setting of table.changedSettings) logged.add(setting);
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
      // If they cannot be listed, the last result stays reported.
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
          log.info(connection, "cut an established connection that the rules no longer allow");
        if (more > 0) log.info({ more }, "cut more established connections");
      },
    },
    onTrouble: (message) => log.warn(message),
  });
}
