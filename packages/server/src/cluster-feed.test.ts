import { readObjects } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { ClusterFeed } from "./cluster-feed.js";

const guarantee = {
  apiVersion: "tierwall.dev/v1",
  kind: "Guarantee",
  metadata: { name: "closed", uid: "u", managedFields: [{ manager: "kubectl" }] },
  spec: { from: [{ external: true }], to: [{ namespaces: {} }], verdict: "Deny" },
  status: { conditions: [{ type: "Holds" }] },
};
const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db" }, data: { password: "aHVudGVy" } };

describe("a feed of a cluster", () => {
  const feed = new ClusterFeed({
    title: "east",
    state: {},
    watch: async (changed) => changed(),
    listing: () => ({ objects: [guarantee, secret], forbidden: [], missing: [] }),
    stop: async () => undefined,
  });

  it("serves guarantees, without what API servers and controllers add to them", () => {
    const found: unknown[] = [];
    for (const source of feed.shown().sources)
      readObjects(source, {
        report: () => undefined,
        object: ({ kind, value }) => found.push([kind, value]),
      });
    const { apiVersion, kind, spec } = guarantee;
    expect(found).toContainEqual([kind, { apiVersion, kind, metadata: { name: "closed", uid: "u" }, spec }]);
    expect(JSON.stringify(found)).not.toContain("aHVudGVy");
  });
});
