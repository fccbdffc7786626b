import type { Outcome } from "../kernel/outcome.js";
import { ago } from "../observe/hits.js";
import type { NodeProblem } from "../observe/node-problems.js";
import type { AgentStatus } from "../observe/status.js";
import { failure, type Found, ok, unknown, warning } from "./finding.js";

/** Whether the agent of the node works, as it says itself. */
export function runningAgent(answer: Outcome<AgentStatus>): Found {
  if (!answer.ok)
    return failure(
      answer.message,
      "start the agent; until then the kernel keeps the rules of the last one, if there are any",
    );
  const { failing, shadow, pods, since, at, rules, lastApply } = answer.value;
  if (failing !== undefined) return failure(`the kernel does not have the latest rules: ${failing}`);
  if (lastApply === undefined)
    return failure("no rules are in the kernel yet", "see `tierwall agent status` for what it waits for");
  if (shadow)
    return warning("shadow mode: nothing is denied", "restart the agent without --shadow to enforce");
  if (pods.waiting > 0)
    return warning(`${pods.waiting} of ${pods.waiting + pods.programmed} pods have no rules yet`);
  const now = Date.parse(at);
  return ok(
    `up ${ago(since, now)}, ${rules} rules for ${pods.programmed} pods, last written ${ago(lastApply.at, now)} ago`,
  );
}

/** Whether the agent knows the present state of the cluster, and how old the last news of it is. */
export function synchronisation(answer: Outcome<AgentStatus>): Found {
  if (!answer.ok) return unknown("not known without a running agent");
  const { source, at } = answer.value;
  const bad = source.filter((one) => !one.ok);
  if (bad.length > 0)
    return failure(
      `not synced: ${bad.map(({ what, state }) => `${what} (${state})`).join(", ")}`,
      "check the ClusterRole of the agent and whether the node reaches the API server",
    );
  const changes = source.flatMap(({ lastChange }) =>
    lastChange === undefined ? [] : [Date.parse(lastChange)],
  );
  if (changes.length === 0) return ok("synced, no change since the agent started");
  return ok(`synced, last change ${ago(new Date(Math.max(...changes)).toISOString(), Date.parse(at))} ago`);
}

/** Whether pods have the addresses that the agent expects on this node. */
export function podRange(answer: Outcome<AgentStatus>): Found {
  return problemFound(answer, ["pod-range", "shared-addresses"], "pods agree with the pod range of the node");
}

function problemFound(
  answer: Outcome<AgentStatus>,
  kinds: readonly NodeProblem["kind"][],
  good: string,
): Found {
  if (!answer.ok) return unknown("not known without a running agent");
  const found = answer.value.problems?.filter(({ kind }) => kinds.includes(kind)) ?? [];
  if (found.length === 0) return ok(good);
  return warning(found.map(({ message }) => message).join("; "));
}
