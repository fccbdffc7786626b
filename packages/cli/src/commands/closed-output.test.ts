import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { onlyInFull } from "../../../../test/slice.mjs";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";
import { RunningCommand } from "../../testing/running-command.js";

/*
 * The exit status never depends on who reads the output: a pipeline such as `tierwall validate … | head` with `pipefail`, or a CI step
 * whose log reader goes away, must not turn a failure into a success.
 */

afterAll(removeFolders);

const bin = join(dirname(fileURLToPath(import.meta.url)), "../../bin/tierwall.js");

interface Closed {
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs a command whose reader closes stdout (or stderr) after so many bytes. */
async function readerCloses(
  args: readonly string[],
  after: number,
  stream: "stdout" | "stderr" = "stdout",
): Promise<Closed> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, KUBECONFIG: "/nonexistent/kubeconfig", NO_COLOR: "1" },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const closing = child[stream];
  let seen = 0;
  if (after === 0) closing.destroy();
  else
    closing.on("data", (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= after) closing.destroy();
    });
  if (stream === "stderr") child.stdout.resume();
  const [status] = (await once(child, "exit")) as [number | null];
  return { status, stderr };
}

const wrongPolicy = (i: number) =>
  `apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: a, name: p${i}}\nspec: {podSelector: {matchLabels: {a: [${i}]}}}\n---\n`;
const pods = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `apiVersion: v1\nkind: Pod\nmetadata: {namespace: a, name: p${i}, labels: {n: "${i}"}}\n---\n`,
  ).join("");
const many = Array.from({ length: 60 }, (_, i) => wrongPolicy(i)).join("");
const failing =
  'apiVersion: tierwall.dev/v1\nkind: ConnectivityTest\nmetadata: {name: t}\nspec:\n  given: [pods.yaml]\n  expect: [{from: a/p0, to: "a/p1:80/TCP", verdict: Deny}]\n';

const folder = folderOf({
  "invalid.yaml": many,
  "pods.yaml": pods(60),
  "test/pods.yaml": pods(60),
  "test/test.yaml": failing,
  "deny.yaml":
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: a, name: deny}\nspec: {podSelector: {}}\n",
});
const at = (file: string) => join(folder, file);

describe("a reader that closes stdout early", () => {
  const commands: readonly (readonly [string, readonly string[], number])[] = [
    ["validate, invalid input", ["validate", "-f", at("invalid.yaml")], 1],
    ["validate -o json", ["validate", "-f", at("invalid.yaml"), "-o", "json"], 1],
    ["explain", ["explain", "-f", at("pods.yaml"), "--from", "a/p0", "--to", "a/p1"], 0],
    ["explain, unknown pod", ["explain", "-f", at("pods.yaml"), "--from", "a/none", "--to", "a/p1"], 2],
    ["matrix, many lines", ["matrix", "-f", at("pods.yaml"), "--by", "pod", "-o", "csv"], 0],
    ["test, failing", ["test", at("test")], 1],
    ["diff, changed", ["diff", at("pods.yaml"), at("deny.yaml"), "-o", "json"], 1],
    ["preview", ["preview", "-f", at("pods.yaml"), "--apply", at("deny.yaml")], 0],
    ["lint", ["lint", "-f", at("invalid.yaml")], 1],
    ["manifests", ["manifests"], 0],
    ["--help", ["--help"], 0],
    ["completion", ["completion", "bash"], 0],
  ];

  const title = "%s: the status is that of a run that is read to its end";
  it.each(commands.slice(0, 3))(title, isThatOfWholeRun);
  it.each(commands.slice(3))(title, onlyInFull, isThatOfWholeRun);

  async function isThatOfWholeRun(_what: string, args: readonly string[], expected: number): Promise<void> {
    const whole = tierwall(args).status;
    expect(whole).toBe(expected);
    const runs = await Promise.all([0, 1, 4096].map(async (after) => readerCloses(args, after)));
    expect(runs.map(({ status }) => status)).toEqual(runs.map(() => expected));
    for (const { stderr } of runs) expect(stderr).not.toMatch(/EPIPE|please report/);
  }

  it("validate, twenty times in a row", onlyInFull, async () => {
    const statuses: (number | null)[] = [];
    for (let i = 0; i < 20; i++)
      statuses.push((await readerCloses(["validate", "-f", at("invalid.yaml")], (i % 4) * 2000)).status);
    expect(statuses).toEqual(statuses.map(() => 1));
  });
});

describe("a reader that closes stderr", () => {
  it("does not change the status either", async () => {
    const args = ["explain", "-f", at("invalid.yaml"), "--from", "a/p0", "--to", "a/p1"];
    for (const after of [0, 1, 1000]) expect((await readerCloses(args, after, "stderr")).status).toBe(2);
  });
});

describe("output that cannot be written", () => {
  it("is an error, whatever the command found", () => {
    const { status, stderr } = tierwall(
      ["explain", "-f", at("pods.yaml"), "--from", "a/p0", "--to", "a/p1"],
      {
        stdout: "/dev/full",
      },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining("stdout cannot be written: ")]);
  });
});

describe("a command that goes on", () => {
  it("serve still answers after the reader of its output is gone", async () => {
    const serve = new RunningCommand(["serve", "-f", at("pods.yaml"), "--port", "0"]);
    const [url] = await serve.says(/http:\/\/[^\s]+/);
    serve.stopReading();
    const answer = async () => (await fetch(new URL("/api/v1/policies", url))).status;
    for (let i = 0; i < 3; i++) expect(await answer()).toBe(200);
    expect(await serve.stop()).toBe(0);
  });
});
