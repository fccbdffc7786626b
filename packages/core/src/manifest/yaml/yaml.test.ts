import { describe, expect, it } from "vitest";
import type { Path } from "../../diagnostics/place.js";
import { parseManifest } from "../parse.js";

const valuesOf = (text: string) => {
  const { documents, diagnostics } = parseManifest(text, "test.yaml");
  expect(diagnostics).toEqual([]);
  return documents.map((document) => document.value);
};
const valueOf = (text: string) => {
  const [value, ...others] = valuesOf(text);
  expect(others).toEqual([]);
  return value;
};
/** `TW1002 2:1 the message` */
const problemsOf = (text: string) =>
  parseManifest(text, "test.yaml").diagnostics.map(
    ({ code, place, message }) => `${code} ${place?.line}:${place?.column} ${message}`,
  );

describe("words and numbers, as kubectl reads them", () => {
  it.each([
    ["true", true],
    ["True", true],
    ["TRUE", true],
    ["yes", true],
    ["Yes", true],
    ["YES", true],
    ["on", true],
    ["On", true],
    ["ON", true],
    ["y", true],
    ["Y", true],
    ["false", false],
    ["no", false],
    ["No", false],
    ["off", false],
    ["OFF", false],
    ["n", false],
    ["N", false],
    ["tRue", "tRue"],
    ["yEs", "yEs"],
    ["null", null],
    ["Null", null],
    ["NULL", null],
    ["~", null],
    ["", null],
    ['""', ""],
    ['"on"', "on"],
    ["'no'", "no"],
    ["!!str yes", "yes"],
    ["80", 80],
    ["+80", 80],
    ["-1", -1],
    ["010", 8],
    ["0x1F", 31],
    ["0b11", 3],
    ["1_000", 1000],
    ["1.5", 1.5],
    ["1.0", 1],
    ["1e3", 1000],
    // A commit hash like this one is why label values are quoted.
    ["12e5", 1200000],
    ["1.2.3", "1.2.3"],
    ["10.0.0.1", "10.0.0.1"],
    ["fd00::1", "fd00::1"],
    // goyaml knows neither base 60 nor dates.
    ["1:30", "1:30"],
    ["190:20:30", "190:20:30"],
    ["2001-01-01", "2001-01-01"],
    ["2001-12-14T21:59:43Z", "2001-12-14T21:59:43Z"],
    ["=", "="],
    ["web # a comment", "web"],
    ["web#1", "web#1"],
  ])("%j is %j", (text, value) => expect(valueOf(`key: ${text}`)).toEqual({ key: value }));

  it("keys that are such words become the text of what they mean", () => {
    expect(valueOf("on: 1\nno: 2\n80: 3\n")).toEqual({ true: 1, false: 2, "80": 3 });
  });

  it("block texts keep their lines, or fold them", () => {
    expect(valueOf("a: |\n  x\n  y\nb: >-\n  x\n  y\n")).toEqual({ a: "x\ny\n", b: "x y" });
  });

  it("a key called __proto__ is a key", () => {
    const value = valueOf("__proto__: {polluted: true}\n") as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect("polluted" in {}).toBe(false);
    expect("polluted" in value).toBe(false);
  });
});

describe("anchors, aliases and merge keys", () => {
  it("an alias has the value of its anchor", () => {
    expect(valueOf("a: &labels {app: web}\nb: *labels\nc: [*labels]\n")).toEqual({
      a: { app: "web" },
      b: { app: "web" },
      c: [{ app: "web" }],
    });
  });

  it("a merge key adds what is not there yet", () => {
    const text = "base: &base {app: web, tier: front}\npod:\n  <<: *base\n  tier: back\n";
    expect(valueOf(text)).toMatchObject({ pod: { app: "web", tier: "back" } });
  });

  it("of several merged mappings the first wins", () => {
    const text = "a: &a {k: 1}\nb: &b {k: 2, l: 3}\nc: {<<: [*a, *b]}\n";
    expect(valueOf(text)).toMatchObject({ c: { k: 1, l: 3 } });
  });

  it("an alias without its anchor is an error, and so is one that contains itself", () => {
    expect(problemsOf("a: 1\nb: *nowhere\n")).toEqual([
      expect.stringMatching(/^TW1001 2:4 this is not valid YAML: unresolved alias/),
    ]);
    expect(problemsOf("a: &a\n  b: *a\n")).toEqual([expect.stringMatching(/^TW1001 /)]);
  });

  it("aliases of aliases of aliases are refused before they fill the memory", () => {
    const levels = Array.from({ length: 9 }, (_, i) => {
      const items = Array.from({ length: 9 }, () => (i === 0 ? "x" : `*l${i - 1}`));
      return `l${i}: &l${i} [${items.join(", ")}]`;
    });
    expect(problemsOf(`${levels.join("\n")}\n`)).toEqual([expect.stringMatching(/^TW1006 1:1 /)]);
  });
});

