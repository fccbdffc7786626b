import { describe, expect, it } from "vitest";
import type { Caveat } from "../state/caveat.js";
import { readConnectivityTests } from "../analysis/connectivity-test/connectivity-test.js";
import { runConnectivityTest } from "../analysis/connectivity-test/run-test.js";
import { readState } from "../state/state.js";
import { matrixIn, shopYaml } from "../../testing/matrix-world.js";
import { caveatLines, caveatsMarkdown } from "./caveats.js";
import { matrixDot } from "./matrix/matrix-dot.js";
import { pictureOf } from "./matrix/matrix-picture.js";
import { matrixSvg } from "./matrix/matrix-svg.js";
import { noStyle } from "./style.js";
import { testResultsJunit } from "./test-results.js";

const mesh = (number: number): Caveat => ({ kind: "mesh", text: `mesh ${number}`, object: `m${number}` });
const must: readonly Caveat[] = [
  { kind: "ignored", text: "ignored API" },
  { kind: "unseen", text: "unseen kind" },
  { kind: "undecided", text: "undecided pairs", connections: 2 },
];
const many = [...[1, 2, 3, 4, 5, 6].map(mesh), ...must];
const [ignored] = must;

describe("more caveats than are shown", () => {
  it.each([
    ["text", caveatLines(many, noStyle).join("\n"), "! 4 more caveats (-v shows them)"],
    ["Markdown", caveatsMarkdown(many).join("\n"), "> 4 more caveats (`-o json` lists them)"],
  ])("are counted in %s, and none that must not be missed is left out", (_, shown, counted) => {
    expect(shown).toContain(counted);
    for (const { text } of [mesh(1), mesh(2), ...must]) expect(shown).toContain(text);
    expect(shown).not.toContain("mesh 3");
  });

  it("are all shown where that is asked for", () => {
    expect(caveatLines(many, noStyle, true)).toHaveLength(many.length);
  });
});

describe("caveats of pictures and reports for machines", () => {
  const { matrix } = matrixIn(shopYaml);

  it("are comments in DOT", () => {
    const lines = [...matrixDot(matrix, { denied: false, caveats: many })];
    expect(lines.slice(0, many.length)).toEqual(many.map(({ text }) => `// caveat: ${text}`));
  });

  it("are described and visible in SVG, below the legend and inside of the picture", () => {
    const drawn = (caveats: readonly Caveat[]) => [...matrixSvg(pictureOf(matrix), { caveats })].join("\n");
    const svg = drawn(many);
    const described = /<desc>([^<]*)<\/desc>/.exec(svg)![1];
    expect(described!.split("\n")).toEqual(many.map(({ text }) => `Caveat: ${text}`));
    expect(svg).toMatch(/<text[^>]*>! caveat: ignored API<\/text>/);
    expect(svg).toMatch(/<text[^>]*>! 4 more caveats<\/text>/);
    const height = (of: string) => Number(/ height="(\d+)"/.exec(of)![1]);
    const lowest = Math.max(...[...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"/g)].map(([, y]) => Number(y)));
    expect(height(svg)).toBeGreaterThan(height(drawn([])));
    expect(lowest).toBeLessThan(height(svg));
    expect(drawn([])).not.toContain("<desc>");
  });

  it("are properties of a suite in JUnit's XML", () => {
    const pods = `{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: x}}\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: y}}`;
    const snapshot = `{apiVersion: tierwall.dev/v1, kind: Snapshot, forbidden: ["<secret>"]}`;
    const state = readState([{ file: "a.yaml", text: `${pods}\n---\n${snapshot}` }]);
    const { tests } = readConnectivityTests(
      `{apiVersion: tierwall.dev/v1, kind: ConnectivityTest, metadata: {name: t}, spec: {expect: [{from: a/x, to: "a/y:80/TCP", verdict: Allow}]}}`,
      "t.yaml",
    );
    const xml = testResultsJunit(tests.map((test) => runConnectivityTest(state, test)));
    expect(xml).toContain(
      '    <properties>\n      <property name="caveat" value="&lt;secret&gt; could not be read: answers assume that there are none"/>\n    </properties>\n    <testcase',
    );
  });

  it("are not counted where there is none", () => {
    expect(caveatsMarkdown([])).toEqual([]);
    expect(caveatsMarkdown([ignored!])).toEqual(["> **Caveat:** ignored API", ""]);
  });
});
