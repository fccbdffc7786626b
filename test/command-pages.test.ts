import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../packages/cli/testing/run-command.js";

/*
 * Every ```console block of README.md and docs/ is run, and must print what the page shows: in the root of the repository, or,
 * where the page brings files of its own (`<!-- file: cluster/shop.yaml -->` before a block, or `<!-- files of: PAGE -->`), in a folder with
 * these.
 * A line `…` matches any number of lines that the page leaves out.
 */

afterAll(removeFolders);

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = readdirSync(new URL("../docs", import.meta.url), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);
const filesIn = (page: string) =>
  [...page.matchAll(/<!-- file: (\S+) -->\n```\w+\n(.*?)```/gs)].map(
    ([, path, text]) => [path!, text!] as const,
  );
const readNextTo = (file: string, name: string) =>
  readFileSync(new URL(name, new URL(`../${file}`, import.meta.url)), "utf8");
const blocks = ["README.md", ...pages].flatMap((file) => {
  const page = readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
  const earlier = /<!-- files of: (\S+) -->/.exec(page)?.[1];
  const own = [...(earlier === undefined ? [] : filesIn(readNextTo(file, earlier))), ...filesIn(page)];
  const cwd = own.length === 0 ? root : folderOf(Object.fromEntries(own));
  return [...page.matchAll(/^```console\n\$ (?:npx )?tierwall (.*)\n((?:.*\n)*?)```$/gm)].map(
    ([, command, output]) => ({ file, cwd, command: command!, output: output! }),
  );
});

describe("commands print what their pages show", () => {
  it.each(blocks)("$file: tierwall $command", ({ cwd, command, output }) => {
    const { stdout } = tierwall(command.split(" "), { cwd });
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
