import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onlyInFull } from "../../../../test/slice.mjs";
import { caveatsOfAll } from "../state/caveat.js";
import { compareStates } from "../analysis/changes/compare.js";
import { readConnectivityTests } from "../analysis/connectivity-test/connectivity-test.js";
import { convert } from "../analysis/convert/convert.js";
import { readEdited } from "../state/edit/edited-state.js";
import { parseEndpoint, parseTarget } from "../analysis/endpoints/endpoint-ref.js";
import { explain } from "../analysis/explain/explain.js";
import { lint } from "../analysis/lint/lint.js";
import { lookup } from "../analysis/lookup/lookup.js";
import { matrixOf } from "../analysis/matrix/matrix.js";
import { Reasons } from "../analysis/matrix/reasons.js";
import { preview } from "../analysis/preview/preview.js";
import { readerOf } from "../analysis/replay/format.js";
import { Replay } from "../analysis/replay/replay.js";
import { runConnectivityTest } from "../analysis/connectivity-test/run-test.js";
import { readState } from "../state/state.js";
import type { Result } from "../diagnostics/result.js";
import { visible } from "../diagnostics/visible.js";
import { compile } from "../engine/engine.js";
import { hostileManifests, hostileTest } from "../../testing/hostile-cluster.js";
import { anyHostileText, hostileTexts } from "../../testing/hostile-texts.js";
import { everything } from "../../testing/matrix-world.js";
import { caveatsJson } from "./caveats.js";
import { changesAnnotations } from "./changes/changes-markdown.js";
import { changesJson } from "./changes/changes-json.js";
import { changesMarkdown } from "./changes/changes-markdown.js";
import { changesText } from "./changes/changes-text.js";
import { conversionJson, conversionText } from "./conversion.js";
import { diagnosticText } from "./diagnostics-text.js";
import { explanationJson } from "./explanation/explanation-json.js";
import { explanationText } from "./explanation/explanation-text.js";
import { annotationText } from "./github-annotation.js";
import { lintGithub } from "./lint/lint-github.js";
import { lintJson } from "./lint/lint-json.js";
import { lintJunit } from "./lint/lint-junit.js";
import { lintSarif } from "./lint/lint-sarif.js";
import { lintText } from "./lint/lint-text.js";
import { lookupJson } from "./lookup/lookup-json.js";
import { lookupText } from "./lookup/lookup-text.js";
import { matrixCsv } from "./matrix/matrix-csv.js";
import { matrixDot } from "./matrix/matrix-dot.js";
import { matrixReportJson } from "./matrix/matrix-report.js";
import { matrixJson } from "./matrix/matrix-json.js";
import { matrixMarkdown } from "./matrix/matrix-markdown.js";
import { pictureOf } from "./matrix/matrix-picture.js";
import { matrixSvg } from "./matrix/matrix-svg.js";
import { matrixText } from "./matrix/matrix-text.js";
import { previewAnnotations, previewMarkdown } from "./preview/preview-markdown.js";
import { previewJson } from "./preview/preview-json.js";
import { previewText } from "./preview/preview-text.js";
import { replayJson } from "./replay/replay-json.js";
import { replayText } from "./replay/replay-text.js";
import { noStyle } from "./style.js";
import { diagnosticsJson, testResultsJson, testResultsJunit, testResultsText } from "./test-results.js";

/*
 * An author of manifests controls every name in them. In every format of every report, no name may become anything but a name: no
 * line, cell, element, link, formula or command.
 */

const must = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.diagnostic.message);
  return result.value;
};

type Reports = Readonly<Record<"text" | "json" | "markdown" | "csv" | "markup" | "dot" | "github", string[]>>;

