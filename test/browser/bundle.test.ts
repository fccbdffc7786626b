import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { pageFolder } from "@tierwall/ui";
import { describe, expect, it } from "vitest";
import { proverCode } from "../../bench/src/cases/prover-size.js";

/* Opening the page waits for its scripts: the page itself, the engine's thread, and the page that comes first. */

const mostKilobytes = 300;

const read = (file: string) => readFileSync(new URL(file, pageFolder), "utf8");

const compressed = (file: string) => gzipSync(read(`assets/${file}`), { level: 9 }).length;

/** The scripts without which nothing is shown. What they import only when it is asked for is not among them. */
function firstScripts(): readonly string[] {
  const found = new Set<string>();
  const add = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    for (const [, name] of read(`assets/${file}`).matchAll(
      /(?:^|[;}\s])import[^("'`]*["'`]\.\/([\w.-]+\.js)["'`]/g,
    ))
      add(name!);
  };
  for (const [, name] of read("index.html").matchAll(/(?:src|href)="\.\/assets\/([\w.-]+\.js)"/g)) add(name!);
  for (const file of readdirSync(new URL("assets/", pageFolder)))
    if (/^engine-worker-.*\.js$/.test(file)) add(file);
  return [...found];
}

describe("the scripts before lazy parts", () => {
  it(`are less than ${mostKilobytes} KB, compressed`, () => {
    const sizes = firstScripts().map((file) => [file, compressed(file)] as const);
    expect(sizes.map(([file]) => file.replace(/-.{8}\.js$/, ""))).toEqual(
      expect.arrayContaining(["index", "engine-worker"]),
    );
    const kilobytes = sizes.reduce((sum, [, size]) => sum + size, 0) / 1000;
    expect(kilobytes).toBeLessThan(mostKilobytes);
  });

  it("begin with a small one, which starts the engine, while the document names those that draw the page", () => {
    const document = read("index.html");
    const [, first] = /<script[^>]* src="\.\/assets\/([\w.-]+\.js)"/.exec(document)!;
    expect(compressed(first!)).toBeLessThan(4000);
    expect(read(`assets/${first}`)).toMatch(/new Worker\(/);
    const drawing = /import\(`\.\/(draw-[\w-]+\.js)`\)/.exec(read(`assets/${first}`))?.[1];
    expect(document).toMatch(new RegExp(`rel="modulepreload"[^>]*${drawing}`));
  });

  it("do not include the editor, which is loaded when something is edited", () => {
    for (const file of firstScripts()) expect(read(`assets/${file}`)).not.toContain("cm-scroller");
  });
});

/* The prover is all of packages/core/src/prove that the page uses, wherever the build puts it. */
describe("the prover", () => {
  const scripts = readdirSync(new URL("assets/", pageFolder)).filter((file) => file.endsWith(".js"));
  /** A text that only the prover has. */
  const isProver = (file: string) => read(`assets/${file}`).includes("budget-exhausted");

  it("is at most 60 KB, minified", async () => {
    // As `npm run bench -- --only prove` reports it.
    const code = await proverCode("es2023");
    expect(code).toContain("budget-exhausted");
    expect(code.length).toBeGreaterThan(10_000);
    expect(code.length).toBeLessThanOrEqual(60_000);
  });

  it("runs in the worker only", () => {
    const withProver = scripts.filter(isProver);
    // Lint has a part of it in the worker; what only guarantees need is loaded with them.
    const names = withProver.map((file) => file.replace(/-.{8}\.js$/, "")).toSorted();
    expect(names).toEqual(["engine-worker", "prover"]);
    const ofPage = scripts.filter((file) => /^(index|draw|guarantees-page|playground-page)-/.test(file));
    expect(ofPage.length).toBeGreaterThan(2);
    for (const file of ofPage)
      expect(read(`assets/${file}`)).not.toMatch(
        /from\s*["'`]\.\/(prover|engine-worker)-|import\(["'`]\.\/(prover|engine-worker)-/,
      );
  });
});
