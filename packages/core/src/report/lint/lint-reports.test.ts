/// <reference types="node" />
import { createRequire } from "node:module";
import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { lint, type LintReport } from "../../analysis/lint/lint.js";
import { readState } from "../../state/state.js";
import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { namespace, networkPolicy, pod } from "../../../testing/manifests.js";
import { lintGithub } from "./lint-github.js";
import { lintJson } from "./lint-json.js";
import { lintJunit } from "./lint-junit.js";
import { lintSarif } from "./lint-sarif.js";
import { lintText } from "./lint-text.js";
import { noStyle } from "../style.js";

const cluster =
  namespace("shop") +
  namespace("kube-system") +
  pod("shop/cart") +
  pod("kube-system/coredns", { labels: "{k8s-app: kube-dns}" });
const policies =
  networkPolicy("shop/deny", { policyTypes: "[Egress]" }) +
  networkPolicy("shop/deny-too", { policyTypes: "[Egress]" }) +
  networkPolicy("shop/none", { podSelector: "{matchLabels: {app: none}}" }) +
  networkPolicy("shop/cidr", { ingress: "[{from: [{ipBlock: {cidr: 10.1.2.3/8}}]}]" }) +
  networkPolicy("shop/meant", {
    ingress: "[{from: [{ipBlock: {cidr: 11.1.2.3/9}}]}] # tierwall-ignore TW2001: the vendor's spelling",
  });

function reportOn(...texts: readonly string[]): LintReport {
  const sources = texts.map((text, i) => ({ file: `policies/${i}, <a>.yaml`, text }));
  return lint(readState(sources), { sources });
}

const report = reportOn(cluster, policies);
const broken = reportOn(policies.replace("10.1.2.3/8", "10.1.2.3/88"));
const empty = reportOn("");

describe("SARIF", () => {
  const schema = createRequire(import.meta.url)(
    "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json",
  ) as object;
  const draft04 = createRequire(import.meta.url)("ajv/lib/refs/json-schema-draft-04.json") as object;
  const ajv = new Ajv({ schemaId: "id", allErrors: true, unknownFormats: "ignore", logger: false });
  ajv.addMetaSchema(draft04);
  const validate = ajv.compile(schema);
  const written = (of: LintReport) =>
    JSON.parse(JSON.stringify(lintSarif(of, "1.2.3"))) as { runs: readonly Run[] };
  interface Run {
    readonly results: readonly { readonly ruleId: string; readonly [key: string]: unknown }[];
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  }

  it.each([
    ["with findings of all sorts", report],
    ["of a state with errors", broken],
    ["without findings", empty],
  ])("is valid by the official schema: a report %s", (_what, of) => {
    validate(written(of));
    expect(validate.errors ?? []).toEqual([]);
  });

  it("the schema would find a mistake", () => {
    const [run] = written(report).runs;
    expect(validate({ version: "2.1.0", runs: [{ ...run, results: [{ level: "fatal" }] }] })).toBe(false);
  });

  it("has place, rule, fix, and what was excepted", () => {
    const { results, tool } = written(report).runs[0]!;
    const of = (code: string) => results.filter(({ ruleId }) => ruleId === code);
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(["TW2001", "TW4001", "TW4005"]);
    expect(of("TW2001")[0]).toMatchObject({
      level: "warning",
      ruleIndex: 0,
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "policies/1%2C%20%3Ca%3E.yaml" },
            region: { startLine: 27, startColumn: 38, endColumn: 48 },
          },
        },
      ],
      fixes: [{ artifactChanges: [{ replacements: [{ insertedContent: { text: "10.0.0.0/8" } }] }] }],
    });
    expect(of("TW2001")[1]).toMatchObject({
      suppressions: [{ kind: "inSource", justification: "the vendor's spelling" }],
    });
  });

  it("makes no link of a name, however it is escaped", () => {
    const hostile = lint(
      readState([
        {
          file: "a.yaml",
          text: `${namespace("shop")}${networkPolicy("shop/x", { podSelector: '{matchLabels: {"[a](http://e)": "\\\\[b](http://e)"}}' })}`,
        },
      ]),
    );
    const texts = [...JSON.stringify(lintSarif(hostile, "1")).matchAll(/"text":("(?:\\.|[^"\\])*")/g)].map(
      ([, text]) => JSON.parse(text!) as string,
    );
    expect(texts.some((text) => text.includes("http://e"))).toBe(true);
    // Every bracket has an odd number of backslashes before it.
    for (const text of texts) expect(text).not.toMatch(/(?<!\\)(?:\\\\)*[[\]]/);
  });

  it("has related places", () => {
    const { results } = written(report).runs[0]!;
    const of = (code: string) => results.filter(({ ruleId }) => ruleId === code);
    expect(of("TW4005")[0]).toMatchObject({
      relatedLocations: [{ message: { text: "NetworkPolicy shop/deny-too isolates them, too" } }],
    });
  });
});

