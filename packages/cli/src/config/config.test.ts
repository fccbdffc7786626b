import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const pods = `{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: x, name: b}, status: {podIP: 10.0.0.2}}
`;
const isolated =
  "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: x, name: np}, spec: {podSelector: {}}}\n";
const ask = ["explain", "--from", "x/a", "--to", "x/b:80"];

/** A repository with a cluster in it. */
function repository(config: string): string {
  return folderOf({
    ".git/HEAD": "",
    "tierwall.yaml": config,
    "cluster/pods.yaml": pods,
    "policies/deep/isolated.yaml": isolated,
    "deep/er/x": "",
  });
}
const whole = "filename: [cluster, policies]\nrecursive: true\n";

describe("tierwall.yaml gives defaults", () => {
  it("for the options of every command", () => {
    const cwd = repository(whole);
    expect(tierwall(ask, { cwd })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("DENIED") as string,
    });
    expect(tierwall(["validate"], { cwd }).stdout).toContain("1 policy (1 NetworkPolicy), 2 pods");
  });

  it("with paths relative to itself, wherever it is used", () => {
    const cwd = `${repository(whole)}/deep/er`;
    const { status, stdout } = tierwall(ask, { cwd });
    expect([status, stdout]).toEqual([0, expect.stringContaining("../../policies/deep/isolated.yaml:1")]);
  });

  it("for one command, which go before the common ones", () => {
    const cwd = repository(`${whole}validate: {output: json, filename: cluster}\n`);
    expect(JSON.parse(tierwall(["validate"], { cwd }).stdout)).toMatchObject({ pods: 2, policies: 0 });
    expect(tierwall(ask, { cwd }).stdout).toContain("DENIED");
  });

  it("for options that a command requires", () => {
    const cwd = repository(`${whole}explain: {from: x/a, to: x/b, port: 80}\n`);
    expect(tierwall(["explain"], { cwd }).stdout).toContain("x/a → x/b:80/TCP");
  });

  it("that a command without such a choice does without", () => {
    const cwd = repository(`${whole}output: yaml\n`);
    expect(tierwall(ask, { cwd }).stdout).toContain("verdict: Deny");
    expect(tierwall(["validate"], { cwd }).stdout).toContain("1 policy (1 NetworkPolicy), 2 pods");
  });

  it("of manifests only for commands that get none on the line", () => {
    const connectivityTest = `
apiVersion: tierwall.dev/v1
kind: ConnectivityTest
metadata: {name: t}
spec: {given: [../cluster], expect: [{from: x/a, to: "x/b:80", verdict: Allow}]}
`;
    const given = { "cluster/pods.yaml": pods, "isolated.yaml": isolated, "tests/t.yaml": connectivityTest };
    const common = folderOf({ ...given, "tierwall.yaml": "filename: isolated.yaml\n" });
    expect(tierwall(["test", "tests"], { cwd: common }).status).toBe(0);
    const own = folderOf({ ...given, "tierwall.yaml": "test: {filename: isolated.yaml}\n" });
    expect(tierwall(["test", "tests"], { cwd: own }).status).toBe(1);
  });

  it("and -v says where they come from", () => {
    const cwd = repository(whole);
    expect(tierwall([...ask, "-v"], { cwd: `${cwd}/deep` }).stderr).toContain(
      "defaults from ../tierwall.yaml\n",
    );
    expect(tierwall(ask, { cwd }).stderr).not.toContain("defaults");
  });
});

describe("what the line says", () => {
  it("replaces the default, also of an option that can be repeated", () => {
    const cwd = repository(whole);
    const read = (...args: string[]) =>
      JSON.parse(tierwall(["validate", "-o", "json", ...args], { cwd }).stdout) as { files: number };
    expect(read().files).toBe(2);
    expect(read("-f", "cluster").files).toBe(1);
    expect(read("-f", "cluster", "-f", "policies").files).toBe(2);
  });

  it("may be a file of defaults with another name", () => {
    const cwd = repository("recursive: true\n");
    const other = folderOf({ "elsewhere.yaml": "output: json\nrecursive: true\n" });
    const { stdout } = tierwall(["validate", "-f", ".", "--config", `${other}/elsewhere.yaml`], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ files: 2 });
  });

  it("may be that there are none", () => {
    const cwd = repository("neither: yaml nor defaults");
    expect(tierwall(["validate", "-f", "cluster"], { cwd }).status).toBe(2);
    expect(tierwall(["validate", "-f", "cluster", "--no-config"], { cwd }).status).toBe(0);
    expect(tierwall(["--no-config", "validate", "-f", "cluster"], { cwd }).status).toBe(0);
  });
});

