import type { JsonObject } from "@tierwall/core/manifest";
import type { PolicyRef } from "@tierwall/core/model";
import { expect, it } from "vitest";
import type { Condition } from "./condition.js";
import { scriptedConnection } from "../../testing/scripted-connection.js";
import { StatusWriter } from "./status-writer.js";
import { StoredPolicies } from "./stored-policies.js";

/* What is done about each answer to a write; that they are written at all is in test/cluster/controller.test.ts. */

const accepted: Condition = {
  type: "Accepted",
  status: "True",
  reason: "Understood",
  message: "all of it is understood",
  observedGeneration: 1,
};
const policy = (uid: string): PolicyRef => ({
  dialect: "cluster-network-policy",
  group: "policy.networking.k8s.io",
  version: "v1alpha2",
  kind: "ClusterNetworkPolicy",
  name: uid,
  annotations: {},
  place: () => undefined,
  stored: { uid, generation: 1 },
});
const object = (uid: string): JsonObject => ({
  apiVersion: "policy.networking.k8s.io/v1alpha2",
  metadata: { uid, name: uid, resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
});

const patience = { timeout: 300_000, interval: 5 };
const turns = async () => {
  for (let i = 0; i < 50; i++) await new Promise((next) => setImmediate(next));
};

/** Two policies that have no conditions yet, and what became of them once the first write was answered so. */
async function after(status: number) {
  const asked: string[] = [];
  const reported: string[] = [];
  const leading = new AbortController();
  const stored = new StoredPolicies(() => undefined);
  for (const uid of ["a", "b"]) stored.saw(uid, object(uid));
  const connection = scriptedConnection(({ path, body }) => {
    if (path.includes("customresourcedefinitions")) return { status: 403, body: {} };
    asked.push(path.split("/").at(-2)!);
    return path.includes("/a/")
      ? { status, body: { message: "no" } }
      : { status: 200, body: { ...object("b"), ...(JSON.parse(body!) as JsonObject) } };
  });
  const wanted = (uid: string) => ({ policy: policy(uid), conditions: [accepted] });
  const leadership = { signal: leading.signal, holds: () => !leading.signal.aborted };
  const writer = new StatusWriter(connection, stored, wanted, leadership, {
    onWritten: ({ policy: { name } }) => void reported.push(`${name} written`),
    onFailed: ({ name }, message) => void reported.push(`${name} failed: ${message}`),
  });
  for (const uid of ["a", "b"]) writer.check(uid);
  await expect.poll(() => asked.length, patience).toBeGreaterThan(0);
  // All that is done without waiting for a clock.
  await turns();
  leading.abort();
  return { asked, reported };
}

it.each<[status: number, what: string, asked: readonly string[], reported: readonly string[]]>([
  [404, "twice, it is gone: the watch will report it", ["a", "a", "b"], ["b written"]],
  [409, "it is another of the same name: the watch will report it", ["a", "b"], ["b written"]],
  [403, "that is said, and others are written", ["a", "b"], ["a failed: no", "b written"]],
  [422, "that is said, and others are written", ["a", "b"], ["a failed: no", "b written"]],
  [429, "that is said, and others wait as well", ["a"], ["a failed: no"]],
  [503, "that is said, and others wait as well", ["a"], ["a failed: no"]],
])("where a write is answered with %i, %s", async (status, _, asked, reported) => {
  expect(await after(status)).toEqual({ asked, reported });
});

it("writes what is proven right after what is accepted, and then lets a policy rest", async () => {
  const messages: string[] = [];
  const leading = new AbortController();
  const stored = new StoredPolicies(() => undefined);
  stored.saw("a", object("a"));
  const connection = scriptedConnection(({ path, body }) => {
    if (path.includes("customresourcedefinitions")) return { status: 403, body: {} };
    const { status } = JSON.parse(body!) as { status: { conditions: Condition[] } };
    messages.push(status.conditions[0]!.message);
    return { status: 200, body: { ...object("a"), ...(JSON.parse(body!) as JsonObject) } };
  });
  let said = 0;
  const wanted = () => ({ policy: policy("a"), conditions: [{ ...accepted, message: `version ${said}` }] });
  const leadership = { signal: leading.signal, holds: () => !leading.signal.aborted };
  const listener = { onWritten: () => undefined, onFailed: () => undefined };
  const writer = new StatusWriter(connection, stored, wanted, leadership, listener);
  for (said = 1; said <= 3; said++) {
    writer.check("a");
    if (said < 3) await expect.poll(() => messages.length, patience).toBe(said);
  }
  await turns();
  leading.abort();
  expect(messages).toEqual(["version 1", "version 2"]);
});

interface StoredVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
}

