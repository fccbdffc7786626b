import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/*
 * The ```js blocks of docs/reference/library.md and library-questions.md are one program, in this order, with the files of the page
 * (`<!-- file: shop.yaml -->`). It runs on the package as it is built, and each block prints the ```text block below it.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const page = ["library.md", "library-questions.md"]
  .map((file) => readFileSync(join(root, "docs/reference", file), "utf8"))
  .join("\n");
const files = [...page.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs)];
const blocks = [...page.matchAll(/^```js\n((?:.*\n)*?)```\n(?:\n```text\n((?:.*\n)*?)```$)?/gm)].map(
  ([, code, output]) => ({ code: code!, output: output ?? "" }),
);

/** Ends what a block prints. */
const mark = "--- end of block ---";

// Below the repository, so that `@tierwall/core` is found as it is in a project that depends on it.
mkdirSync(join(root, ".cache"), { recursive: true });
const folder = mkdtempSync(join(root, ".cache", "library-page-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the program of docs/reference/library.md prints what the page shows", () => {
  let printed: readonly string[] = [];

  beforeAll(() => {
    for (const [, path, text] of files) writeFileSync(join(folder, path!), text!);
    const program = blocks.map(({ code }) => `${code}console.log(${JSON.stringify(mark)});\n`).join("\n");
    writeFileSync(join(folder, "program.mjs"), program);
    const output = execFileSync(process.execPath, ["program.mjs"], { cwd: folder, encoding: "utf8" });
    printed = output.split(`${mark}\n`);
  });

  it("has examples", () => expect(blocks.length).toBeGreaterThan(5));

  it.each(blocks.map((block, i) => ({ ...block, i })))("block $i", ({ output, i }) => {
    expect(printed[i]).toBe(output);
  });
});