/** Every report in every format. */
function reportsOn(name: string, free: string): Reports {
  // As commands name files.
  const file = `./${visible(name)}`;
  const text = hostileManifests(name, free)
    .map((object) => JSON.stringify(object, undefined, 1))
    .join("\n---\n");
  const sources = [{ file, text }];
  const options = { keepGoing: true };
  const state = readState(sources, options);
  const sourceText = () => text;
  const answer = (from: string, to: string) => {
    const { endpoint, port } = must(parseTarget(to));
    return must(explain(state, { from: must(parseEndpoint(from)), to: endpoint, port }));
  };
  const explained = answer("shop/cart", "shop/api:80/TCP");
  const undecided = answer("shop/api", "shop/cart:80/TCP");
  const engine = compile(state.cluster, state.tiers);
  const matrix = must(matrixOf(engine, { ...everything, by: "pod" }));
  const found = must(lookup(state, must(parseEndpoint("shop/api"))));
  const report = lint(state, { sources });
  const without = readState([{ file, text: text.split("\n---\n").slice(0, 7).join("\n---\n") }], options);
  const changes = compareStates(without, state);
  const edited = preview(
    readEdited(
      [{ file, text: text.split("\n---\n").slice(0, 7).join("\n---\n") }],
      { apply: [{ file, text: text.split("\n---\n").slice(7, 8).join("\n---\n") }], remove: [] },
      options,
    ),
  );
  const replay = new Replay(state);
  const hubble = readerOf("hubble", "")!;
  replay.add(
    hubble(
      JSON.stringify({
        IP: { source: "10.1.1.1", destination: "10.1.1.2" },
        source: { namespace: name, pod_name: name },
        destination: { namespace: "shop", pod_name: "api" },
        l4: { TCP: { destination_port: 80 } },
        verdict: "FORWARDED",
      }),
    )!,
  );
  const replayed = replay.result();
  const tests = readConnectivityTests(JSON.stringify(hostileTest(name)), file);
  const results = tests.tests.map((one) => runConnectivityTest(state, one));
  const conversion = convert(state, { to: "network-policy" });
  const style = { style: noStyle, verbose: true };
  const caveats = caveatsOfAll(state);
  const all = { denied: true, caveats };
  const annotations = [...changesAnnotations(changes), ...previewAnnotations(edited)].map(annotationText);
  return {
    text: [
      explanationText(explained, style),
      explanationText(undecided, style),
      [...matrixText(matrix, { ...style, ...all })].join("\n"),
      lookupText(found, style),
      changesText(changes, style),
      previewText(edited, style),
      replayText(replayed, style),
      testResultsText(results, noStyle),
      // What follows quotes the source, and offers fixes only where that is simple.
      lintText(report, { ...style, sourceText }),
      conversionText(conversion, noStyle),
      conversion.text,
      ...state.diagnostics.map((one) => diagnosticText(one, sourceText, noStyle)),
      ...tests.diagnostics.map((one) => diagnosticText(one, sourceText, noStyle)),
    ],
    json: [
      explanationJson(explained),
      explanationJson(undecided),
      lookupJson(found),
      lintJson(report),
      lintSarif(report, "1"),
      changesJson(changes),
      previewJson(edited),
      replayJson(replayed),
      testResultsJson(results),
      conversionJson(conversion),
      diagnosticsJson(state.diagnostics),
    ]
      .map((value) => JSON.stringify(value))
      .concat(
        [...matrixJson(matrix, { denied: true, caveats: caveatsJson(caveats), remarks: [] })].join("\n"),
      ),
    markdown: [
      [...matrixMarkdown(matrix, all)].join("\n"),
      changesMarkdown(changes),
      previewMarkdown(edited),
    ],
    csv: [[...matrixCsv(matrix, all)].join("\n")],
    markup: [
      [...matrixSvg(pictureOf(matrix), { caveats })].join("\n"),
      lintJunit(report, [file], () => true),
      testResultsJunit(results),
      matrixReportJson(matrix, new Reasons(engine, matrix), caveats),
    ],
    dot: [[...matrixDot(matrix, all)].join("\n")],
    github: [lintGithub(report), ...annotations],
  };
}

/** How many of the texts quote nothing of the source. */
const answers = 8;

const unseen = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[^\n\t\P{Cc}]/u;
/** Of the same length and without anything that could mean something; valid where the name itself is. */
const harmless = (name: string) =>
  visible(name)
    .replace(/[^a-z0-9]/gi, "x")
    .slice(0, name.length <= longestRuleName ? longestRuleName : undefined);

