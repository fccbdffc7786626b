import { describe, expect, it } from "vitest";
import { readConnectivityTests } from "../analysis/connectivity-test/connectivity-test.js";
import { runConnectivityTest, type TestResult } from "../analysis/connectivity-test/run-test.js";
import { readState } from "../state/state.js";
import { diagnostic } from "../diagnostics/diagnostic.js";
import { noStyle } from "./style.js";
import {
  diagnosticsJson,
  testResultsJson,
  testResultsJunit,
  testResultsText,
  totals,
} from "./test-results.js";

const cluster = `
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: server}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: x, name: np}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {"team": "a-team-with-a-rather-long-name"}}}]}]}}
`;
const state = readState([{ file: "cluster.yaml", text: cluster }]);

function results(name: string, ...expectations: readonly string[]): TestResult {
  const text = `apiVersion: tierwall.dev/v1\nkind: ConnectivityTest\nmetadata: {name: ${name}}\nspec:\n  expect:\n${expectations.map((line) => `  - ${line}\n`).join("")}`;
  const { tests, diagnostics } = readConnectivityTests(text, `tests/${name.replace(/\W+/g, "-")}.yaml`);
  expect(diagnostics).toEqual([]);
  return runConnectivityTest(state, tests.at(0)!);
}
const holds = '{from: a/client, to: ["x/server:80/TCP", "x/server:ICMP"], verdict: Deny}';
const fails = '{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: default}';
const cannotBeAsked = '{from: a/absent, to: "x/server:80/TCP", verdict: Deny}';

const good = results("isolated", holds);
const bad = results("open", fails, holds);

describe("totals", () => {
  it("count pairs", () => {
    expect(totals([])).toEqual({ passed: 0, failed: 0, errors: 0 });
    expect(totals([good, bad])).toEqual({ passed: 4, failed: 1, errors: 0 });
    expect(totals([good, results("odd", cannotBeAsked)])).toEqual({ passed: 2, failed: 0, errors: 1 });
  });
});

describe("as text", () => {
  it("each test with its file, and the count at the end", () => {
    const lines = testResultsText([good], noStyle).split("\n");
    expect(lines[0]).toMatch(/^✓ isolated .*tests\/isolated\.yaml.*2/);
    expect(lines.at(-1)).toBe("2 passed, 0 failed");
  });

  it("a mismatch prints its place, what was expected and found, and the explanation", () => {
    const shown = testResultsText([good, bad], noStyle);
    expect(shown).toMatch(/^✗ open .*2 of 3/m);
    expect(shown).toContain("tests/open.yaml:6");
    expect(shown).toContain(
      "a/client → x/server:80/TCP: expected Allow by default, found Deny by NetworkPolicy/x/np",
    );
    expect(shown).toContain("✗ DENIED");
    expect(shown).toContain("ingress to x/server");
    expect(shown.split("\n").at(-1)).toBe("4 passed, 1 failed");
  });

  it("a test that could not be asked is not marked as one that holds", () => {
    expect(testResultsText([results("odd", cannotBeAsked)], noStyle)).not.toMatch(/^✓/m);
  });

  it("an explanation fits in 80 columns here too", () => {
    const lines = testResultsText([bad], noStyle).split("\n");
    const explanation = lines.slice(lines.findIndex((line) => line.includes("✗ DENIED")));
    expect(explanation.filter((line) => line.length > 80 && line.trim().includes(" "))).toEqual([]);
  });
});

