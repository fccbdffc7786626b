import { readdirSync, readFileSync } from "node:fs";
import type { Diagnostic } from "@tierwall/core";
import { readConnectivityTests } from "@tierwall/core/analysis";
import { diagnostics } from "@tierwall/core/manifest";
import { diagnosticText, noStyle } from "@tierwall/core/report";
import { Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";

/*
 * Bad input, one mistake a file: test/broken/<what it is about>/<what it shows>.yaml. Its first lines say what must be
 * reported, in this order and nothing else:
 *
 *   # expect: TW1204 9:13 did you mean `matchLabels`?      code, line:column, and words of the message (optional)
 *   # S10.1: case is the usual mistake.                    the statement of the semantics, for the reader
 */

interface Broken {
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  readonly expected: readonly Expected[];
  readonly title: string;
}

interface Expected {
  /** `TW1204 9:13`; just the code where nothing in the file is to blame. */
  readonly what: string;
  readonly words: string;
}

const root = new URL("broken/", import.meta.url);
const cases = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".yaml"))
  .toSorted()
  .map((path) => readCase(path.replaceAll("\\", "/")));

function readCase(path: string): Broken {
  const text = readFileSync(new URL(path, root), "utf8");
  const comments = /^(#.*\n)*/.exec(text)![0].trimEnd().split("\n");
  const [folder, name] = path.slice(0, -".yaml".length).split("/") as [string, string];
  const notes = comments.filter((line) => !line.startsWith("# expect: ")).map((line) => line.slice(2));
  return {
    path,
    folder,
    text,
    expected: comments.filter((line) => line.startsWith("# expect: ")).map(readExpected),
    title: [name.replaceAll("-", " "), ...notes].join(" · "),
  };
}

function readExpected(line: string): Expected {
  const [, what, words = ""] = /^# expect: (TW\d{4}(?: \d+:\d+)?)(?: (.*))?$/.exec(line) ?? [];
  if (what === undefined) throw new Error(`not an expectation: ${line}`);
  return { what, words };
}

/** The namespace that most files are about, so that none is made up. */
const namespaces = {
  file: "namespaces.yaml",
  text: "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
};

function diagnosticsOf({ folder, text }: Pick<Broken, "folder" | "text">): readonly Diagnostic[] {
  if (folder === "connectivity-test") return readConnectivityTests(text, "example.yaml").diagnostics;
  if (folder === "guarantee") {
    const { guarantees, diagnostics } = readGuarantees(text, "example.yaml");
    const state = readState([{ file: "example.yaml", text }]);
    const run = guarantees.map((guarantee) => runGuarantee(new Prover(state), state, guarantee, {}));
    return [...diagnostics, ...run.flatMap((result) => result.diagnostics)];
  }
  return readState([namespaces, { file: "example.yaml", text }]).diagnostics;
}

function whatOf({ code, place }: Diagnostic): string {
  return place === undefined ? code : `${code} ${place.line}:${place.column}`;
}

/** What the caret of a diagnostic's frame stands under, and what the file has at its place. */
function underlined(
  found: Diagnostic,
  text: string,
): readonly [shown: string | undefined, source: string | undefined] {
  const { line, column } = found.place!;
  const frame = diagnosticText(found, () => text, noStyle).split("\n");
  const caret = frame.findIndex((row) => /^ +\| [ \t]*\^/.test(row));
  const above = frame[caret - 1] ?? "";
  const isThatLine = above.trimStart().startsWith(`${line} | `);
  return [isThatLine ? above[frame[caret]!.indexOf("^")] : "", text.split("\n")[line - 1]![column - 1]];
}

describe.each([...new Set(cases.map(({ folder }) => folder))])("broken: %s", (folder) => {
  it.each(cases.filter((c) => c.folder === folder).map((c) => [c.title, c] as const))("%s", (_, broken) => {
    const found = diagnosticsOf(broken);
    expect(found.map(whatOf)).toEqual(broken.expected.map(({ what }) => what));
    for (const [i, { words }] of broken.expected.entries()) expect(found[i]!.message).toContain(words);
  });
});

/** What can be got wrong in the bytes of a file, where a comment with the expectation would be in the way. */
const texts: readonly (readonly [title: string, text: string, expected: readonly string[]])[] = [
  ["an empty file is valid", "", []],
  ["so is a file of comments only", "# nothing yet\n", []],
  ["so are empty documents", "---\n---\n# none\n---\n", []],
  [
    "S10.3: an object of another kind is only counted",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n",
    ["TW3003"],
  ],
  ["S10.3: so is one without a kind", "hello: world\n", ["TW3003"]],
  [
    "JSON: a field that is not known",
    '{\n  "apiVersion": "networking.k8s.io/v1",\n  "kind": "NetworkPolicy",\n' +
      '  "metadata": {"name": "web", "namespace": "shop"},\n  "spec": {"podselector": {}}\n}\n',
    ["TW1204 5:12"],
  ],
  ["JSON: a list of objects is not a List", '[{"apiVersion": "v1", "kind": "Namespace"}]', ["TW1003 1:1"]],
  [
    "JSON: a stream of objects, the second without a name",
    '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}\n{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"a"}}\n',
    ["TW1101 2:33"],
  ],
  ["JSON that breaks off", '{"apiVersion": "v1",\n "kind": "Pod"', ["TW1001 2:15"]],
  ["a byte order mark shifts no column", "\uFEFFkind: NetworkPolicy\nmetadata: {name: x}\n", ["TW1104 1:1"]],
  ["Windows line ends shift no line", "apiVersion: v1\r\nkind: Pod\r\nmetadata: {}\r\n", ["TW1101 3:1"]],
];

describe("broken: the bytes of a file", () => {
  it.each(texts)("%s", (_, text, expected) => {
    expect(diagnosticsOf({ folder: "", text }).map(whatOf)).toEqual(expected);
  });
});

describe("the broken files as a whole", () => {
  it("every one of them expects something", () => {
    expect(cases.filter(({ expected }) => expected.length === 0).map(({ path }) => path)).toEqual([]);
  });

  it("there is one for every code that a manifest can yield", () => {
    const elsewhere = [
      "TW1004 TW1007 TW1009 TW1309", // only the command line says it
      "TW1010 TW1011", // about bytes that are not read as a manifest: kube/src/files/bounded-input.test.ts
      "TW1502 TW1504 TW1505 TW1506", // about a question, not about a file
      "TW1507 TW1601 TW1602", // about what is to be deleted or converted
      "TW1508", // about a guarantee and the files that it names: core/src/prove/guarantee/guarantee.test.ts
      "TW1008 TW2023", // about observed traffic
      "TW2022", // with --keep-going only
      "TW2025", // about what could not be read
      "TW2030", // the same
      "TW2026 TW3007 TW3008 TW3009", // about policies of other APIs: core/src/evaluate/foreign.test.ts
      "TW3001 TW3003 TW3005 TW3006", // nothing is wrong
    ].flatMap((codes) => codes.split(" "));
    const ofLint = Object.keys(diagnostics).filter((code) => code.startsWith("TW4"));
    const covered = cases.flatMap(({ expected }) => expected.map(({ what }) => what.slice(0, 6)));
    const missing = Object.keys(diagnostics).filter(
      (code) => ![...covered, ...elsewhere, ...ofLint].includes(code),
    );
    expect(missing).toEqual([]);
  });

  it("S10.1: the mistakes of many files are all reported at once", () => {
    const some = cases.filter(({ folder }) =>
      ["network-policy", "cluster-network-policy", "cilium"].includes(folder),
    );
    const sources = some.map(({ path, text }, i) => ({
      file: path,
      // Each its own name, or they would be the same objects.
      text: text.replaceAll(/name: (web|guard|dns)\b/g, `name: n${i}`),
    }));
    const errors = readState(sources).diagnostics.filter(({ severity }) => severity === "error");
    const expected = some.flatMap(({ path, expected }) =>
      expected.map(({ what }) => `${path} ${what.slice(0, 6)}`).filter((line) => line.includes(" TW1")),
    );
    expect(errors.map(({ code, place }) => `${place?.file} ${code}`)).toEqual(expected);
  });

  it("each can be shown to a person, with a caret under what it is about", () => {
    const misplaced = cases.flatMap((broken) =>
      diagnosticsOf(broken)
        .filter(({ place, severity }) => place !== undefined && severity !== "note")
        .filter((found) => {
          const [shown, source] = underlined(found, broken.text);
          return shown !== source;
        })
        .map(({ code }) => `${broken.path} ${code}`),
    );
    expect(misplaced).toEqual([]);
  });
});
