import { readCluster } from "@tierwall/core";
import { describe, expect, it } from "vitest";
import { ProgrammingWindow } from "./programming-window.js";

const pod = (name: string, address: string, node = "n1", more = "") => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop}
spec: {nodeName: ${node}${more}}
status: {phase: Running, podIP: ${address}, podIPs: [{ip: ${address}}]}
---`;

const cluster = (...pods: readonly string[]) => readCluster([{ file: "pods.yaml", text: pods.join("\n") }]);

describe("the window in which a pod has an address and no rules", () => {
  it("lasts from the change in which the pod was first seen to the write that holds it", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(pod("a", "10.0.0.1")), 1_000);
    window.seen(cluster(pod("a", "10.0.0.1"), pod("b", "10.0.0.2")), 1_500);
    expect(window.waiting).toBe(2);
    expect(window.reached(1_600, true)).toEqual([600, 100]);
    expect([window.waiting, window.programmed]).toEqual([0, 2]);
  });

  it("is not measured twice for one pod", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(pod("a", "10.0.0.1")), 1_000);
    window.reached(1_100, true);
    window.seen(cluster(pod("a", "10.0.0.1")), 2_000);
    expect(window.reached(2_100, true)).toEqual([]);
  });

  it("does not exist for pods that the kernel held already when the agent started", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(pod("a", "10.0.0.1")), 1_000);
    expect(window.reached(1_100, false)).toEqual([]);
    expect(window.programmed).toBe(1);
  });

  it("begins again when a pod of the same name has another address", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(pod("a", "10.0.0.1")), 1_000);
    window.reached(1_100, true);
    window.seen(cluster(pod("a", "10.0.0.9")), 2_000);
    expect(window.reached(2_050, true)).toEqual([50]);
    expect(window.programmed).toBe(1);
  });

  it.each([
    ["pods of other nodes", pod("a", "10.0.0.1", "n2")],
    ["pods in the network of the node", pod("a", "10.0.0.1", "n1", ", hostNetwork: true")],
  ])("is not about %s", (_, other) => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(other), 1_000);
    expect(window.waiting).toBe(0);
  });

  it("forgets pods that are gone before they were programmed", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(pod("a", "10.0.0.1")), 1_000);
    window.seen(cluster(), 1_200);
    expect(window.reached(1_300, true)).toEqual([]);
  });
});
