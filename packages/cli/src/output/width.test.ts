import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { pagerOf } from "./pager.js";
import { tierwall } from "../../testing/run-command.js";
import { commandNames } from "../../testing/command-lines.js";

/* Everything that people read fits a terminal of 80 columns; only a word that is longer, such as a path, may not. */

const cwd = fileURLToPath(new URL("../../../..", import.meta.url));
const mixed = ["-f", "examples/mixed-six-apis", "-R"];

const tooWide = (text: string) =>
  text.split("\n").filter((line) => line.length > 80 && /\S\s+\S/.test(line.replace(/^\s*[-+·✓✗] /, "")));

const examples = readdirSync(new URL("../../../../examples", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `examples/${name}`);

const answers = [
  ["explain", ...mixed, "shop/cart", "payments/api:8443"],
  ["explain", ...mixed, "shop/cart", "payments/api"],
  ["explain", ...mixed, "shop/cart", "192.0.2.1", "-v"],
  ["matrix", ...mixed],
  ["matrix", ...mixed, "--denied", "--by", "namespace"],
  ["lookup", ...mixed, "shop/cart"],
  ["lookup", ...mixed, "-v", "payments/api"],
  ["test", "-R", "examples"],
  ["diff", "examples/draft-self", "examples/mixed-six-apis"],
  ["preview", ...mixed, "--delete", "AdminNetworkPolicy"],
  ["preview", ...mixed, "--delete", "NetworkPolicy", "-v"],
  ["tour"],
  ...examples.flatMap((folder) => [
    ["lint", "-f", folder, "-R"],
    ["validate", "-f", folder, "-R"],
  ]),
  ["lint", ...mixed, "-v"],
  ["validate", "-f", "test/broken", "-R"],
];

describe("output fits 80 columns", () => {
  it.each(answers.map((args) => [args]))("%j", (args) => {
    const { stdout } = tierwall(args, { cwd });
    expect(stdout).not.toBe("");
    expect(tooWide(stdout)).toEqual([]);
  });

  it("-o wide leaves lines as long as they are", () => {
    const { stdout } = tierwall(["lint", ...mixed, "-o", "wide"], { cwd });
    expect(tooWide(stdout)).not.toEqual([]);
    expect(stdout.replace(/\s+/g, "")).not.toBe("");
  });
});

describe("the pager", () => {
  it.each([
    [{ isTTY: true }, {}, "less"],
    [{ isTTY: true }, { PAGER: "more" }, "more"],
    [{ isTTY: true }, { PAGER: "" }, undefined],
    [{ isTTY: true }, { PAGER: "cat" }, undefined],
    [{ isTTY: true }, { TERM: "dumb" }, undefined],
    [{}, { PAGER: "less" }, undefined],
  ])("on %j with %j is %s", (stdout, env, pager) => expect(pagerOf(stdout, env)).toBe(pager));
});

describe("help fits 80 columns", () => {
  it.each(["", ...commandNames()])("tierwall %s --help", (name) => {
    const { stdout } = tierwall([...(name === "" ? [] : [name]), "--help"], { cwd });
    // Commands are shown as they are typed.
    const prose = stdout
      .split("\n")
      .filter((line) => !/^ {2,}(tierwall|kubectl|metadata:|- [{a-z])/.test(line));
    expect(tooWide(prose.join("\n"))).toEqual([]);
  });
});
