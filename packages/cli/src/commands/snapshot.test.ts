import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

/* Of files; test/cluster/live-cli.test.ts takes snapshots of a cluster. */

afterAll(removeFolders);

const pod = (name: string, app: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {app: ${app}}}, status: {podIP: 10.0.0.${app.length}}}`;
const cwd = folderOf({
  "cluster.yaml": [
    "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
    pod("web", "web"),
    pod("cart", "cart"),
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: closed, namespace: shop}, spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}}",
  ].join("\n---\n"),
});
const run = (...args: readonly string[]) => tierwall(args, { cwd });
const ask = ["--from", "shop/cart", "--to", "shop/web", "--port", "80"];

describe("tierwall snapshot", () => {
  it.each(["s.json", "s.json.gz"])("writes %s, which is read back with the same answer", (file) => {
    expect(run("snapshot", "-f", "cluster.yaml", "-o", file)).toMatchObject({
      status: 0,
      stdout: "",
      stderr: `4 objects in ${file}\n`,
    });
    expect(run("explain", "-f", file, ...ask).stdout).toMatch(/DENIED[^]*NetworkPolicy shop\/closed/);
    const bytes = readFileSync(join(cwd, file));
    expect(bytes.subarray(0, 2).toString("hex") === "1f8b").toBe(file.endsWith(".gz"));
    expect(statSync(join(cwd, file)).mode & 0o077).toBe(0);
  });

  it("kinds that its cluster does not serve are reported with -v, not with every answer", () => {
    const missing =
      "{apiVersion: tierwall.dev/v1, kind: Snapshot, forbidden: [], missing: [ciliumnetworkpolicies.cilium.io]}";
    const folder = folderOf({
      "s.yaml": `${readFileSync(join(cwd, "cluster.yaml"), "utf8")}\n---\n${missing}`,
    });
    const explain = (...more: readonly string[]) =>
      tierwall(["explain", "-f", "s.yaml", ...ask, ...more], { cwd: folder });
    expect(explain().stderr).toBe("");
    expect(explain("-v").stderr).toContain("TW3006");
  });

  it("a folder with packed snapshots is read like any other", () => {
    const folder = folderOf({ "x/none": "" });
    run("snapshot", "-f", "cluster.yaml", "-o", `${folder}/s.json.gz`);
    expect(tierwall(["validate", "-f", "."], { cwd: folder }).stdout).toContain(
      "1 policy (1 NetworkPolicy), 2 pods",
    );
  });

  it("hides names with --redact, otherwise each time", () => {
    const [first, second] = [1, 2].map(() => run("snapshot", "-f", "cluster.yaml", "--redact").stdout);
    expect(first).not.toMatch(/shop|cart|web|closed|"app"/);
    expect(first).toContain("10.0.0.4");
    expect(first).not.toBe(second);
  });

  it.each([
    ["there is no such file", ["-f", "nowhere.yaml"], /TW1004/],
    ["it cannot be written", ["-f", "cluster.yaml", "-o", "no/such/folder.json"], /cannot be written/],
    ["no cluster is known", [], /TW1009/],
  ])("exits with 2 where %s", (_, args, why) => {
    const { status, stdout, stderr } = run("snapshot", ...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(why);
  });

  it("a file that is not a valid archive is an error", () => {
    const folder = folderOf({ "broken.json.gz": "no gzip" });
    expect(tierwall(["validate", "-f", "broken.json.gz"], { cwd: folder })).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("TW1004") as string,
    });
  });
});

describe("a change is made to one thing", () => {
  it.each([
    ["preview", ["--apply", "cluster.yaml"]],
    ["replay", ["--apply", "cluster.yaml", "--flows", "flows.csv"]],
  ])("%s takes -f or --live", (command, args) => {
    const { status, stderr } = run(command, "-f", "cluster.yaml", "--live", ...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining("leave one of -f and --live out")]);
  });
});
