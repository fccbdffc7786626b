import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { nodeCleanup } from "./node-cleanup.js";

const condition = (status: string) => ({ conditions: [{ type: "Ready", status }] });
const node = (name: string, status = "True"): JsonObject => ({
  metadata: { name },
  status: condition(status),
});
const daemonSet = (desiredNumberScheduled: number, observedGeneration = 1): JsonObject => ({
  metadata: { uid: "cleanup", generation: 1 },
  status: { desiredNumberScheduled, observedGeneration },
});
const pod = (name: string, status: JsonObject, uid = "cleanup", more: JsonObject = {}): JsonObject => ({
  metadata: { ownerReferences: [{ uid }], ...more },
  spec: { nodeName: name },
  status,
});
const unscheduled = (name: string): JsonObject => ({
  metadata: { ownerReferences: [{ uid: "cleanup" }] },
  spec: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }],
        },
      },
    },
  },
});
const waiting = (reason: string): JsonObject => ({
  initContainerStatuses: [{ state: { waiting: { reason } } }],
  containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
});

interface Row {
  readonly title: string;
  readonly daemonSet?: JsonObject;
  readonly pods: readonly JsonObject[];
  readonly nodes?: readonly JsonObject[];
  readonly found: object | undefined;
}

describe("the cleanup of nodes", () => {
  it.each<Row>([
    {
      title: "is not known before its controller has seen it",
      daemonSet: daemonSet(0, 0),
      pods: [],
      found: undefined,
    },
    {
      title: "is not known before every node has a pod",
      pods: [pod("a", condition("True"))],
      found: undefined,
    },
    {
      title: "is complete on nodes whose pod is Ready",
      pods: [pod("b", condition("True")), pod("a", condition("True"))],
      found: { clean: ["a", "b"], unreachable: [], pending: new Map() },
    },
    {
      title: "does not count a pod that is being deleted, or that of another DaemonSet",
      pods: [
        pod("a", condition("True"), "cleanup", { deletionTimestamp: "now" }),
        pod("b", condition("True"), "x"),
      ],
      found: undefined,
    },
    {
      title: "waits for the agent of a node to end",
      pods: [
        unscheduled("a"),
        pod("a", condition("True"), "agents", { labels: { "app.kubernetes.io/component": "agent" } }),
        pod("b", condition("True")),
      ],
      found: { clean: ["b"], unreachable: [], pending: new Map([["a", "its agent has not ended yet"]]) },
    },
    {
      title: "waits for no node that is down, and names it",
      pods: [unscheduled("a"), pod("b", condition("True"))],
      nodes: [node("a", "Unknown"), node("b")],
      found: { clean: ["b"], unreachable: ["a"], pending: new Map() },
    },
    {
      title: "counts a node that went down after it was cleaned",
      pods: [pod("a", condition("True")), pod("b", condition("True"))],
      nodes: [node("a", "Unknown"), node("b")],
      found: { clean: ["a", "b"], unreachable: [], pending: new Map() },
    },
    {
      title: "names what keeps a pod from starting",
      pods: [pod("a", waiting("ErrImagePull")), pod("b", {})],
      found: {
        clean: [],
        unreachable: [],
        pending: new Map([
          ["a", "ErrImagePull"],
          ["b", "its pod has not been started yet"],
        ]),
      },
    },
  ])("$title", ({ daemonSet: set = daemonSet(2), pods, nodes = [node("a"), node("b")], found }) => {
    expect(nodeCleanup({ daemonSet: set, pods, nodes })).toEqual(found);
  });
});
