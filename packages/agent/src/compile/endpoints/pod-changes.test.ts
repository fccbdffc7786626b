import type { Pod } from "@tierwall/core/model";
import { describe, expect, it } from "vitest";
import { PodWatch } from "./pod-changes.js";

const pod = (name: string): Pod => ({
  namespace: "shop",
  name,
  labels: {},
  serviceAccount: "default",
  hostNetwork: false,
  addresses: [],
  hostAddresses: [],
  ports: [],
});

const [a, b, c, d] = [pod("a"), pod("b"), pod("c"), pod("d")] as const;
const otherB = pod("b");
const mapOf = (pods: readonly Pod[]) => new Map(pods.map((each) => [each.name, each]));

describe("changes of pods", () => {
  it.each<[string, readonly Pod[], readonly Pod[], { come: Pod[]; gone: Pod[] }]>([
    ["nothing", [a, b, c], [a, b, c], { come: [], gone: [] }],
    ["one at the end", [a, b], [a, b, c], { come: [c], gone: [] }],
    ["one less in the middle", [a, b, c, d], [a, c, d], { come: [], gone: [b] }],
    ["one less at the end", [a, b], [a], { come: [], gone: [b] }],
    ["one that is another now", [a, b, c], [a, otherB, c], { come: [otherB], gone: [b] }],
    ["one less, and one at the end", [a, b, c], [a, c, d], { come: [d], gone: [b] }],
    ["two less at once", [a, b, c, d], [d], { come: [], gone: [a, b, c] }],
    ["another order", [a, b, c, d], [d, b, a, c], { come: [], gone: [] }],
    ["all", [a, b], [c, d], { come: [c, d], gone: [a, b] }],
  ])("%s", (_, before, after, changes) => {
    const watch = new PodWatch();
    watch.update(mapOf(before));
    const { come, gone } = watch.update(mapOf(after));
    expect(new Set(come)).toEqual(new Set(changes.come));
    expect(new Set(gone)).toEqual(new Set(changes.gone));
    expect([come.length, gone.length]).toEqual([changes.come.length, changes.gone.length]);
  });
});
