import { describe, expect, it } from "vitest";
import { objectsOf, parseManifest } from "../manifest/parse.js";
import { readObjects } from "../manifest/read.js";
import { servedPod } from "../../testing/served-pod.js";
import { cut } from "../../testing/transform/cut.js";
import { ClusterBuilder } from "./build.js";
import { isClusterKind } from "./identity.js";

const facts = { podCidrs: [], serviceCidrs: [] };

/** The cluster of a text whose objects are added as they come. */
function inChunks(text: string, size: number) {
  const builder = new ClusterBuilder();
  readObjects(
    { file: "test.json", chunks: () => cut(text, size) },
    {
      object: (object) => {
        if (isClusterKind(object)) builder.add(object);
      },
      report: ({ message }) => expect.fail(message),
    },
  );
  return builder.build(facts, new Set());
}

/** The cluster of a text that is parsed as a whole. */
function inHand(text: string) {
  const builder = new ClusterBuilder();
  for (const object of objectsOf(parseManifest(text, "test.json").documents).objects) builder.add(object);
  return builder.build(facts, new Set());
}

it("places in streamed pods are those in the file", () => {
  const wrong = { ...servedPod, metadata: { ...servedPod.metadata, labels: { app: "not a label!" } } };
  const list = { kind: "List", apiVersion: "v1", items: [servedPod, wrong] };
  for (const indent of [0, 2]) {
    const text = JSON.stringify(list, null, indent);
    const before = text.slice(0, text.indexOf('"not a label!"')).split("\n");
    const { diagnostics } = inChunks(text, 500);
    expect(diagnostics.find(({ code }) => code === "TW1302")?.place).toMatchObject({
      line: before.length,
      column: before.at(-1)!.length + 1,
    });
  }
});

describe("pods that follow each other differ", () => {
  const named = (name: string, metadata: object, spec: object = {}) => ({
    ...servedPod,
    metadata: { ...servedPod.metadata, name, ...metadata },
    spec: { ...servedPod.spec, ...spec },
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
    const [streamed, whole] = [inChunks(text, 700), inHand(text)];
    expect(streamed.cluster.pods.size).toBe(pods.length);
    expect(streamed.cluster).toEqual(whole.cluster);
    expect(streamed.diagnostics).toEqual(whole.diagnostics);
  });
});
