import { afterAll, describe, expect, it } from "vitest";
import { removeFolders } from "../packages/cli/testing/run-command.js";
import { cannotRun } from "./docs/cannot-run.js";
import { commandsByPage, documentedCommands } from "./documented-commands.js";
import { missingFor, ReadersFolder } from "./readers-folder.js";
import { isFull } from "./slice.mjs";

afterAll(removeFolders);

// The examples of --help are more than all pages together.
const pages = commandsByPage("files").filter(([page]) => isFull || !page.startsWith("docs/reference/cli/"));

describe("documented commands can be run as printed", () => {
  const commands = documentedCommands();

  it("there are some of each kind", () => {
    for (const needs of ["files", "cluster", "service", "node", "clone"])
      expect(commands.filter((command) => command.needs === needs).length).toBeGreaterThan(10);
  });

  it("each line that cannot be run has a reason, and each reason a line", () => {
    const unused = cannotRun.filter(
      ({ lines, page }) =>
        !commands.some(
          (one) => one.needs === "nothing" && lines.test(one.line) && (page ?? one.page) === one.page,
        ),
    );
    expect(unused).toEqual([]);
  });

  // Making a folder takes longer than most commands: the pages of --help share one.
  let helpReader: ReadersFolder | undefined;
  const readerOf = (page: string) =>
    page.startsWith("docs/reference/cli/") ? (helpReader ??= new ReadersFolder()) : new ReadersFolder();

  // Findings end with 1; 2 and more are input that is not valid, and bugs.
  it.each(pages)("%s, in order", (page, lines) => {
    const reader = readerOf(page);
    const failed = lines
      .filter((line) => missingFor(line) === undefined)
      .map((line) => ({ line, ...reader.run(line) }))
      .filter(({ status }) => status !== 0 && status !== 1);
    expect(failed).toEqual([]);
  });

  const withoutProgram = pages.flatMap(([, lines]) => lines).filter((line) => missingFor(line) !== undefined);
  for (const line of withoutProgram)
    it.skip(`${line} (skipped: ${missingFor(line)})`, () => expect.unreachable());
});
