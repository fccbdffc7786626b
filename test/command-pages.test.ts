import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { tierwall } from "../packages/cli/src/testing/run-command.js";

/*
 * Every ```console block of docs/*.md is run in the root of the repository, and must print what the page shows. A line
 * `…` stands for any number of lines that the page leaves out.
 */

const root = fileURLToPath(new URL("..", import.meta.url));
const blocks = readdirSync(new URL("../docs", import.meta.url))
  .filter((file) => file.endsWith(".md"))
  .flatMap((file) => {
    const page = readFileSync(new URL(`../docs/${file}`, import.meta.url), "utf8");
    return [...page.matchAll(/^```console\n\$ tierwall (.*)\n((?:.*\n)*?)```$/gm)].map(
      ([, command, output]) => ({ file, command: command!, output: output! }),
    );
  });

describe("commands print what their pages show", () => {
  it.each(blocks)("$file: tierwall $command", ({ command, output }) => {
    const { stdout } = tierwall(command.split(" "), { cwd: root });
    const parts = output.split(/^…\n/m);
    if (parts.length === 1) return expect(stdout).toBe(output);
    let rest = stdout;
    for (const part of parts) {
      expect(rest).toContain(part);
      rest = rest.slice(rest.indexOf(part) + part.length);
    }
    expect(parts.at(-1) === "" || rest === "").toBe(true);
  });
});
