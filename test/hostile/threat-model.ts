import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A test that docs/explanation/threat-model.md cites: its file, and a part of its name where the page gives one. */
export interface CitedTest {
  readonly file: string;
  readonly name?: string;
}

export const root = fileURLToPath(new URL("../..", import.meta.url));

export function citedTests(): readonly CitedTest[] {
  const page = readFileSync(`${root}/docs/explanation/threat-model.md`, "utf8");
  const citation = /\b(?<file>(?:packages|test)\/[\w./-]+\.test\.ts)(?: "(?<name>[^"]+)")?/g;
  return Array.from(page.matchAll(citation), ({ groups }) => ({
    file: groups!.file!,
    ...(groups!.name === undefined ? {} : { name: groups!.name }),
  }));
}