describe("a mistake in tierwall.yaml is an error with its place", () => {
  it.each([
    [
      "a misspelled field",
      "recursiv: true\n",
      "tierwall.yaml:1:1  error TW1204  unknown field `recursiv` in tierwall.yaml; did you mean `recursive`?",
    ],
    [
      "the option as it is typed",
      "\npod-cidr: 10.0.0.0/8\n",
      "tierwall.yaml:2:1  error TW1204  unknown field `pod-cidr` in tierwall.yaml; did you mean `podCidr`?",
    ],
    [
      "a misspelled field in the defaults of a command",
      "explain:\n  outptu: json\n",
      "tierwall.yaml:2:3  error TW1204  unknown field `outptu` in the defaults of explain; did you mean `output`?",
    ],
    [
      "an option of one command",
      "protocol: UDP\n",
      "It is an option of single commands: write `explain: {protocol: …}`.",
    ],
    ["an unknown command", "explian: {output: json}\n", "did you mean `explain`?"],
    [
      "a value that is not one of the choices",
      "ciliumEnforcement: sometimes\n",
      "tierwall.yaml:1:20  error TW1203  `sometimes` is not one of `default`, `always` and `never`",
    ],
    [
      "a value of the wrong type",
      "recursive: sure\n",
      "tierwall.yaml:1:12  error TW1201  expected true or false, found the string `sure`",
    ],
    [
      "a list where there is one",
      "dns: [a, b]\n",
      "tierwall.yaml:1:6  error TW1201  expected a string, found a list",
    ],
    [
      "a single value that the option refuses",
      "podCidr: nonsense\n",
      "tierwall.yaml:1:10  error TW1007  `podCidr` cannot be this: `nonsense` is not a CIDR",
    ],
    [
      "one of several that the option refuses",
      "podCidr: [10.0.0.0/8, nonsense]\n",
      "tierwall.yaml:1:23  error TW1007  `podCidr` cannot be this: `nonsense` is not a CIDR",
    ],
    ["a second document", "recursive: true\n---\nrecursive: false\n", "tierwall.yaml:3:1  error TW1003"],
    [
      "no mapping",
      "- recursive\n",
      "tierwall.yaml:1:1  error TW1201  expected tierwall.yaml (an object), found a list",
    ],
    ["no YAML", "a: {\n", "error TW1001"],
  ])("%s", (_what, config, expected) => {
    const { status, stdout, stderr } = tierwall(["explain", "--from", "x/a", "--to", "x/b"], {
      cwd: repository(config),
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(expected);
    expect(stderr).toContain("--no-config");
  });

  it("a file that --config names and that is not there", () => {
    const { status, stderr } = tierwall(["validate", "-f", ".", "--config", "nowhere.yaml"], {
      cwd: repository(""),
    });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("`nowhere.yaml` cannot be read: it does not exist"),
    ]);
  });

  it.each([
    [["explain", "--help"]],
    [["help", "explain"]],
    [["tour"]],
    [["completion", "bash"]],
    [["--version"]],
  ])("does not keep `%j` from being answered", (args) => {
    expect(tierwall(args, { cwd: repository("nonsense: true\n") })).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("tierwall.yaml next to manifests", () => {
  it("is not read as one", () => {
    const cwd = repository("");
    expect(JSON.parse(tierwall(["validate", "-f", ".", "-R", "-o", "json"], { cwd }).stdout)).toMatchObject({
      files: 2,
      skipped: {},
    });
  });

  it("is, where it is one", () => {
    const cwd = folderOf({ "tierwall.yaml": pods });
    expect(JSON.parse(tierwall(["validate", "-f", ".", "-o", "json"], { cwd }).stdout)).toMatchObject({
      files: 1,
      pods: 2,
    });
  });
});