describe("documents", () => {
  it("many in one file, empty ones left out", () => {
    expect(valuesOf("---\na: 1\n---\n---\n# nothing here\n---\nb: 2\n...\n---\nc: 3\n")).toEqual([
      { a: 1 },
      { b: 2 },
      { c: 3 },
    ]);
  });

  it.each([
    ["an empty text", ""],
    ["only space", " \n\n"],
    ["only a comment", "# nothing\n"],
    ["only markers", "---\n---\n"],
  ])("%s holds none", (_what, text) => expect(valuesOf(text)).toEqual([]));

  it("S10.1: one that is broken does not hide the others, nor their errors", () => {
    const text = "a: 1\n---\nb: [1\n---\nc: 3\n---\nd: 1\nd: 2\n";
    const { documents, diagnostics } = parseManifest(text, "test.yaml");
    expect(documents.map((document) => document.value)).toEqual([{ a: 1 }, { c: 3 }]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["TW1001", "TW1002"]);
    expect(diagnostics[1]?.place).toEqual({ file: "test.yaml", line: 8, column: 1, length: 1 });
  });
});

describe("TW1002: a duplicate key", () => {
  it.each([
    ["at the top", "a: 1\nb: 2\na: 3\n", "3:1", "a"],
    ["deep down", "spec:\n  ingress: []\n  egress: []\n  ingress: []\n", "4:3", "ingress"],
    ["in braces", "a: {b: 1, c: 2, b: 3}\n", "1:17", "b"],
    ["in quotes once", 'a: 1\n"a": 2\n', "2:1", '"a"'],
    ["in a list", "- {k: 1}\n- k: 1\n  k: 2\n", "3:3", "k"],
  ])("%s", (_what, text, place, key) =>
    expect(problemsOf(text)).toEqual([
      `TW1002 ${place} \`${key}\` is a duplicate key in this mapping; keep one of them`,
    ]),
  );

  it("two mappings may have the same key", () => {
    expect(problemsOf("a: {k: 1}\nb: {k: 1}\n")).toEqual([]);
  });
});

describe("TW1001: what is not YAML", () => {
  it.each([
    ["a list that does not end", "a: [1, 2\n", "2:1"],
    ["a tab for indentation", "a:\n\tb: 1\n", "2:1"],
    ["a mapping in a mapping on one line", "a: b: c\n", "1:4"],
    ["a text that does not end", 'a: "b\n', "2:1"],
    ["a stray bracket", "a: ]\n", "1:4"],
  ])("%s", (_what, text, place) => {
    const [first] = problemsOf(text);
    expect(first).toMatch(new RegExp(`^TW1001 ${place} this is not valid YAML: [^A-Z].*[^.]$`));
  });

  it("what is nested too deeply is said, not crashed on", () => {
    const { diagnostics } = parseManifest(`a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`, "test.yaml");
    expect(diagnostics.map(({ code }) => code)).toContain("TW1001");
  });
});

/** What is underlined when a diagnostic points at a path. */
function pointer(text: string, documentIndex = 0) {
  const { documents, diagnostics } = parseManifest(text, "test.yaml");
  expect(diagnostics).toEqual([]);
  const document = documents.at(documentIndex)!;
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const show = ({ line, column, length }: { line: number; column: number; length: number }) =>
    `${line}:${column} ${lines[line - 1]?.slice(column - 1, column - 1 + length)}`;
  return {
    value: (path: Path) => show(document.placeOf(path)),
    key: (path: Path) => show(document.placeOfKey(path)),
  };
}

const nested = [
  "kind: NetworkPolicy", // 1
  "metadata: {name: np, labels: {app: web}}", // 2
  "spec:", // 3
  "  ingress:", // 4
  "    - from:", // 5
  "        - podSelector:", // 6
  "            matchLabels:", // 7
  '              "app.kubernetes.io/name": web', // 8
  "        - namespaceSelector: {}", // 9
  "      ports:", // 10
  "      - port: 80", // 11
  "      - {port: 81, protocol: UDP}", // 12
  "    - - 1", // 13
  "      - [2, 33]", // 14
  "  egress:", // 15
  "  policyTypes: [Ingress, 'Egress']", // 16
  "",
].join("\n");

