import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Path } from "../../diagnostics/place.js";
import { Lines } from "../lines.js";
import { parseManifest } from "../parse.js";
import { parseTrees } from "./yaml-tree.js";

/** Long enough to be read item by item; the shorter one, which is not, says where things are. */
function both(list: (items: string) => string, item: (i: number) => string) {
  const count = 2000;
  const items = (n: number) => Array.from({ length: n }, (_, i) => item(i)).join("");
  const [long] = parseManifest(list(items(count)), "long.yaml").documents;
  const [short] = parseManifest(list(items(3)), "short.yaml").documents;
  return { long: long!, short: short!, count };
}

const styles: readonly (readonly [string, (items: string) => string, (i: number) => string])[] = [
  [
    "as kubectl writes them",
    (items) => `apiVersion: v1\nitems:\n${items}kind: List\nmetadata:\n  resourceVersion: ""\n`,
    (i) => `- apiVersion: v1
  kind: Pod
  metadata:
    labels:
      app: web
    name: pod-${i}
  spec:
    egress: []
    ingress:
    - from:
      - a: b
        c: d
      - podSelector:
          matchLabels:
            app: web
      ports:
      - port: 80
    - from:
      - e: f
    - from:
      - g: h
      ports:
      - port: 81
    podSelector:
      matchLabels:
        app: web
`,
  ],
  [
    "indented, with comments between them, and with nothing after them",
    (items) => `kind: List\napiVersion: v1\nitems:\n  # all of them\n${items}`,
    (i) => `  # another
  - kind: Pod
    apiVersion: v1
    metadata:
      labels: # of the pod

        # its app
        app: web # plain
      name: pod-${i}
    spec: # what it is
      ingress:
        # first
        - from: # them
            - a: b # c
              c: d
            - podSelector:
                matchLabels:
                  app: web
          ports:
            - port: 80
        - from:
            - e: f
      podSelector:
        matchLabels:
          app: web
`,
  ],
  [
    "with texts that look like items",
    (items) => `apiVersion: v1\nkind: List\nitems:\n${items}`,
    (i) => `- kind: Pod
  apiVersion: v1
  metadata:
    name: pod-${i}
    annotations:
      text: |
        - kind: Pod
        items:
        - x
      spec: >-
        spec:
          ingress:
    labels:
      app: web
  spec:
    ingress:
      - from:
          - text: |
              - a: b
          - "podSelector":
              matchLabels:
                app: web
        ports:
          - port: 80
      - from:
          - e: f
    podSelector:
      'matchLabels':
        app: web
`,
  ],
];

const paths: readonly Path[] = [
  ["items"],
  ["items", 2],
  ["items", 1, "kind"],
  ["items", 1, "metadata"],
  ["items", 0, "metadata", "labels"],
  ["items", 0, "metadata", "labels", "app"],
  ["items", 2, "metadata", "name"],
  ["items", 1, "metadata", "nothing", "there"],
  ["items", 1, "spec"],
  ["items", 1, "spec", "egress"],
  ["items", 1, "spec", "ingress"],
  ["items", 1, "spec", "ingress", 0],
  ["items", 1, "spec", "ingress", 1],
  ["items", 1, "spec", "ingress", 2],
  ["items", 1, "spec", "ingress", 0, "from"],
  ["items", 1, "spec", "ingress", 0, "from", 0],
  ["items", 1, "spec", "ingress", 0, "from", 0, "a"],
  // It is the next item that has it.
  ["items", 1, "spec", "ingress", 1, "ports"],
  ["items", 1, "spec", "ingress", 3],
  ["items", 1, "spec", "ingress", 0, "from", 1],
  ["items", 1, "spec", "ingress", 0, "from", 1, "podSelector"],
  ["items", 1, "spec", "ingress", 0, "from", 1, "podSelector", "matchLabels", "app"],
  ["items", 1, "spec", "ingress", 0, "ports"],
  ["items", 1, "spec", "ingress", 0, "ports", 0],
  ["items", 1, "spec", "ingress", 0, "ports", 0, "port"],
  ["items", 1, "spec", "podSelector"],
  ["items", 1, "spec", "podSelector", "matchLabels"],
  ["items", 1, "spec", "podSelector", "matchLabels", "app"],
];

describe.each(styles)("the items of a long list, %s", (_style, list, item) => {
  const { long, short, count } = both(list, item);
  const inFile = (file: string) => ({ file });

  it.each(paths.map((path) => [path.join("."), path] as const))(
    "are the same as in a short one: %s",
    (_name, path) => {
      for (const ask of ["placeOf", "placeOfKey"] as const)
        expect(long[ask](path)).toEqual({ ...short[ask](path), ...inFile("long.yaml") });
      expect(long.writtenAt(path)).toBe(short.writtenAt(path));
    },
  );

  it("to the last one", () => {
    expect(long.writtenAt(["items", count - 1, "metadata", "name"])).toBe(`pod-${count - 1}`);
    const each = item(0).split("\n").length - 1;
    const first = long.placeOf(["items", 0, "metadata", "name"]);
    expect(long.placeOf(["items", count - 1, "metadata", "name"]).line).toBe(first.line + each * (count - 1));
  });
});

/** Every path of a value. */
function* pathsOf(value: unknown, path: Path = []): Iterable<Path> {
  yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value))
    yield* pathsOf(inner, [...path, Array.isArray(value) ? Number(key) : key]);
}

describe("the places in any list", () => {
  const word = fc.constantFrom(
    "a",
    "b",
    "spec",
    "a b",
    "- a",
    "a: b",
    "x#y",
    "# x",
    "",
    "1",
    "true",
    "two\nlines",
    "'",
    '"',
  );
  const key = fc.constantFrom("a", "b", "spec", "items", "x/y.z", "a b", "1");
  const { tree } = fc.letrec<{ tree: unknown; node: unknown }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      word,
      fc.integer(),
      fc.constant(null),
      tie("tree"),
      fc.array(tie("node"), { maxLength: 3 }),
    ),
    tree: fc.dictionary(key, tie("node"), { maxKeys: 4, noNullPrototype: true }),
  }));

  it("are those of the syntax tree", () => {
    const filler = { text: "x".repeat(70_000) };
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 4 }), fc.boolean(), (items, indentSeq) => {
        const value = { kind: "List", items: [...items, filler] };
        const text = stringify(value, { indentSeq, lineWidth: 0 });
        const [document] = parseManifest(text, "f").documents;
        const lines = new Lines("f", text);
        const [expected] = parseTrees({ text, file: "f", place: (a, b) => lines.place(a, b) }).documents;
        for (const path of [...pathsOf({ items })].flatMap((known) => [known, [...known, "spec"]]))
          for (const ask of ["placeOf", "placeOfKey"] as const)
            expect([path, document![ask](path)]).toEqual([path, expected![ask](path)]);
      }),
      { numRuns: 60 },
    );
  });
});