describe("JSON", () => {
  it("counts, and lists all of each finding", () => {
    const json = JSON.parse(JSON.stringify(lintJson(report))) as {
      readonly findings: readonly { readonly code: string }[];
    };
    expect(json).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "LintReport",
      errors: 0,
      warnings: 3,
      notes: 0,
      complete: true,
      suppressed: [{ code: "TW2001", reason: "the vendor's spelling" }],
    });
    expect(json.findings.find(({ code }) => code === "TW4005")).toMatchObject({
      severity: "warning",
      title: "pods that are cut off from DNS",
      object: "NetworkPolicy shop/deny",
      witness: { flow: { to: { name: "coredns" }, protocol: "UDP", port: 53 }, verdict: "Deny" },
      related: [{ text: "NetworkPolicy shop/deny-too isolates them, too", line: 9 }],
    });
    expect(json.findings.find(({ code }) => code === "TW2001")).toMatchObject({
      fix: { title: "write `10.0.0.0/8`", edits: [{ line: 27, column: 38, length: 10, text: "10.0.0.0/8" }] },
    });
  });
});

it("GitHub's annotations: one for each finding, with what it could mistake escaped", () => {
  const lines = lintGithub(report).split("\n");
  expect(lines).toHaveLength(report.findings.length);
  expect(lines[2]).toBe(
    "::warning file=policies/1%2C <a>.yaml,line=27,col=38,endColumn=48,title=TW2001 NetworkPolicy shop/cidr::" +
      "`10.1.2.3/8` has host bits set; it is read as `10.0.0.0/8`%0AImplementations differ on this: write the network address.",
  );
});

it("JUnit: a suite for each file; only what is not tolerated is a failure", () => {
  const files = ["policies/0, <a>.yaml", "policies/1, <a>.yaml"];
  const isFailure = ({ code }: Diagnostic) => code !== "TW4001";
  const xml = lintJunit(report, files, isFailure);
  expect(xml).toContain('<testsuite name="policies/0, &lt;a&gt;.yaml" tests="1" failures="0">');
  expect(xml).toContain('<testsuite name="policies/1, &lt;a&gt;.yaml" tests="3" failures="2">');
  expect(xml.match(/<failure /g)).toHaveLength(2);
  expect(xml.match(/<system-out>/g)).toHaveLength(1);
});

describe("text", () => {
  const many = reportOn(
    cluster +
      Array.from({ length: 12 }, (_, i) =>
        networkPolicy(`shop/none-${i}`, { podSelector: "{matchLabels: {a: b}}" }),
      ).join(""),
  );
  const text = (of: LintReport, verbose = false) =>
    lintText(of, { sourceText: () => undefined, style: noStyle, verbose });

  it("the first of a kind in full, and how many more there are", () => {
    const lines = text(many).split("\n");
    expect(lines.filter((line) => line.includes("selects no pod"))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^ {2}11 more like this \(-v\): policies\/0, <a>\.yaml:\d+, \d+, \d+, …$/);
  });

  it("a table of the codes first, the worst at the top, unless there is only one", () => {
    const noted = text(reportOn(cluster, policies, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"));
    expect(noted.split("\n\n", 1)[0]!.split("\n")).toEqual([
      "  warning TW4005  1  pods that are cut off from DNS",
      "  warning TW4001  1  a policy that selects no pod",
      "  warning TW2001  1  a CIDR with host bits set",
      "  note    TW3003  1  kinds that are skipped",
    ]);
    expect(text(many)).not.toMatch(/^ {2}warning TW4001 {2}/m);
  });

  it("all of them in full with -v, and what was excepted", () => {
    expect(text(many, true).match(/warning TW4001/g)).toHaveLength(12);
    expect(text(report, true)).toContain("(the vendor's spelling)");
  });

  it("a witness, related places, and that a finding can be fixed", () => {
    expect(text(report)).toContain("  For example: shop/cart → kube-system/coredns :53/UDP: denied");
    expect(text(report, true)).toContain(
      "  NetworkPolicy shop/deny-too isolates them, too · policies/1, <a>.yaml:9",
    );
    expect(text(report)).toContain("  --fix would write `10.0.0.0/8`.");
  });
});