describe("places of values and keys", () => {
  const cases: readonly (readonly [Path, string, string])[] = [
    [["kind"], "1:7 NetworkPolicy", "1:1 kind"],
    [["metadata"], "2:11 {name: np, labels: {app: web}}", "2:1 metadata"],
    [["metadata", "labels", "app"], "2:36 web", "2:31 app"],
    [["spec"], "4:3 ingress:", "3:1 spec"],
    [["spec", "ingress", 0], "5:7 from:", "5:7 from:"],
    [["spec", "ingress", 0, "from", 0, "podSelector"], "7:13 matchLabels:", "6:11 podSelector"],
    [
      ["spec", "ingress", 0, "from", 0, "podSelector", "matchLabels", "app.kubernetes.io/name"],
      "8:41 web",
      '8:15 "app.kubernetes.io/name"',
    ],
    [["spec", "ingress", 0, "from", 1, "namespaceSelector"], "9:30 {}", "9:11 namespaceSelector"],
    [["spec", "ingress", 0, "ports", 0, "port"], "11:15 80", "11:9 port"],
    [["spec", "ingress", 0, "ports", 1], "12:9 {port: 81, protocol: UDP}", "12:9 {port: 81, protocol: UDP}"],
    [["spec", "ingress", 0, "ports", 1, "protocol"], "12:30 UDP", "12:20 protocol"],
    [["spec", "ingress", 1, 0], "13:9 1", "13:9 1"],
    [["spec", "ingress", 1, 1, 1], "14:13 33", "14:13 33"],
    [["spec", "policyTypes", 1], "16:26 'Egress'", "16:26 'Egress'"],
    // A value without text is shown at its key.
    [["spec", "egress"], "15:3 egress", "15:3 egress"],
    // Where a path leads nowhere, the last thing it passed is shown.
    [["spec", "ingress", 0, "ports", 7], "11:7 - port: 80", "10:7 ports"],
    [["kind", "of"], "1:7 NetworkPolicy", "1:1 kind"],
    [["metadata", "annotations", "x"], "2:11 {name: np, labels: {app: web}}", "2:1 metadata"],
  ];

  it.each(cases)("%j", (path, value, key) => {
    const at = pointer(nested);
    expect([at.value(path), at.key(path)]).toEqual([value, key]);
  });

  it.each(cases)("with CRLF: %j", (path, value, key) => {
    const text = nested.replaceAll("\n", "\r\n");
    const at = pointer(text);
    expect([at.value(path), at.key(path)]).toEqual([value, key]);
  });

  it("are the very same with CRLF as with LF, to the length", () => {
    const documentIn = (text: string) => parseManifest(text, "test.yaml").documents.at(0)!;
    const [lf, crlf] = [documentIn(nested), documentIn(nested.replaceAll("\n", "\r\n"))];
    for (const [path] of cases) {
      expect(crlf.placeOf(path)).toEqual(lf.placeOf(path));
      expect(crlf.placeOfKey(path)).toEqual(lf.placeOfKey(path));
    }
  });

  it("a byte order mark takes no column", () => {
    expect(pointer("\uFEFFkind: Pod\n").key(["kind"])).toBe("1:1 kind");
  });

  it("lines are counted through all documents of a file", () => {
    const text = "a: 1\n---\n# b follows\nb: 2\n---\nc:\n  d: 3\n";
    expect(pointer(text, 1).value(["b"])).toBe("4:4 2");
    expect(pointer(text, 2).value(["c", "d"])).toBe("7:6 3");
    expect(pointer(text, 2).value([])).toBe("6:1 c:");
  });

  it("the value of an alias is shown at its anchor, the alias itself at its own place", () => {
    const at = pointer("base: &base\n  app: web\npod: *base\nlist: [*base]\n");
    expect(at.value(["pod"])).toBe("3:6 *base");
    expect(at.value(["pod", "app"])).toBe("2:8 web");
    expect(at.key(["list", 0, "app"])).toBe("2:3 app");
  });

  it("what a merge key brought in is shown at the mapping it came to", () => {
    const at = pointer("base: &base {app: web}\npod:\n  <<: *base\n  tier: front\n");
    expect(at.value(["pod", "app"])).toBe("3:3 <<: *base");
    expect(at.value(["pod", "tier"])).toBe("4:9 front");
  });

  it("keys that are numbers or words to YAML are found by their text", () => {
    const at = pointer("80: web\non: 1\n");
    expect(at.value(["80"])).toBe("1:5 web");
    expect(at.key(["true"])).toBe("2:1 on");
  });
});