describe("as JSON", () => {
  const json = JSON.parse(JSON.stringify(testResultsJson([good, bad]))) as unknown;

  it("totals, and each test with its mismatches", () => {
    expect(json).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      passed: 4,
      failed: 1,
      tests: [
        { name: "isolated", file: "tests/isolated.yaml", passed: 2, failed: 0, mismatches: [] },
        {
          name: "open",
          file: "tests/open.yaml",
          passed: 2,
          failed: 1,
          mismatches: [
            {
              from: "a/client",
              to: "x/server:80/TCP",
              expected: { verdict: "Allow", decidedBy: "default" },
              actual: { verdict: "Deny", decidedBy: ["NetworkPolicy/x/np"] },
              file: "tests/open.yaml",
              line: 6,
              explanation: { kind: "Explanation", verdict: "Deny" },
            },
          ],
        },
      ],
    });
  });
});

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML as strictly as this report needs, and throws on anything that is not well-formed. */
function parseXml(xml: string): Element {
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/.exec(xml);
  if (declaration === null) throw new Error("no XML declaration");
  const root: Element = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const token = /<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  token.lastIndex = declaration[0].length;
  for (let end = token.lastIndex; end < xml.length; end = token.lastIndex) {
    const found = token.exec(xml);
    if (found === null) throw new Error(`not well-formed at ${end}: ${xml.slice(end, end + 60)}`);
    const [, closing, name = "", attributes = "", single, text] = found;
    const current = open.at(-1)!;
    if (text !== undefined) current.text += unescape(text);
    else if (closing === "/") {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}>`);
      open.pop();
    } else {
      const entries = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(
        (a) => [a[1] ?? "", unescape(a[2] ?? "")] as const,
      );
      const element = { name, attributes: Object.fromEntries(entries), children: [], text: "" };
      current.children.push(element);
      if (single !== "/") open.push(element);
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error("not one root that is closed");
  return root.children.at(0)!;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
function unescape(text: string): string {
  if (/&(?!(amp|lt|gt|quot|apos|#\d+);)/.test(text)) throw new Error(`a bare & in ${text}`);
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? (entities[name] ?? "") : String.fromCodePoint(Number(code)),
  );
}

describe("as JUnit's XML", () => {
  it("a suite for each test, a case for each pair, a failure for each mismatch", () => {
    const report = parseXml(testResultsJunit([good, bad]));
    expect([report.name, report.attributes]).toEqual([
      "testsuites",
      { name: "tierwall", tests: "5", failures: "1", errors: "0" },
    ]);
    expect(report.children.map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        "testsuite",
        { name: "isolated", file: "tests/isolated.yaml", tests: "2", failures: "0", errors: "0" },
      ],
      ["testsuite", { name: "open", file: "tests/open.yaml", tests: "3", failures: "1", errors: "0" }],
    ]);
    const cases = report.children.at(1)!.children;
    expect(
      cases.map(({ attributes, children }) => [attributes.name, attributes.line, children.length]),
    ).toEqual([
      ["a/client → x/server:80/TCP: Allow", "6", 1],
      ["a/client → x/server:80/TCP: Deny", "7", 0],
      ["a/client → x/server:ICMP: Deny", "7", 0],
    ]);
    const failure = cases[0]?.children[0];
    expect(failure?.name).toBe("failure");
    expect(failure?.attributes.message).toContain(
      "expected Allow by default, found Deny by NetworkPolicy/x/np",
    );
    expect(failure?.text).toContain("✗ DENIED");
  });

  it("is well-formed whatever names there are", () => {
    const odd = results(`"<b>&amp; 'x' \\"y\\" ]]>"`, fails);
    const [suite] = parseXml(testResultsJunit([odd])).children;
    expect(suite?.attributes.name).toBe(`<b>&amp; 'x' "y" ]]>`);
  });

  it("counts add up: a question that could not be asked is an error, not a pass", () => {
    const suite = parseXml(testResultsJunit([results("odd", cannotBeAsked, holds)])).children.at(0)!;
    const plain = suite.children.filter(({ children }) => children.length === 0);
    expect(plain).toHaveLength(2);
    expect(suite.attributes).toMatchObject({ tests: "3", failures: "0", errors: "1" });
    expect(suite.children.flatMap(({ children }) => children.map(({ name }) => name))).toEqual(["error"]);
  });

  it("nothing to report is a report too", () => {
    expect(parseXml(testResultsJunit([])).attributes).toEqual({
      name: "tierwall",
      tests: "0",
      failures: "0",
      errors: "0",
    });
  });
});

it("diagnostics as JSON: code, severity, message, place, object, path, hint", () => {
  const found = [
    diagnostic("TW1204", "unknown", {
      place: { file: "f.yaml", line: 3, column: 5, length: 2 },
      object: "Pod a/b",
      path: ["spec", "ports", 0],
      hint: "Remove it.",
    }),
    diagnostic("TW3001", "made up"),
  ];
  expect(JSON.parse(JSON.stringify(diagnosticsJson(found)))).toEqual([
    {
      code: "TW1204",
      severity: "error",
      message: "unknown",
      file: "f.yaml",
      line: 3,
      column: 5,
      object: "Pod a/b",
      path: "spec.ports[0]",
      hint: "Remove it.",
    },
    { code: "TW3001", severity: "note", message: "made up" },
  ]);
});