it.each<[what: string, versions: readonly StoredVersion[] | undefined, written: string]>([
  ["may not be read", undefined, "v1alpha2"],
  ["stores the version that was read", [{ name: "v1alpha2", served: true, storage: true }], "v1alpha2"],
  [
    "stores another known version",
    [
      { name: "v1alpha2", served: true, storage: false },
      { name: "v1beta1", served: true, storage: true },
    ],
    "v1beta1",
  ],
  [
    "stores a version that it does not serve",
    [
      { name: "v1alpha2", served: true, storage: false },
      { name: "v1beta1", served: false, storage: true },
    ],
    "v1alpha2",
  ],
  [
    "stores a version that is not known",
    [
      { name: "v1alpha2", served: true, storage: false },
      { name: "v1", served: true, storage: true },
    ],
    "v1alpha2",
  ],
])(
  "S3.10: where the definition %s, conditions are written in a version that is served",
  async (_, versions, written) => {
    const paths: string[] = [];
    const leading = new AbortController();
    const stored = new StoredPolicies(() => undefined);
    stored.saw("a", object("a"));
    const connection = scriptedConnection(({ path, body }) => {
      if (path.endsWith("/customresourcedefinitions/clusternetworkpolicies.policy.networking.k8s.io"))
        return versions === undefined
          ? { status: 403, body: {} }
          : { status: 200, body: { spec: { versions: versions.map((version) => ({ ...version })) } } };
      const { apiVersion } = JSON.parse(body!) as { apiVersion: string };
      paths.push(`${path.split("/")[3]} ${apiVersion}`);
      return { status: 200, body: { ...object("a"), ...(JSON.parse(body!) as JsonObject) } };
    });
    const leadership = { signal: leading.signal, holds: () => !leading.signal.aborted };
    const wanted = () => ({ policy: policy("a"), conditions: [accepted] });
    const listener = { onWritten: () => undefined, onFailed: () => undefined };
    new StatusWriter(connection, stored, wanted, leadership, listener).check("a");
    await expect.poll(() => paths, patience).toEqual([`${written} policy.networking.k8s.io/${written}`]);
    leading.abort();
  },
);

it("S3.10: where the version that was stored is served no longer, conditions are written in the one that is stored now", async () => {
  const written: string[] = [];
  const leading = new AbortController();
  const stored = new StoredPolicies(() => undefined);
  for (const uid of ["a", "b"]) stored.saw(uid, object(uid));
  let served = "v1beta1";
  const connection = scriptedConnection(({ path, body }) => {
    if (path.includes("customresourcedefinitions"))
      return { status: 200, body: { spec: { versions: [{ name: served, served: true, storage: true }] } } };
    const [version, uid] = [path.split("/")[3]!, path.split("/").at(-2)!];
    if (version !== served) return { status: 404, body: {} };
    written.push(`${uid} ${version}`);
    return { status: 200, body: { ...object(uid), ...(JSON.parse(body!) as JsonObject) } };
  });
  const wanted = (uid: string) => ({ policy: policy(uid), conditions: [accepted] });
  const leadership = { signal: leading.signal, holds: () => !leading.signal.aborted };
  const listener = { onWritten: () => undefined, onFailed: () => undefined };
  const writer = new StatusWriter(connection, stored, wanted, leadership, listener);
  writer.check("a");
  await expect.poll(() => written, patience).toEqual(["a v1beta1"]);
  served = "v1alpha2";
  writer.check("b");
  await expect.poll(() => written, patience).toEqual(["a v1beta1", "b v1alpha2"]);
  leading.abort();
});
