import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pagerOf } from "./pager.js";
import { printMessage, setWide } from "./terminal.js";
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
    ["matrix", "-f", folder],
    ...(folder.includes("guarantees-") ? [["prove", folder]] : []),
  ]),
  ["prove", "--same", "examples/guarantees-pci", "examples/guarantees-tenants"],
  ["lint", ...mixed, "-v"],
  ["validate", "-f", "test/broken", "-R"],
];

describe("output fits 80 columns", () => {
  it.each(answers.map((args) => [args]))("%j", (args) => {
    const { stdout } = tierwall(args, { cwd, inOneProcess: true });
    expect(stdout).not.toBe("");
    expect(tooWide(stdout)).toEqual([]);
  });

  it("-o wide leaves lines as long as they are", () => {
    const { stdout } = tierwall(["lint", ...mixed, "-o", "wide"], { cwd });
    expect(tooWide(stdout)).not.toEqual([]);
    expect(stdout.replace(/\s+/g, "")).not.toBe("");
  });
});

describe("messages on stderr", () => {
  const message = `note TW3001  ${"namespace ".repeat(12)}is not in the input`;
  const { isTTY, columns } = process.stderr;
  afterEach(() => {
    Object.assign(process.stderr, { isTTY, columns });
    setWide(false);
    vi.restoreAllMocks();
  });

  it.each([
    ["are wrapped on a terminal", { isTTY: true, columns: 60 }, false, 60],
    ["are wrapped on a terminal that does not know its width", { isTTY: true, columns: 0 }, false, 80],
    ["are not longer than 120 columns on a wide one", { isTTY: true, columns: 300 }, false, 120],
    ["are whole lines in a file", { isTTY: false, columns: 60 }, false, message.length],
    ["are whole lines with -o wide", { isTTY: true, columns: 60 }, true, message.length],
  ])("%s", (_what, terminal, wide, longest) => {
    Object.assign(process.stderr, terminal);
    setWide(wide);
    const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    printMessage(message);
    const lines = written.mock.calls
      .map(([text]) => String(text))
      .join("")
      .split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(longest);
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(longest - 20);
    expect(lines.join(" ").replace(/\s+/g, " ").trim()).toBe(message.replace(/\s+/g, " "));
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
    const { stdout } = tierwall([...(name === "" ? [] : [name]), "--help"], { cwd, inOneProcess: true });
    // Commands are shown as they are typed.
    const prose = stdout
      .split("\n")
      .filter((line) => !/^ {2,}(tierwall|kubectl|metadata:|- [{a-z])/.test(line));
    expect(tooWide(prose.join("\n"))).toEqual([]);
  });
});
