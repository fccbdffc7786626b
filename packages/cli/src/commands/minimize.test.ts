import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const pods = `apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
status: {podIP: 10.0.0.1}
`;
const policy = `# Kept
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: cart, namespace: shop}
spec:
  podSelector: {}
  ingress:
    - ports: [{port: 80}]
    - ports: [{port: 443}] # TLS
`;
const broken = policy.replace("podSelector", "podselector");

const list = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "cart", namespace: "shop" },
      spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }, { ports: [{ port: 443 }] }] },
    },
  ],
});

const minimize = (cwd: string, ...args: readonly string[]) =>
  tierwall(["minimize", "-f", ".", ...args], { cwd });

describe("minimize", () => {
  it("shows the steps, and writes nothing", () => {
    const cwd = folderOf({ "pods.yaml": pods, "policy.yaml": policy });
    const { status, stdout, stderr } = minimize(cwd);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✓ 1 policy became 1, 2 rules became 1\n/);
    expect(stdout).toContain("- merged ingress rule 2 into ingress rule 1: they differ in `ports` only");
    expect(stderr).toContain("Nothing was written");
    expect(readFileSync(join(cwd, "policy.yaml"), "utf8")).toBe(policy);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("writes files once, and then there is nothing to do", () => {
    const cwd = folderOf({ "pods.yaml": pods, "policy.yaml": policy });
    expect(minimize(cwd, "--check").status).toBe(1);
    const first = minimize(cwd, "--write");
    expect(first.status).toBe(0);
    expect(first.stderr).toContain("wrote policy.yaml");
    const written = readFileSync(join(cwd, "policy.yaml"), "utf8");
    expect(written).toMatch(/^# Kept\n(.*\n)*.*TLS/);
    expect(minimize(cwd, "--check", "--write")).toMatchObject({
      status: 0,
      stdout: "✓ nothing to minimize: 1 policy with 1 rule\n",
    });
    expect(readFileSync(join(cwd, "policy.yaml"), "utf8")).toBe(written);
  });

  it("prints policies alone with -o yaml, and everything with -o json", () => {
    const cwd = folderOf({ "pods.yaml": pods, "policy.yaml": policy });
    const yaml = minimize(cwd, "-o", "yaml");
    expect(yaml.stdout).toMatch(/^# Kept\napiVersion: networking.k8s.io\/v1\n/);
    expect(yaml.stdout).not.toContain("kind: Pod");
    expect(yaml.stderr).toContain("2 rules became 1");
    expect(JSON.parse(minimize(cwd, "-o", "json").stdout)).toMatchObject({
      kind: "Minimization",
      scope: "this cluster",
      before: { policies: 1, rules: 2 },
      after: { policies: 1, rules: 1 },
      changes: [{ removed: false, steps: [{ step: "merge-rules", rule: "ingress rule 1" }] }],
      changedPairs: 0,
      everywhere: { result: "Same" },
    });
  });

  it("needs no pods to minimize everywhere", () => {
    const cwd = folderOf({ "policy.yaml": policy });
    const { status, stdout } = minimize(cwd, "--everywhere", "--check");
    expect([status, stdout]).toEqual([1, expect.stringContaining("the same in every cluster")]);
  });

  it.each<
    readonly [what: string, files: Readonly<Record<string, string>>, args: readonly string[], text: string]
  >([
    ["a folder without manifests", { "notes.txt": "" }, [], "no manifests"],
    ["files that are not valid", { "policy.yaml": broken }, [], "Nothing was evaluated"],
    ["no policies", { "pods.yaml": pods }, [], "the input has no policies"],
    ["no pods", { "policy.yaml": policy }, [], "the input has no pods"],
    [
      "flags that contradict each other",
      { "p.yaml": policy },
      ["--everywhere", "--unused"],
      "use one of them",
    ],
  ])("refuses %s", (_what, files, args, text) => {
    const { status, stdout, stderr } = minimize(folderOf(files), ...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(text);
  });

  it("writes only YAML documents of files, and leaves other policies alone", () => {
    const { status, stdout, stderr } = minimize(
      folderOf({ "pods.yaml": pods, "list.json": list }),
      "--write",
    );
    expect([status, stderr]).toEqual([0, expect.not.stringContaining("wrote")]);
    expect(stdout).toContain("NetworkPolicy shop/cart: it is JSON");
  });

  it("leaves policies with errors alone with --keep-going, and names them", () => {
    const files = {
      "pods.yaml": pods,
      "a.yaml": policy,
      "b.yaml": broken.replace("name: cart", "name: broken"),
    };
    const { status, stdout } = minimize(folderOf(files), "--keep-going");
    expect(status).toBe(0);
    expect(stdout).toContain("NetworkPolicy shop/broken: it has errors");
  });
});
