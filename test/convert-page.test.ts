import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tierwall } from "../packages/cli/testing/run-command.js";

/* What docs/how-to/convert.md shows of stderr, in the text block behind a command; command-pages.test.ts looks at stdout. */

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(new URL("../docs/how-to/convert.md", import.meta.url), "utf8");
const talks = [
  ...page.matchAll(
    /^```console\n\$ npx tierwall (.*)\n(?:.*\n)*?```\n(?:(?!```).*\n)*?```text\n((?:.*\n)*?)```$/gm,
  ),
];

describe("docs/how-to/convert.md shows what is said on stderr", () => {
  it("in several places", () => expect(talks.length).toBeGreaterThan(2));

  it.each(talks.map(([, command, text]) => [command!, text!]))("tierwall %s", (command, text) => {
    expect(tierwall(command.split(" "), { cwd: root }).stderr).toContain(text);
  });
});
