import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { folderOf, removeFolders, tierwall } from "../testing/run-command.js";

// Processes, one for each question, take a while on a busy machine.
vi.setConfig({ testTimeout: 1_200_000 });

afterAll(removeFolders);

const root = fileURLToPath(new URL("../../..", import.meta.url));
const escape = String.fromCharCode(27);
const pods = `{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: b}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: x, name: np}, spec: {podSelector: {}}}
`;
const folder = folderOf({ "pods.yaml": pods });
const ask = ["explain", "-f", "pods.yaml", "--from", "x/a", "--to", "x/b:80"];

describe("help", () => {
  it.each([[[]], [["explain"]], [["test"]], [["validate"]]])(
    "%j --help shows examples, on stdout",
    (command) => {
      const { status, stdout, stderr } = tierwall([...command, "--help"]);
      expect([status, stderr]).toEqual([0, ""]);
      const [, examples = ""] = stdout.split("Examples:");
      expect(examples).toMatch(new RegExp(`tierwall ${command[0] ?? "explain"} `));
    },
  );

  it("names every command and its exit status", () => {
    const { stdout } = tierwall(["--help"]);
    for (const command of ["explain", "test", "validate", "tour"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
    for (const command of ["explain", "test", "validate"])
      expect(tierwall([command, "--help"]).stdout).toContain("Exit status: 0");
  });

  it("without a command is shown on stderr, with exit status 2", () => {
    const { status, stdout, stderr } = tierwall([]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage: tierwall");
    const lines = stderr.trimEnd().split("\n");
    // One line is left for the prompt.
    expect(lines.length).toBeLessThan(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe("mistakes are answered with a suggestion", () => {
  it.each([
    ["a command", ["explian"], /unknown command 'explian'[\s\S]*explain/],
    ["another command", ["valdate", "-f", "x"], /unknown command 'valdate'[\s\S]*validate/],
    ["an option", [...ask, "--prot", "80"], /unknown option '--prot'[\s\S]*--port/],
    ["an option of a command", ["validate", "--recursiv"], /unknown option '--recursiv'[\s\S]*--recursive/],
    ["an argument too many", [...ask, "oops"], /too many arguments/],
    ["a value that is not one of those", [...ask, "--input", "live"], /auto, file, cluster/],
  ])("%s", (_what, args, expected) => {
    const { status, stdout, stderr } = tierwall(args, { cwd: folder });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
    expect(stderr).toContain("--help");
  });
});

it("the version is that of the package", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(tierwall(["--version"]).stdout).toBe(`${manifest.version}\n`);
});

describe("colour", () => {
  it.each([
    ["none into a pipe", {}],
    ["none with NO_COLOR", { NO_COLOR: "1" }],
    ["none with NO_COLOR, whatever else is set", { NO_COLOR: "1", FORCE_COLOR: "1" }],
    ["none with FORCE_COLOR=0", { FORCE_COLOR: "0" }],
    ["none into a pipe, whatever the terminal can", { COLORTERM: "truecolor", TERM: "xterm-256color" }],
  ])("%s", (_what, env) => {
    const { stdout } = tierwall(ask, { cwd: folder, env });
    expect(stdout).toContain("DENIED");
    expect(stdout).not.toContain(escape);
    const { stderr } = tierwall(["explain", "-f", "nowhere", "--from", "x/a", "--to", "x/b"], {
      cwd: folder,
      env,
    });
    expect(stderr).toContain("TW1004");
    expect(stderr).not.toContain(escape);
  });

  it("into a pipe with FORCE_COLOR, as the logs of CI can show it", () => {
    expect(tierwall(ask, { cwd: folder, env: { FORCE_COLOR: "1" } }).stdout).toContain(`${escape}[31m`);
  });
});

it("a reader that closes the pipe early, like `head`, does not cause an error", async () => {
  const bin = fileURLToPath(new URL("../bin/tierwall.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "validate", "-f", "-"]);
  let talk = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (talk += text));
  child.stdout.once("data", () => child.stdout.destroy());
  child.stdin.on("error", () => undefined).end("kind: NetworkPolicy\n---\n".repeat(3000));
  await new Promise((resolve) => child.on("close", resolve));
  expect(talk).toBe("");
});

describe("tour", () => {
  it("explains three connections, with the command that asks each, and names no path outside the folder it is run in", () => {
    const { status, stdout, stderr } = tierwall(["tour"], {
      cwd: new URL("../../..", import.meta.url).pathname,
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^\d\. /gm)).toHaveLength(3);
    expect(stdout.match(/npx tierwall explain -f examples\/mixed-six-apis -R \\\n/g)).toHaveLength(3);
    expect(stdout.match(/^[✓✗?] [A-Z]+ /gm)).toHaveLength(3);
    expect(stdout).not.toContain(escape);
  });

  it("its commands can be run as shown, and give the verdicts it shows", () => {
    const { stdout } = tierwall(["tour"], { cwd: root });
    const commands = stdout
      .replace(/ \\\n +/g, " ")
      .match(/npx tierwall explain .*/g)!
      .filter((line) => !line.includes("FOLDER"));
    const shown = stdout.match(/^[✓✗?] [A-Z]+ /gm);
    const again = commands.map(
      (line) => tierwall(line.split(" ").slice(2), { cwd: root }).stdout.match(/^[✓✗?] [A-Z]+ /)?.[0],
    );
    expect(again).toEqual(shown);
  });
});