const longestRuleName = 100;

const linesOf = (texts: readonly string[]) => texts.join("\n").split("\n");

const checks: Readonly<Record<keyof Reports, (texts: string[], name: string) => void>> = {
  text: (texts) => {
    for (const line of linesOf(texts)) {
      expect(line).not.toMatch(/^\s*(::[a-z]|✓ ALLOWED {2}shop)/);
      expect(line).not.toMatch(obeyedAnywhere);
    }
  },
  json: (texts) => {
    for (const text of texts) expect(() => JSON.parse(text) as unknown).not.toThrow();
  },
  markdown: (texts) => {
    for (const text of texts) {
      const outside = withoutCode(text);
      expect(outside).not.toMatch(/(?<!\\)<(?!br>)|@|:\/\/|(?<!\\)\]\(|(?<!\\)`/);
      expect(outside).not.toMatch(/GH-\d|[!$%]\d|\b[0-9a-f]{7,}\b|:rocket:/);
      for (const row of text.split("\n").filter((line) => line.startsWith("|")))
        expect([4, 7, 3]).toContain(row.replaceAll(/\\./g, "").split("|").length - 1);
    }
  },
  csv: (texts) => {
    for (const line of linesOf(texts))
      for (const cell of cellsOf(line)) expect(cell).not.toMatch(/^[\s\p{C}]*[=+\-@]/u);
  },
  markup: (texts, name) => {
    for (const text of texts) {
      expect(text).not.toContain("<script>alert");
      expect(text).not.toMatch(/<img|<svg onload|<x\/>/);
      if (/[<>]/.test(name) && name.length > 3) expect(text).not.toContain(`>${name}<`);
    }
  },
  dot: (texts) => {
    // Without its quoted texts, a graph contains only Tierwall's own words; a caveat is a comment on a line of its own.
    for (const line of linesOf(texts).filter((one) => !one.startsWith("// caveat: ")))
      expect(line.replaceAll(/"(?:\\.|[^"\\])*"/g, '""')).toMatch(/^[\w\s{}[\]=,;>"-]*$/);
  },
  github: (texts) => {
    for (const line of linesOf(texts)) expect(line).toMatch(/^::(error|warning|notice) [^:]*::[^\n]*$|^$/);
    for (const text of texts) expect(text).not.toMatch(obeyedAnywhere);
  },
};

/** GitHub's runner and the agent of Azure Pipelines obey these commands anywhere in a line. */
const obeyedAnywhere = /##(vso)?\[/i;

/** Without code spans, in which nothing has a meaning. */
const withoutCode = (text: string) => text.replace(/(?<!\\)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");

const cellsOf = (line: string) =>
  [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell]) =>
    cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!,
  );

function expectSafe(name: string): void {
  const reports = reportsOn(name, name);
  for (const [format, texts] of Object.entries(reports) as [keyof Reports, string[]][]) {
    // JSON strings may contain anything, as escapes: terminals get it through the same function.
    if (format !== "json") for (const text of texts) expect(aroundUnseen(text)).toBeUndefined();
    checks[format](texts, name);
  }
  // Answers have as many lines as with a name that means nothing.
  const [given, meaningless] = [name.replaceAll(/["\\]/g, ""), harmless(name.replaceAll(/["\\]/g, ""))];
  const lengths = (free: string) =>
    reportsOn("plain", free)
      .text.slice(0, answers)
      .map((text) => text.split("\n").length);
  expect(lengths(given)).toEqual(lengths(meaningless));
}

function aroundUnseen(text: string): string | undefined {
  const at = unseen.exec(text)?.index;
  return at === undefined ? undefined : JSON.stringify(text.slice(Math.max(0, at - 60), at + 20));
}

describe("names in every format of every report", () => {
  for (const [place, text] of hostileTexts.entries())
    it(JSON.stringify(text), place % 6 === 0 ? {} : onlyInFull, () => expectSafe(text));

  it("whatever they are", () => {
    fc.assert(
      fc.property(anyHostileText, (name) => expectSafe(name)),
      { numRuns: 12 },
    );
  }, 300_000);
});
