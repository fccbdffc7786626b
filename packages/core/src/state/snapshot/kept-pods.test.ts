import fc from "fast-check";
import { expect, it } from "vitest";
import { ClusterBuilder } from "../../cluster/build.js";
import { isClusterKind } from "../../cluster/identity.js";
import { isObject, type Json, type JsonObject } from "../../manifest/document.js";
import type { ManifestObject } from "../../manifest/object.js";
import { objectsOf, parseManifest } from "../../manifest/parse.js";
import { servedPod } from "../../../testing/served-pod.js";
import { keptClusterObject } from "./kept-cluster-object.js";

const facts = { podCidrs: [], serviceCidrs: [] };

function buildCluster(objects: readonly ManifestObject[]) {
  const builder = new ClusterBuilder();
  for (const object of objects) builder.add(object);
  return builder.build(facts, new Set());
}

it("what is kept of a pod is all that is read", () => {
  const looked = new Set<string>();
  const { objects } = objectsOf(parseManifest(JSON.stringify(servedPod), "test.json").documents);
  const watchedObjects = objects.map((object) => ({
    ...object,
    value: watched(object.value, [], looked) as JsonObject,
  }));
  expect(buildCluster(watchedObjects).cluster.pods.size).toBe(1);
  expect(looked).toContain("spec.containers.ports.containerPort");
  const pod = structuredClone(servedPod);
  for (const path of looked) if (!has(pod, path.split("."))) replace(pod, path.split("."), "x");
  const kept = keptClusterObject(pod);
  expect([...looked].filter((path) => has(pod, path.split(".")) && !has(kept, path.split(".")))).toEqual([]);
  expect([...looked].filter((path) => !has(pod, path.split(".")))).toEqual([]);
});

/** The same value, which records which of its fields are read. */
function watched(value: Json, path: readonly string[], looked: Set<string>): Json {
  if (!isObject(value) && !Array.isArray(value)) return value;
  return new Proxy(value as JsonObject, {
    get: (target, key) => {
      const inside = Reflect.get(target, key) as Json;
      if (typeof key !== "string") return inside;
      if (Array.isArray(target)) return /^\d+$/.test(key) ? watched(inside, path, looked) : inside;
      looked.add([...path, key].join("."));
      return watched(inside, [...path, key], looked);
    },
  });
}

/** Whether there is something at this path; of a list, in one of its items. */
function has(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return value !== undefined;
  if (Array.isArray(value)) return value.some((item) => has(item, [first, ...rest]));
  return isObject(value) && has(value[first], rest);
}

it("a cluster of kept pods is the same, whatever its pods are like", () => {
  const anyPart = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const paths = pathsIn(servedPod);
  /** A pod with some parts replaced, or gone. */
  const anyPod = fc
    .tuple(fc.nat({ max: 3 }), fc.array(fc.tuple(fc.constantFrom(...paths), anyPart), { maxLength: 4 }))
    .map(([number, edits]) => {
      const edited = structuredClone(servedPod) as Record<string, unknown>;
      edits.forEach(([path, part]) => replace(edited, path, part));
      replace(edited, ["metadata", "name"], `pod-${number}`);
      return edited as JsonObject;
    })
    .filter(({ metadata }) => isObject(metadata) && typeof metadata.uid === "string");
  fc.assert(
    fc.property(fc.array(anyPod, { maxLength: 4 }), (pods) => {
      const whole = clusterOf(pods);
      expect(clusterOf(pods.map((one) => keptClusterObject(one)))).toEqual(whole);
    }),
    { numRuns: 300 },
  );
});

function clusterOf(items: readonly JsonObject[]) {
  const text = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const { objects } = objectsOf(parseManifest(text, "test.json").documents);
  const { cluster, diagnostics } = buildCluster(objects.filter(isClusterKind));
  return { cluster, codes: diagnostics.map(({ code, message }) => `${code} ${message}`) };
}

function pathsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return [
    ...(path.length === 0 ? [] : [path]),
    ...inside.flatMap(([key, part]) => pathsIn(part, [...path, key])),
  ];
}

function replace(root: Record<string, unknown>, path: readonly string[], part: unknown): void {
  let at: unknown = root;
  for (const step of path.slice(0, -1))
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  if (typeof at === "object" && at !== null && !Array.isArray(at))
    (at as Record<string, unknown>)[path.at(-1)!] = part;
}
