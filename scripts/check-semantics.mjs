// Every numbered statement of docs/semantics.md must be named by a test (`S3.4` in a title or a comment of a *.test.ts
// file): a promise without a test is soon broken.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, root, run } from "./prepare.mjs";

const page = "docs/semantics.md";

/**
 * @param {string} text that of the page, where a statement begins with its number: `**S3.4**`
 * @param {string[]} tests the texts of all test files
 * @returns {string[]} the statements that no test names
 */
export function untested(text, tests) {
  const statements = new Set([...text.matchAll(/\*\*(S\d+\.\d+)\*\*/g)].map((match) => match[1]));
  const named = new Set(tests.flatMap((test) => test.match(/\bS\d+\.\d+\b/g) ?? []));
  return [...statements].filter((statement) => !named.has(statement));
}

/** New files count before they are added; ignored ones never do. */
function testFiles() {
  const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "*.test.ts"];
  const { status, stdout, stderr } = run("git", args);
  if (status !== 0) throw new Error(`cannot list the test files: ${stderr}`);
  // A file deleted but not yet committed is still listed.
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
}

if (isMain(import.meta.url)) {
  if (!existsSync(join(root, page))) {
    console.log(`${page} is missing`);
    process.exit(1);
  }
  const read = (file) => readFileSync(join(root, file), "utf8");
  const missing = untested(read(page), testFiles().map(read));
  for (const statement of missing) console.log(`${page}: no test names ${statement}`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
