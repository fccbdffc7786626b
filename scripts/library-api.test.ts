import { expect, test } from "vitest";
import { libraryPage, readDoors } from "./library-api.mjs";

interface Exported {
  readonly name: string;
  readonly origin: string;
  readonly documentation: string;
  readonly undocumented: readonly string[];
}

const doors = readDoors() as Readonly<Record<string, readonly Exported[]>>;
const main = doors["@tierwall/core"]!;

test("the main entry of core is small", () => {
  expect(main.length).toBeGreaterThan(0);
  expect(main.length).toBeLessThanOrEqual(60);
});

test.each(main)("$name is documented", ({ documentation }) => {
  expect(documentation).toMatch(/^[^\n]{20,}/);
});

test.each(main)("so are the members of $name", ({ undocumented }) => {
  expect(undocumented).toEqual([]);
});

test("a name has one meaning, and is exported by one door", () => {
  const all = Object.entries(doors).flatMap(([door, names]) => names.map(({ name }) => ({ door, name })));
  const twice = all.filter(({ name, door }) =>
    all.some((other) => other.name === name && other.door !== door),
  );
  expect(twice).toEqual([]);
});

test("no declaration is exported under two names", () => {
  const origins = Object.values(doors).flatMap((names) => names.map(({ origin }) => origin));
  expect(origins.filter((origin, i) => origins.indexOf(origin) !== i)).toEqual([]);
});

test("the page has a chapter for each name", () => {
  const page = libraryPage();
  for (const { name } of main) expect(page).toContain(`\n### ${name}\n`);
});
