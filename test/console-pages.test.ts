import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../packages/cli/src/testing/run-command.js";

/*
 * Pages that show what commands print, and the files they are run on:
 *
 *   <!-- file: cluster/shop.yaml -->    the yaml block that follows is this file
 *   ```console                          a command after `$ tierwall`, and all that it prints to stdout
 *
 * `UPDATE_PAGES=1 npx vitest run test/console-pages.test.ts` writes down what they print now.
 */

const pages = ["diff", "preview"];
const shown = /```console\n\$ tierwall ([^\n]*)\n(.*?)```/gs;

afterAll(removeFolders);

describe.each(pages)("docs/%s.md", (name) => {
  const path = new URL(`../docs/${name}.md`, import.meta.url);
  const text = readFileSync(path, "utf8");
  const files = Object.fromEntries(
    [...text.matchAll(/<!-- file: (\S+) -->\n```yaml\n(.*?)```/gs)].map(([, file, yaml]) => [file!, yaml!]),
  );
  const folder = folderOf(files);
  const printed = (command: string) => tierwall(command.split(" "), { cwd: folder }).stdout;

  it("shows commands", () => {
    expect([...text.matchAll(shown)].length).toBeGreaterThan(0);
    if (process.env.UPDATE_PAGES === "1")
      writeFileSync(
        path,
        text.replace(
          shown,
          (_, command: string) => `\`\`\`console\n$ tierwall ${command}\n${printed(command)}\`\`\``,
        ),
      );
  });

  it.each([...text.matchAll(shown)].map(([, command, output]) => [command!, output!] as const))(
    "%s prints what the page shows",
    (command, output) => {
      if (process.env.UPDATE_PAGES !== "1") expect(output).toBe(printed(command));
    },
  );
});
