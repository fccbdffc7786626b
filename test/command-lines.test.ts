import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isObject, parseManifest } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { helpPages, makeProgram } from "../packages/cli/src/main.js";
import {
  commandLines,
  commandNames,
  usageError,
  replyTo,
  wordsOf,
} from "../packages/cli/testing/command-lines.js";
import { version } from "../packages/cli/src/version.js";

/* What people copy from us, they can run: help, pages, the GitHub Action, the hooks of pre-commit. */

const root = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const parsed = (path: string) => parseManifest(read(path), path).documents[0]!.value;

describe("help", () => {
  const pages = helpPages().filter(({ command }) => command !== "tierwall");

  it.each(pages)("of $command shows examples and the exit status", ({ command, text }) => {
    const [, examples = ""] = text.split("\nExamples:\n");
    expect(commandLines(examples).some((line) => `tierwall ${line} `.startsWith(`${command} `))).toBe(true);
    expect(text).toMatch(/^Exit status: 0/m);
  });

  it("of the program shows how each command is used", () => {
    const [overview] = helpPages();
    for (const command of commandNames())
      expect(overview!.text).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  });

  it.each(commandNames())("`%s --help` and `help %s` are one page, on stdout", (command) => {
    const asked = replyTo([command, "--help"]);
    expect(asked).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("Usage:") as string,
    });
    expect(replyTo(["help", command])).toEqual(asked);
  });

  it.each(commandNames())(
    "an option that `%s` does not have is answered on stderr, with exit status 2",
    (command) => {
      const { status, stdout, stderr } = replyTo([command, "--no-such-option"]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: .*\n.*--help/);
    },
  );
});

describe("command lines can be run as printed", () => {
  const pages = readdirSync(new URL("docs", root), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith("reference/cli/"))
    .map((name) => `docs/${name}`);
  const shown = [
    ...helpPages().map(({ command, text }) => [`help of ${command}`, text] as const),
    ...["README.md", "packages/cli/README.md", ...pages].map((path) => [path, read(path)] as const),
  ].flatMap(([where, text]) => [...new Set(commandLines(text))].map((line) => [where, line] as const));

  it("there are some", () => expect(shown.length).toBeGreaterThan(10));

  it.each(shown)("%s: %s", (_where, line) => {
    expect(usageError(wordsOf(line))).toBeUndefined();
  });
});

describe("the GitHub Action", () => {
  const action = parsed("action.yml");
  const inputs = isObject(action) && isObject(action.inputs) ? action.inputs : {};
  const steps =
    isObject(action) && isObject(action.runs) && Array.isArray(action.runs.steps) ? action.runs.steps : [];
  const [step] = steps as readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  const defaults = Object.entries(inputs).map(([name, input]) => [
    name,
    isObject(input) && typeof input.default === "string" ? input.default : "",
  ]);

  /** The script as a runner would start it, with npx as it is. */
  function run(given: Readonly<Record<string, string>>, cwd = root) {
    const values = { ...Object.fromEntries(defaults), ...given } as Readonly<Record<string, string>>;
    const env = Object.entries(step!.env).map(([name, text]) => {
      const [, input] = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(text)!;
      return [name, values[input!]!];
    });
    return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step!.run], {
      cwd: fileURLToPath(cwd),
      env: { ...process.env, ...Object.fromEntries(env) } as NodeJS.ProcessEnv,
      encoding: "utf8",
    });
  }

  it("runs the version it belongs to", () => expect(Object.fromEntries(defaults)).toMatchObject({ version }));

  it("takes no input into its script, where it could be a command", () =>
    expect(step!.run).not.toContain("${{"));

  it("uses each of its inputs", () => {
    const used = JSON.stringify(steps);
    for (const name of Object.keys(inputs)) expect(used).toContain(`inputs.${name} }}`);
  });

  it("runs a command on files and folders, with spaces and all", () => {
    const { status, stdout } = run({
      command: "validate",
      files: "examples/mixed-six-apis\n\nno such folder\n",
      args: "-o json",
    });
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      errors: 1,
      diagnostics: expect.arrayContaining([
        expect.objectContaining({ message: "`no such folder` cannot be read: it does not exist" }),
      ]) as unknown,
    });
  });

  it("passes the exit status on", () => {
    expect(run({ command: "test", args: "examples/mixed-six-apis" }).status).toBe(0);
    expect(run({ command: "nonsense" }).status).toBe(2);
  });

  it("reads only the folder itself with recursive: false", () => {
    const { status, stdout } = run({ command: "validate", files: "examples", recursive: "false" });
    expect([status, stdout]).toEqual([2, expect.stringContaining("it holds only folders; -R reads")]);
  });

  it.each([
    ["lint", "--max-severity", "warning"],
    ["preview", "--fail-on", "newly-denied,lockout"],
    ["lint", "--output", "github"],
    ["diff", "--output", "github"],
    ["preview", "--output", "github"],
  ])("%s knows %s %s", (name, flag, value) => {
    const command = makeProgram(() => undefined).commands.find((one) => one.name() === name);
    const option = command?.options.find((one) => one.long === flag);
    expect(option?.argChoices ?? (option && [value])).toContain(value);
  });
});

describe("the hooks of pre-commit", () => {
  const hooks = parsed(".pre-commit-hooks.yaml") as unknown as readonly {
    readonly id: string;
    readonly entry: string;
    readonly args?: readonly string[];
  }[];

  it.each(hooks)("$id runs a command that is there", ({ entry, args = [] }) => {
    const [npx, yes, what, ...words] = entry.split(" ");
    expect([npx, yes, what]).toEqual(["npx", "--yes", `tierwall@${version}`]);
    expect(usageError([...words, ...args])).toBeUndefined();
  });
});
