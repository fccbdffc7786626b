import type { JsonObject } from "@tierwall/core/manifest";
import { type Connection, messageOf } from "../cluster/connection.js";
import { jsonRequest, refusalIn } from "../cluster/json-request.js";
import { pause } from "../timing/pause.js";
import { type NodeCleanup, nodeCleanup, type ObservedCleanup } from "./node-cleanup.js";
import { objectsAt } from "../cluster/object-fields.js";

interface ClusterCleanup {
  readonly connection: Connection;
  readonly namespace: string;
  /** The DaemonSets of the agents, and of what cleans up after them. */
  readonly agents: string;
  readonly cleanup: string;
  readonly timeoutMilliseconds: number;
  readonly report: (line: string) => void;
}

/**
 * Stops the agents of a cluster, waits until nothing of theirs is left in the kernels of its nodes, and removes the
 * DaemonSet that saw to it. Whether that is so; nodes that are down are reported, and do not count.
 *
 *   agents' DaemonSet deleted ──► its pods end ──► cleanup pods are scheduled ──► Ready on every node ──► deleted
 */
export async function cleanUpCluster(options: ClusterCleanup): Promise<boolean> {
  const { timeoutMilliseconds, report } = options;
  const deadline = AbortSignal.timeout(timeoutMilliseconds);
  let reported = "";
  let trouble = "the cluster has not started the cleanup on its nodes";
  while (!deadline.aborted) {
    try {
      await remove(options, options.agents);
      const found = nodeCleanup(await observed(options));
      if (found !== undefined && found.pending.size === 0) return await finish(options, found);
      if (found !== undefined) trouble = pendingText(found);
    } catch (cause) {
      if (cause instanceof Refusal) {
        report(cause.message);
        return false;
      }
      trouble = messageOf(cause);
    }
    if (trouble !== reported) report(`waiting: ${trouble}`);
    reported = trouble;
    await pause(1000, deadline);
  }
  report(`rules of Tierwall may be left in kernels: ${trouble}`);
  return false;
}

const pendingText = ({ pending }: NodeCleanup): string =>
  Array.from(pending, ([node, why]) => `node ${node}: ${why}`).join("; ");

async function finish(options: ClusterCleanup, { clean, unreachable }: NodeCleanup): Promise<boolean> {
  const { report, cleanup } = options;
  report(`nothing of Tierwall is left in the kernels of ${clean.length} nodes: ${clean.join(", ")}`);
  for (const node of unreachable)
    report(`node ${node} is not Ready: rules may be left in its kernel until it is started again`);
  if (unreachable.length === 0) await remove(options, cleanup);
  else
    report(`the DaemonSet ${cleanup} stays, to clean up these nodes when they return; delete it after that`);
  return true;
}

/** Trying again would not help. */
class Refusal extends Error {}

const daemonSets = ({ namespace }: ClusterCleanup): string =>
  `/apis/apps/v1/namespaces/${namespace}/daemonsets`;

async function remove(options: ClusterCleanup, name: string): Promise<void> {
  const answer = await jsonRequest(options.connection, {
    method: "DELETE",
    path: `${daemonSets(options)}/${name}?propagationPolicy=Background`,
  });
  if (answer.status >= 300 && answer.status !== 404) refuse(answer.status, refusalIn(answer));
}

async function observed(options: ClusterCleanup): Promise<ObservedCleanup> {
  const { cleanup, namespace } = options;
  const daemonSet = await get(options, `${daemonSets(options)}/${cleanup}`);
  const [pods, nodes] = await Promise.all([
    get(options, `/api/v1/namespaces/${namespace}/pods`),
    get(options, "/api/v1/nodes"),
  ]);
  return { daemonSet, pods: objectsAt(pods, "items"), nodes: objectsAt(nodes, "items") };
}

async function get({ connection }: ClusterCleanup, path: string): Promise<JsonObject> {
  const answer = await jsonRequest(connection, { path });
  if (answer.status !== 200) refuse(answer.status, refusalIn(answer));
  return answer.body;
}

function refuse(status: number, message: string): never {
  if (status === 404)
    throw new Refusal(`${message}; \`tierwall manifests --cleanup | kubectl apply -f -\` creates it`);
  if (status === 401 || status === 403) throw new Refusal(message);
  throw new Error(message);
}
