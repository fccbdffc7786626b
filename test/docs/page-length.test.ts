import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/* Pages that are written by hand have at most two screens, and lines of prose are wrapped. */

const mostLines = 120;
const mostCharacters = 120;

/** Pages that may be longer, and why. */
const longer: Readonly<Record<string, string>> = {
  "docs/semantics.md": "normative: its statements are numbered, quoted and searched as one text",
};

const root = new URL("../../", import.meta.url);
const read = (page: string) => readFileSync(new URL(page, root), "utf8");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].filter((page) => !read(page).startsWith("<!-- Written by `npm run "));

/** Sentences and lists: without blocks of code, tables, pictures and comments. */
const proseOf = (text: string) =>
  text
    .replaceAll(/^ *```.*?^ *```$/gms, "")
    .split("\n")
    .filter((line) => !/^(?: {4}|\||!\[|<!--)/.test(line));

/** A line is too long if it could have been broken earlier: not inside of code, which a break would change. */
const canBreak = (line: string) =>
  line
    .trim()
    .replaceAll(/`[^`]*`/g, (code) => "x".repeat(code.length))
    .slice(0, mostCharacters)
    .includes(" ");

describe("pages written by hand", () => {
  const limited = pages.filter((page) => longer[page] === undefined);

  it("exist, and each exception is one of them", () => {
    expect(limited.length).toBeGreaterThan(100);
    for (const page of Object.keys(longer)) expect(pages).toContain(page);
  });

  it(`have at most ${mostLines} lines`, () => {
    const lines = limited.map((page) => ({ page, lines: read(page).trimEnd().split("\n").length }));
    expect(lines.filter((one) => one.lines > mostLines)).toEqual([]);
  });

  it(`wrap prose at ${mostCharacters} characters`, () => {
    const long = limited.flatMap((page) =>
      proseOf(read(page))
        .filter((line) => line.length > mostCharacters && canBreak(line))
        .map((line) => ({ page, line })),
    );
    expect(long).toEqual([]);
  });
});
