import { createHash } from "node:crypto";
import { hasErrors } from "@tierwall/core";
import { readState } from "@tierwall/core/state";
import { describe, expect, test } from "vitest";
import type { Manifest } from "./json.js";
import { manifestsOf } from "./manifests.js";
import { parsedState } from "./parsed.js";
import { type Plan, planCluster } from "./plan.js";
import { podCount, type Shape, shapes } from "./shape.js";
import { listText } from "./snapshot-files.js";
import { snapshotOf } from "./snapshot.js";

const small: Shape = {
  style: "realistic",
  namespaces: 5,
  workloads: 20,
  replicas: 10,
  policiesPerNamespace: 10,
  clusterPolicies: 30,
};
const styles = ["realistic", "port-heavy", "adversarial"] as const;

function digest(plan: Plan, format: "json" | "yaml" = "json"): string {
  const hash = createHash("sha256");
  for (const text of listText(snapshotOf(plan), format)) hash.update(text);
  return hash.digest("hex");
}

const readText = (objects: Iterable<Manifest>, format: "json" | "yaml" = "json") =>
  readState([{ file: `generated.${format}`, text: [...listText(objects, format)].join("") }], {
    provenance: "file",
  });

const kinds = (plan: Plan) => {
  const counted = new Map<string, number>();
  for (const { kind } of manifestsOf(plan)) counted.set(kind, (counted.get(kind) ?? 0) + 1);
  return Object.fromEntries(counted);
};

describe("a seed", () => {
  test.each(styles)("makes the same bytes again (%s)", (style) => {
    const shape = { ...small, style };
    expect(digest(planCluster(shape, 1))).toBe(digest(planCluster(shape, 1)));
    expect(digest(planCluster(shape, 1))).not.toBe(digest(planCluster(shape, 2)));
  });

  test("has the same policies for any number of replicas", () => {
    const policies = (replicas: number) =>
      [...manifestsOf(planCluster({ ...small, replicas }, 1))].filter(({ kind }) => kind.endsWith("Policy"));
    expect(policies(3)).toEqual(policies(10));
  });
});

describe("what is generated", () => {
  test.each(styles)("is valid as if people had written it (%s)", (style) => {
    const state = readText(manifestsOf(planCluster({ ...small, style }, 1)));
    expect(state.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(hasErrors(state.diagnostics)).toBe(false);
    expect(state.cluster.pods.size).toBe(200);
  });

  test.each(["json", "yaml"] as const)("is read the same from a snapshot in %s", (format) => {
    const plan = planCluster(small, 1);
    expect(readText(snapshotOf(plan), format).cluster).toEqual(readText(manifestsOf(plan)).cluster);
  });

  test.each(styles)("is what `parsedState` makes without text (%s)", (style) => {
    const plan = planCluster({ ...small, style }, 1);
    expect(parsedState(plan).cluster).toEqual(readText(manifestsOf(plan)).cluster);
  });

  test.each(["1k/1k", "2.4k/4.8k", "10k/1k"] as const)("has the promised counts (%s)", (name) => {
    const plan = planCluster(shapes[name], 1);
    const { namespaces, policiesPerNamespace } = plan.shape;
    expect(kinds(plan)).toEqual({
      Namespace: namespaces,
      Node: plan.nodes.length,
      Pod: podCount(plan.shape),
      NetworkPolicy: namespaces * policiesPerNamespace,
      ClusterNetworkPolicy: 100,
    });
  });

  test("gives every pod a name and an address of its own", () => {
    const { pods } = parsedState(planCluster(shapes["10k/1k"], 1)).cluster;
    const own = [...pods.values()].filter((pod) => !pod.hostNetwork);
    expect(pods.size).toBe(10_000);
    expect(new Set(own.map(({ addresses }) => addresses[0]!.value)).size).toBe(own.length);
    expect(pods.size - own.length).toBe(20);
  });
});

describe("the shape", () => {
  test("realistic: pods of a workload have the same labels", () => {
    const { workloads } = parsedState(planCluster(small, 1)).cluster;
    for (const { pods } of workloads)
      expect(new Set(pods.map(({ labels }) => JSON.stringify(labels))).size).toBe(1);
  });

  test("adversarial: no two pods do", () => {
    const { pods } = parsedState(planCluster(shapes["adversarial/10k"], 1)).cluster;
    const seen = new Set([...pods.values()].map(({ labels }) => JSON.stringify(labels)));
    expect(seen.size).toBe(10_000);
  });

  test("cluster policies have 1 to 100 rules, in both tiers, in both spellings", () => {
    const specs = [...manifestsOf(planCluster(shapes["1k/1k"], 1))]
      .filter(({ kind }) => kind === "ClusterNetworkPolicy")
      .map(({ spec }) => spec as { tier: string; ingress?: unknown[]; egress?: unknown[] });
    const lengths = specs.map(({ ingress, egress }) => (ingress?.length ?? 0) + (egress?.length ?? 0));
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 100]);
    expect(new Set(specs.map(({ tier }) => tier))).toEqual(
      new Set(["Admin", "Baseline", "admin", "baseline"]),
    );
  });

  test("port-heavy: each policy has 5 ports, 5 ranges and 5 CIDRs", () => {
    const policies = [...manifestsOf(planCluster({ ...small, style: "port-heavy" }, 1))].filter(
      ({ kind }) => kind === "NetworkPolicy",
    );
    for (const policy of policies) {
      const text = JSON.stringify(policy);
      const count = (word: string) => text.split(`"${word}":`).length - 1;
      expect([count("port") - count("endPort"), count("endPort"), count("cidr")]).toEqual([5, 5, 5]);
    }
  });

  test("a pod of a snapshot has about 4.3 KB of text", () => {
    const plan = planCluster(small, 1);
    const bytes = [...listText(snapshotOf(plan), "json")].filter((text) => text.includes('"Pod"'));
    const mean = bytes.reduce((sum, text) => sum + text.length, 0) / bytes.length;
    expect(Math.round(mean / 100) / 10).toBe(4.3);
  });
});
