import { readCluster } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { podYaml } from "../../testing/node-world.js";
import { ProgrammingWindow } from "./programming-window.js";

const pod = (name: string, ips: string, node = "n1", hostNetwork = false) =>
  podYaml(`shop/${name}`, ips, { node, hostNetwork });

const cluster = (...pods: readonly string[]) => readCluster([{ file: "pods.yaml", text: pods.join("\n") }]);

const [a, b, none] = [cluster(pod("a", "10.0.0.1")), cluster(pod("b", "10.0.0.2")), cluster()];
const both = cluster(pod("a", "10.0.0.1"), pod("b", "10.0.0.2"));

describe("the window in which a pod has an address and no rules", () => {
  it("lasts from the change in which the pod was first seen to the write that holds it", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    window.seen(both, 1_500);
    expect(window.waiting).toBe(2);
    expect(window.reached(both, 1_600, true)).toEqual([600, 100]);
    expect([window.waiting, window.programmed]).toEqual([0, 2]);
  });

  it("is one window for all addresses of a pod", () => {
    const window = new ProgrammingWindow("n1");
    const ofBothFamilies = cluster(pod("a", "10.0.0.1,fd00::1"));
    window.seen(ofBothFamilies, 1_000);
    expect(window.waiting).toBe(1);
    expect(window.reached(ofBothFamilies, 1_100, true)).toEqual([100]);
    expect(window.programmed).toBe(1);
  });

  it("goes on for a pod that came after the state that was written", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    window.seen(both, 1_500);
    expect(window.reached(a, 1_600, true)).toEqual([600]);
    expect(window.reached(both, 1_700, true)).toEqual([200]);
  });

  it("is not measured twice for one pod", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    window.reached(a, 1_100, true);
    window.seen(a, 2_000);
    expect(window.reached(a, 2_100, true)).toEqual([]);
  });

  it("does not exist for pods that the kernel held already when the agent started", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    expect(window.reached(a, 1_100, false)).toEqual([]);
    expect(window.programmed).toBe(1);
  });

  it("begins again when a pod of the same name has another address", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    window.reached(a, 1_100, true);
    const moved = cluster(pod("a", "10.0.0.9"));
    window.seen(moved, 2_000);
    expect(window.reached(moved, 2_050, true)).toEqual([50]);
    expect(window.programmed).toBe(1);
  });

  it.each([
    ["pods of other nodes", pod("a", "10.0.0.1", "n2")],
    ["pods in the network of the node", pod("a", "10.0.0.1", "n1", true)],
  ])("is not about %s", (_, other) => {
    const window = new ProgrammingWindow("n1");
    window.seen(cluster(other), 1_000);
    expect(window.waiting).toBe(0);
  });

  it("forgets pods that are gone", () => {
    const window = new ProgrammingWindow("n1");
    window.seen(a, 1_000);
    window.reached(a, 1_100, true);
    window.seen(b, 1_200);
    window.seen(none, 1_300);
    expect(window.reached(none, 1_300, true)).toEqual([]);
    expect([window.waiting, window.programmed]).toEqual([0, 0]);
  });
});
