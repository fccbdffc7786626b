import { afterAll, describe, expect, it } from "vitest";
import { removeFolders } from "../packages/cli/testing/run-command.js";
import { commandsByPage, documentedCommands } from "./documented-commands.js";
import { ReadersFolder } from "./readers-folder.js";
import { isFull } from "./slice.mjs";

afterAll(removeFolders);

// The examples of --help are more than all pages together.
const pages = commandsByPage("files").filter(([page]) => isFull || !page.startsWith("docs/reference/cli/"));

describe("documented commands can be run as printed", () => {
  it("there are some of each kind, and each page of a task is found", () => {
    const commands = documentedCommands();
    for (const needs of ["files", "cluster", "node"])
      expect(commands.filter((command) => command.needs === needs).length).toBeGreaterThan(15);
    expect(commands.filter(({ page }) => page === "README.md").length).toBeGreaterThan(15);
  });

  // Findings end with 1; 2 and more are input that is not valid, and bugs.
  it.each(pages)("%s, in order", (_page, lines) => {
    const reader = new ReadersFolder();
    const failed = lines
      .map((line) => ({ line, ...reader.run(line) }))
      .filter(({ status }) => status !== 0 && status !== 1);
    expect(failed).toEqual([]);
  });
});
