import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isObject, type Json, type JsonObject } from "../manifest/document.js";
import type { Outline } from "../manifest/excerpt.js";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import type { ManifestObject } from "../manifest/object.js";
import { readObjects } from "../manifest/read.js";
import { cut } from "../testing/cut.js";
import { buildCluster, ClusterBuilder } from "./build.js";
import { isClusterKind } from "./identity.js";
import { podExcerpt } from "./pod-excerpt.js";

const facts = { podCidrs: [], serviceCidrs: [] };

/** The objects of a text, and the cluster that they were put together to as they came. */
function inChunks(text: string, size: number, excerpt: typeof podExcerpt | undefined) {
  const objects: ManifestObject[] = [];
  const builder = new ClusterBuilder();
  readObjects(
    { file: "test.json", chunks: () => cut(text, size) },
    {
      object: (object) => {
        objects.push(object);
        if (isClusterKind(object)) builder.add(object);
      },
      report: ({ message }) => expect.fail(message),
      ...(excerpt === undefined ? {} : { excerpt }),
    },
  );
  return { objects, ...builder.build(facts, new Set()) };
}

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    annotations: { name: "é😀" },
    labels: { app: "web", "a/b": "c" },
    managedFields: [{ manager: "kubelet" }],
    name: "web-1",
    namespace: "shop",
    ownerReferences: [{ apiVersion: "apps/v1", controller: true, kind: "ReplicaSet", name: "web" }],
    uid: "1",
  },
  spec: {
    containers: [
      { env: [{ name: "A" }], image: "web", ports: [{ containerPort: 80, name: "http", protocol: "TCP" }] },
    ],
    initContainers: [{ ports: [{ containerPort: 90 }], restartPolicy: "Always" }],
    hostNetwork: false,
    nodeName: "n1",
    serviceAccountName: "web",
  },
  status: {
    conditions: [],
    hostIP: "192.0.2.1",
    hostIPs: [{ ip: "192.0.2.1" }],
    phase: "Running",
    podIP: "10.0.0.1",
    podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
  },
};

describe("of a pod from an API server", () => {
  const read = (object: object) =>
    inChunks(JSON.stringify({ kind: "List", apiVersion: "v1", items: [object] }), 100, podExcerpt);

  it("nothing is read that nobody looks at", () => {
    const [found] = read(pod).objects;
    expect(found?.value.metadata).not.toHaveProperty("managedFields");
    expect(found?.value.spec).toHaveProperty("containers", [{ ports: pod.spec.containers[0]!.ports }]);
  });

  it.each([
    ["without a uid, as people write it", { ...pod, metadata: { name: "a" } }],
    ["of another kind", { ...pod, kind: "PodTemplate" }],
    ["of another API", { ...pod, apiVersion: "example.com/v1" }],
  ])("all is read of one %s", (_what, object) => expect(read(object).objects[0]?.value).toEqual(object));

  it("a typed list says for its items that they are pods", () => {
    const { kind: _kind, apiVersion: _version, ...bare } = pod;
    const text = JSON.stringify({ kind: "PodList", apiVersion: "v1", items: [bare, bare] });
    const [found] = inChunks(text, 100, podExcerpt).objects;
    expect(found).toMatchObject({ kind: "Pod", apiVersion: "v1" });
    expect(found?.value).not.toHaveProperty(["status", "conditions"]);
  });

  it("places are those in the file", () => {
    const wrong = { ...pod, metadata: { ...pod.metadata, labels: { app: "not a label!" } } };
    const list = { kind: "List", apiVersion: "v1", items: [pod, wrong] };
    for (const indent of [0, 2]) {
      const text = JSON.stringify(list, null, indent);
      const before = text.slice(0, text.indexOf('"not a label!"')).split("\n");
      const { diagnostics } = inChunks(text, 500, podExcerpt);
      expect(diagnostics.find(({ code }) => code === "TW1302")?.place).toMatchObject({
        line: before.length,
        column: before.at(-1)!.length + 1,
      });
    }
  });
});

it("the outline names all that is looked at", () => {
  const looked = new Set<string>();
  const { objects } = objectsOf(parseManifest(JSON.stringify(pod), "test.json").documents);
  const watchedObjects = objects.map((object) => ({
    ...object,
    value: watched(object.value, [], looked) as JsonObject,
  }));
  expect(buildCluster(watchedObjects, facts, new Set()).cluster.pods.size).toBe(1);
  expect(looked).toContain("spec.containers.ports.containerPort");
  expect([...looked].filter((path) => !isNamed(path.split("."), podExcerpt.outline))).toEqual([]);
});

/** The same value, which tells which of its fields are looked at. */
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

function isNamed([first, ...rest]: readonly string[], outline: Outline | "all" | undefined): boolean {
  if (outline === undefined) return false;
  return outline === "all" || first === undefined || isNamed(rest, outline[first]);
}

describe("pods that follow each other share parts, and differ", () => {
  const named = (name: string, metadata: object, spec: object = {}) => ({
    ...pod,
    metadata: { ...pod.metadata, name, ...metadata },
    spec: { ...pod.spec, ...spec },
  });
  it.each([
    ["in their namespace alone", [named("a", {}), named("a", { namespace: "b" })]],
    ["in their sidecars alone", [named("a", {}), named("b", {}, { initContainers: [] })]],
    ["in their labels alone", [named("a", {}), named("b", { labels: { app: "web" } }), named("c", {})]],
    ["in having a controller", [named("a", {}), named("b", { ownerReferences: [] }), named("c", {})]],
    ["in having containers", [named("a", {}, { containers: [] }), named("b", {}), named("c", { uid: 1 })]],
    ["in nothing, with wrong labels", [0, 1].map((i) => named(`a-${i}`, { labels: { app: "no label!" } }))],
    ["in nothing, with labels of no type", [0, 1].map((i) => named(`a-${i}`, { labels: { app: 1 } }))],
  ])("%s", (_what, pods) => {
    const text = JSON.stringify({ apiVersion: "v1", items: pods, kind: "List" }, null, 4);
    const [part, whole] = [inChunks(text, 700, podExcerpt), inChunks(text, 700, undefined)];
    expect(part.cluster.pods.size).toBe(pods.length);
    expect(part.cluster).toEqual(whole.cluster);
    expect(part.diagnostics).toEqual(whole.diagnostics);
  });
});

it("a cluster is the same, whatever its pods are like and wherever the text is cut", () => {
  const anyPart = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  );
  const paths = pathsIn(pod);
  /** A pod with some parts replaced, or gone. */
  const anyPod = fc
    .tuple(fc.nat({ max: 3 }), fc.array(fc.tuple(fc.constantFrom(...paths), anyPart), { maxLength: 4 }))
    .map(([number, edits]) => {
      const edited = structuredClone(pod) as Record<string, unknown>;
      edits.forEach(([path, part]) => replace(edited, path, part));
      ((edited.metadata as { name?: unknown } | undefined) ?? {}).name = `pod-${number}`;
      return edited;
    });
  fc.assert(
    fc.property(
      fc.array(anyPod, { maxLength: 4 }),
      fc.integer({ min: 1, max: 2000 }),
      fc.constantFrom(0, 4),
      (pods, size, indent) => {
        const text = JSON.stringify({ apiVersion: "v1", items: pods, kind: "List" }, null, indent);
        const [part, whole] = [inChunks(text, size, podExcerpt), inChunks(text, size, undefined)];
        expect(part.cluster).toEqual(whole.cluster);
        expect(part.diagnostics).toEqual(whole.diagnostics);
      },
    ),
    { numRuns: 300 },
  );
});

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
