import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const example = fileURLToPath(new URL("../../../../examples/mixed-six-apis", import.meta.url));
const replay = (args: readonly string[], input = "") =>
  tierwall(["replay", "-f", ".", "-R", ...args], { cwd: example, input });

const folder = folderOf({
  "fine.csv": "from,to,port\nshop/cart,payments/api,443\n",
  "some.csv": "from,to,port\nshop/cart,payments/api,443\nshop/cart,payments/api,none of these\n",
  "broken.csv": "from,to,port\nshop/cart,,\n",
  "empty.csv": "\n# nothing here\n",
  "strange.txt": "hello\n",
  "closed.yaml":
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: egress-basics, namespace: shop}, spec: {podSelector: {}, policyTypes: [Egress]}}",
});
const file = (name: string) => join(folder, name);
writeFileSync(file("packed"), gzipSync(readFileSync(join(example, "flows.jsonl"))));
writeFileSync(file("cut"), gzipSync(readFileSync(join(example, "flows.jsonl"))).subarray(0, 200));

describe("tierwall replay", () => {
  it.each([
    ["something is dropped", ["--flows", "flows.jsonl"], 1],
    ["nothing is dropped", ["--flows", file("fine.csv")], 0],
    ["something changes", ["--flows", file("fine.csv"), "--apply", file("closed.yaml")], 1],
    ["nothing changes", ["--flows", "flows.jsonl", "--apply", "policies"], 0],
  ])("%s: status", (_, args, wanted) => {
    const { status, stderr } = replay(args);
    expect([status, stderr.includes("error")]).toEqual([wanted, false]);
  });

  it("reads what gzip packed, and standard input, alike", () => {
    const plain = replay(["--flows", "flows.jsonl"]).stdout;
    expect(plain).toContain("✗ DROPPED   7 of 12 flows");
    expect(replay(["--flows", file("packed")]).stdout).toBe(plain);
    expect(replay(["--flows", "-"], readFileSync(join(example, "flows.jsonl"), "utf8")).stdout).toBe(plain);
  });

  it("lines that cannot be read are reported with their number, and the rest is read", () => {
    const { status, stdout, stderr } = replay(["--flows", file("some.csv")]);
    expect(status).toBe(0);
    expect(stdout).toContain("lines that cannot be read: 1");
    expect(stderr).toContain("some.csv:3:1  warning TW2023  `none of these` is not a port");
  });

  it("-o json is data", () => {
    const { stdout } = replay(["--flows", "flows.jsonl", "-o", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "Replay", judged: 12, denied: 7 });
  });

  it.each([
    [
      "a file that is not there",
      ["--flows", "nowhere.jsonl"],
      "`nowhere.jsonl` cannot be read: it does not exist",
    ],
    ["a packed file that was cut", ["--flows", file("cut")], "cannot be read: unexpected end of file"],
    ["nothing but broken lines", ["--flows", file("broken.csv")], "none of the 1 records"],
    ["no lines", ["--flows", file("empty.csv")], "holds no flows"],
    ["something else", ["--flows", file("strange.txt")], "Say what they are with --format"],
    [
      "another format than that",
      ["--flows", "flows.jsonl", "--format", "csv"],
      "the first line names no columns",
    ],
    ["a format that there is not", ["--flows", "x", "--format", "pcap"], "Allowed choices are hubble"],
    ["no flows", [], "required option '--flows <file>'"],
    ["two times standard input", ["--flows", "-", "--apply", "-"], "standard input can be read only once"],
  ])("%s is status 2, with what to do", (_, args, message) => {
    const { status, stdout, stderr } = replay(args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });
});
