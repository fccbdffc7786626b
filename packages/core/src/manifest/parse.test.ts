import { describe, expect, it } from "vitest";
import { formatPath } from "../diagnostics/place.js";
import { objectsOf, parseManifest } from "./parse.js";

const read = (text: string) => {
  const parsed = parseManifest(text, "test.yaml");
  expect(parsed.diagnostics).toEqual([]);
  return objectsOf(parsed.documents);
};
/** `v1 Pod a at items[0]` */
const namesIn = (text: string) =>
  read(text).objects.map(({ apiVersion, kind, value, path }) => {
    const { name } = value.metadata as { name?: string };
    return `${apiVersion} ${kind} ${name}${path.length === 0 ? "" : ` at ${formatPath(path)}`}`;
  });
const problemsIn = (text: string) =>
  read(text).diagnostics.map(({ code, place }) => `${code} ${place?.line}:${place?.column}`);

const item = (name: string, head = "") => `{${head}metadata: {name: ${name}}}`;
const pod = "apiVersion: v1, kind: Pod, ";

describe("objects", () => {
  it("are the documents", () => {
    expect(namesIn(`${item("a", pod)}\n---\n${item("b", pod)}\n`)).toEqual(["v1 Pod a", "v1 Pod b"]);
  });

  it("are the items of a List, which may be of many kinds", () => {
    const items = [item("a", pod), item("b", "apiVersion: apps/v1, kind: Deployment, ")];
    expect(namesIn(`{apiVersion: v1, kind: List, items: [${items.join()}]}`)).toEqual([
      "v1 Pod a at items[0]",
      "apps/v1 Deployment b at items[1]",
    ]);
  });

  it("are the items of a typed list, which may leave out what the list says", () => {
    const list = (items: string) => `{apiVersion: apps/v1, kind: DeploymentList, items: [${items}]}`;
    expect(namesIn(list(`${item("a")}, ${item("b")}`))).toEqual([
      "apps/v1 Deployment a at items[0]",
      "apps/v1 Deployment b at items[1]",
    ]);
    expect(namesIn(list(item("a", "apiVersion: extensions/v1beta1, kind: Scale, ")))).toEqual([
      "extensions/v1beta1 Scale a at items[0]",
    ]);
  });

  it("that were named by their list carry that name in their value", () => {
    const [only] = read(`{apiVersion: v1, kind: PodList, items: [${item("a")}]}`).objects;
    expect(only?.value).toEqual({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } });
  });

  it("are found in lists of lists", () => {
    const inner = `{apiVersion: v1, kind: PodList, items: [${item("a")}]}`;
    expect(namesIn(`{apiVersion: v1, kind: List, items: [${inner}, ${item("b", pod)}]}`)).toEqual([
      "v1 Pod a at items[0].items[0]",
      "v1 Pod b at items[1]",
    ]);
  });

  it("keep the place of their own parts", () => {
    const [, second] = read(
      "apiVersion: v1\nkind: List\nitems:\n- {metadata: {name: a}}\n- metadata:\n    name: b\n",
    ).objects;
    if (second === undefined) throw new Error("not found");
    const { document, path } = second;
    expect(document.placeOf([...path, "metadata", "name"])).toMatchObject({ line: 6, column: 11 });
    expect(document.placeOf(path)).toMatchObject({ line: 5, column: 3 });
  });

  it("need no kind to be objects: unknown kinds are reported later", () => {
    expect(namesIn(item("a"))).toEqual(["  a"]);
    expect(namesIn(item("a", "kind: [Pod], "))).toEqual(["  a"]);
  });

  it("a kind that only ends in List is not a list without items", () => {
    expect(namesIn(item("a", "apiVersion: example.com/v1, kind: AllowList, "))).toEqual([
      "example.com/v1 AllowList a",
    ]);
  });

  it("from JSON are the same as from YAML", () => {
    const json = JSON.stringify({
      apiVersion: "v1",
      kind: "PodList",
      items: [{ metadata: { name: "a" } }, { metadata: { name: "b" } }],
    });
    expect(namesIn(json)).toEqual(["v1 Pod a at items[0]", "v1 Pod b at items[1]"]);
  });
});

describe("lists without anything", () => {
  it.each([
    ["an empty List", "{apiVersion: v1, kind: List, items: []}"],
    ["an empty typed list", "{apiVersion: v1, kind: PodList, items: []}"],
    ["a typed list with null, as Go writes an empty one", "{apiVersion: v1, kind: PodList, items: null}"],
  ])("%s is fine", (_what, text) => {
    expect(namesIn(text)).toEqual([]);
    expect(problemsIn(text)).toEqual([]);
  });

  it.each([
    ["a List without items", "a: 1\n---\nkind: List\n", "TW1005 3:7"],
    ["a List with null", "kind: List\nitems:\n", "TW1005 2:1"],
    ["a List whose items are no list", "kind: List\nitems: {a: 1}\n", "TW1005 2:8"],
    ["a typed list whose items are no list", "kind: PodList\nitems: none\n", "TW1005 2:8"],
  ])("%s is TW1005", (_what, text, problem) => expect(problemsIn(text)).toEqual([problem]));
});

describe("TW1003: what is not an object", () => {
  it.each([
    ["a text", "a: 1\n---\njust some text\n", "TW1003 3:1"],
    ["a number", "42\n", "TW1003 1:1"],
    ["a list of objects", "- kind: Pod\n", "TW1003 1:1"],
    ["a text among the items of a List", "kind: List\nitems: [{a: 1}, oops]\n", "TW1003 2:17"],
    ["null among the items of a List", "kind: List\nitems:\n- a: 1\n- null\n", "TW1003 4:3"],
  ])("%s", (_what, text, problem) => expect(problemsIn(text)).toEqual([problem]));

  it("does not hide the others", () => {
    expect(namesIn(`text\n---\n${item("a", pod)}\n`)).toEqual(["v1 Pod a"]);
  });
});
