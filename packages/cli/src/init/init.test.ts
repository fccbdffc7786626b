import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isFull } from "../../../../test/slice.mjs";
import { usageError, wordsOf } from "../../testing/command-lines.js";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";
import { type Ci, ciFile } from "./init-files.js";
import { publicUrl } from "./installation.js";

afterAll(removeFolders);

const examplesFolder = fileURLToPath(new URL("../../../../examples", import.meta.url));
const examples = readdirSync(examplesFolder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  // It has the same policies twice, in two spellings.
  .filter((name) => name !== "npep285-story2-single-crd")
  .filter((name) => isFull || ["mixed-six-apis", "foreign-policies", "guarantees-pci"].includes(name));

const pod = (namespace: string, name: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}\n`;
const pods = `${pod("shop", "cart")}---\n${pod("payments", "api")}`;
const policy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: api, namespace: payments}
spec:
  podSelector: {matchLabels: {app: api}}
  ingress:
    - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}, podSelector: {matchLabels: {app: cart}}}]
`;

const read = (cwd: string, path: string) => readFileSync(join(cwd, path), "utf8");
const init = (cwd: string, ...args: readonly string[]) => tierwall(["init", ...args], { cwd });

interface Written {
  readonly spec: {
    readonly given?: readonly string[];
    readonly expect: readonly { from: string; to: string; verdict: string; decidedBy: string }[];
  };
}
const testIn = (cwd: string) => parse(read(cwd, "connectivity-test.yaml")) as Written;

/** The commands of Tierwall in the CI job that was written. */
const ciCommands = (text: string): readonly (readonly string[])[] =>
  Array.from(text.matchAll(/^ *- (?:run: )?tierwall (.*)$/gm), ([, words]) => wordsOf(words!));

describe("the CI job installs what wrote it", () => {
  interface Job {
    readonly env?: Readonly<Record<string, string>>;
    readonly variables?: Readonly<Record<string, string>>;
    readonly steps?: readonly { readonly run?: string }[];
    readonly script?: readonly string[];
  }
  /** Runs the commands of a job in bash, with a repository whose build makes a `tierwall` that prints its arguments. */
  function runJob(ci: Ci, hasTest: boolean): string {
    const source = folderOf({
      "package.json": JSON.stringify({
        scripts: { build: "mkdir -p node_modules/.bin && cp tierwall node_modules/.bin/" },
      }),
      tierwall: '#!/bin/sh\necho "ran $*"\n',
    });
    chmodSync(join(source, "tierwall"), 0o755);
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-C", source, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message", "first");
    const commit = git("rev-parse", "HEAD").trim();
    const installation = { from: "source", repository: source, commit } as const;
    const { text } = ciFile(ci, { folder: "", hasTest, installation });
    const temporary = folderOf({ path: "" });
    const document = parse(text.replace(/\/tmp\/tierwall(?![-\w])/g, join(temporary, "tierwall"))) as {
      readonly jobs?: Readonly<Record<string, Job>>;
    } & Readonly<Record<string, Job>>;
    const job = (document.jobs ?? document)["network-policies"]!;
    const path = join(temporary, "path");
    // A step of GitHub runs in a shell of its own, with the folders that earlier steps added to the PATH.
    const commands =
      job.script ??
      job.steps!.flatMap(({ run }) =>
        run === undefined ? [] : [`(${run}\n)\nPATH="$(cat '${path}'):$PATH"`],
      );
    return execFileSync("bash", ["-e", "-c", commands.join("\n")], {
      cwd: folderOf({}),
      env: { ...process.env, ...job.env, ...job.variables, RUNNER_TEMP: temporary, GITHUB_PATH: path },
      encoding: "utf8",
    });
  }

  it.each([
    ["github", "ran lint -o github --max-severity error"],
    ["gitlab", "ran lint --max-severity error"],
  ] as const)("%s: its commands run as they are", (ci, lint) => {
    const lines = runJob(ci, true).split("\n");
    expect(lines.filter((line) => line.startsWith("ran "))).toEqual([
      "ran validate",
      lint,
      "ran test connectivity-test.yaml",
    ]);
  });

  it("from npm where this is a release", () => {
    const installation = { from: "npm", version: "1.2.3" } as const;
    for (const ci of ["github", "gitlab"] as const) {
      const { text } = ciFile(ci, { folder: "", hasTest: true, installation });
      expect(text).toContain("npm install --global tierwall@1.2.3\n");
      expect(text).not.toContain("git clone");
      expect(parse(text)).toBeTypeOf("object");
    }
  });

  it.each([
    ["git@github.com:owner/tierwall.git", "https://github.com/owner/tierwall.git"],
    ["ssh://git@example.com:2222/a/tierwall.git", "https://example.com/a/tierwall.git"],
    ["https://user:secret@example.com/tierwall.git", "https://example.com/tierwall.git"],
    ["https://example.com/tierwall", "https://example.com/tierwall"],
    ["/srv/tierwall.git", undefined],
    ["file:///srv/tierwall.git", undefined],
    ["../tierwall", undefined],
  ])("of the remote %s, the URL is %s", (remote, url) => expect(publicUrl(remote)).toBe(url));

  it("asks for the URL where the clone has none", () => {
    const installation = { from: "source", repository: undefined, commit: "abc" } as const;
    expect(ciFile("github", { folder: "", hasTest: true, installation }).text).toMatch(
      /# Change this URL.*\n +TIERWALL_REPOSITORY: "https:\/\/example\.com\/tierwall\.git"/,
    );
  });
});

describe("what init writes passes its own CI job", () => {
  it.each(examples)("for example %s", (name) => {
    const cwd = folderOf({});
    cpSync(join(examplesFolder, name), cwd, { recursive: true });
    const { status, stdout, stderr } = init(cwd);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("wrote  tierwall.yaml");
    const commands = ciCommands(read(cwd, ".github/workflows/tierwall.yaml"));
    expect(commands.map(([command]) => command)).toEqual(["validate", "lint", "test"]);
    for (const words of commands) {
      expect(usageError(words)).toBeUndefined();
      expect([words, tierwall(words, { cwd, inOneProcess: true }).status]).toEqual([words, 0]);
    }
  });
});

describe("the first test", () => {
  it("has allowed and denied connections, each with the policy that decides it", () => {
    const cwd = folderOf({ "cluster.yaml": pods, "policy.yaml": policy });
    expect(init(cwd).status).toBe(0);
    const { given, expect: expected } = testIn(cwd).spec;
    expect(given).toEqual(["."]);
    const decidedBy = "NetworkPolicy/payments/api";
    expect(expected).toContainEqual({
      from: "shop/cart",
      to: "payments/api:80/TCP",
      verdict: "Allow",
      decidedBy,
    });
    expect(expected).toContainEqual({
      from: "203.0.113.7",
      to: "payments/api:80/TCP",
      verdict: "Deny",
      decidedBy,
    });
  });

  it("asks about new pods where there are policies alone", () => {
    const cwd = folderOf({ "policy.yaml": policy });
    expect(init(cwd).status).toBe(0);
    expect(testIn(cwd).spec.expect).toContainEqual({
      from: "new:kubernetes.io/metadata.name=shop/app=cart",
      to: "new:kubernetes.io/metadata.name=payments/app=api:80/TCP",
      verdict: "Allow",
      decidedBy: "NetworkPolicy/payments/api",
    });
    expect(tierwall(["test", "connectivity-test.yaml"], { cwd }).status).toBe(0);
  });

  it("without policies says that everything is allowed", () => {
    const cwd = folderOf({ "cluster.yaml": pods });
    expect(init(cwd).status).toBe(0);
    expect(read(cwd, "connectivity-test.yaml")).toContain("No policy decides any connection yet");
    expect(new Set(testIn(cwd).spec.expect.map(({ decidedBy }) => decidedBy))).toEqual(new Set(["default"]));
    expect(tierwall(["test", "connectivity-test.yaml"], { cwd }).status).toBe(0);
  });

  it("is left out, also of the CI job, where there is no endpoint", () => {
    const cwd = folderOf({ "shop.yaml": "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n" });
    const { status, stdout } = init(cwd);
    expect([status, stdout]).toEqual([0, expect.stringContaining("No test was written") as string]);
    expect(existsSync(join(cwd, "connectivity-test.yaml"))).toBe(false);
    const commands = ciCommands(read(cwd, ".github/workflows/tierwall.yaml"));
    expect(commands.map(([command]) => command)).toEqual(["validate", "lint"]);
  });

  it("fails when a policy changes what it asserts", () => {
    const cwd = folderOf({ "cluster.yaml": pods, "policy.yaml": policy });
    init(cwd);
    const open = folderOf({
      "cluster.yaml": pods,
      "connectivity-test.yaml": read(cwd, "connectivity-test.yaml"),
    });
    expect(tierwall(["test", "connectivity-test.yaml"], { cwd: open }).status).toBe(1);
  });
});

describe("which manifests init reads", () => {
  it("those of the folders that hold some; other YAML is not read", () => {
    const cwd = folderOf({
      "cluster/pods.yaml": pods,
      "policies/deep/policy.yaml": policy,
      "tools/settings.yaml": "{{ not YAML",
      "mkdocs.yml": "site: !!python/name:x\n",
      "node_modules/a/pod.yaml": pods,
    });
    expect(init(cwd)).toMatchObject({ status: 0, stderr: "" });
    expect(parse(read(cwd, "tierwall.yaml"))).toEqual({ filename: ["cluster", "policies"], recursive: true });
    expect(testIn(cwd).spec.given).toEqual(["cluster", "policies"]);
    expect(tierwall(["validate"], { cwd }).status).toBe(0);
  });

  it("those of -f, with the other options as defaults", () => {
    const cwd = folderOf({ "a/pods.yaml": pods, "b/policy.yaml": policy });
    const { status } = init(
      cwd,
      "-f",
      "a",
      "--pod-cidr",
      "10.244.0.0/16",
      "--pod-cidr",
      "fd00::/64",
      "--input",
      "file",
    );
    expect(status).toBe(0);
    expect(parse(read(cwd, "tierwall.yaml"))).toEqual({
      filename: ["a"],
      recursive: true,
      podCidr: ["10.244.0.0/16", "fd00::/64"],
      input: "file",
    });
    expect(tierwall(["test", "connectivity-test.yaml"], { cwd }).status).toBe(0);
  });

  it("the cluster where the folder has none; without a cluster nothing is written", () => {
    const cwd = folderOf({ "README.md": "" });
    const { status, stdout, stderr } = init(cwd);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("This folder has no manifests (.yaml, .yml, .json), so the cluster is read");
    expect(stderr).toContain("No file was written");
    expect(readdirSync(cwd)).toEqual(["README.md"]);
  });

  it("a broken file is an error with its place, and nothing is written", () => {
    const cwd = folderOf({ "policy.yaml": policy.replace("podSelector", "podselector") });
    const { status, stderr } = init(cwd);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/policy\.yaml:5:3 .*podselector[^]*No file was written/),
    ]);
    expect(readdirSync(cwd)).toEqual(["policy.yaml"]);
  });

  it("a Helm template is an error that says what to do", () => {
    const cwd = folderOf({
      "chart/templates/a.yaml":
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata:\n  name: {{ .Values.name }}\n",
    });
    expect(init(cwd)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("render it first") as string,
    });
  });

  it.each([
    [["-f", "-"], "standard input cannot be read again later"],
    [["-f", "a", "--live"], "init reads files or a cluster, not both"],
    [["--context", "prod", "--ci", "github"], "a CI job needs files"],
  ])("%j is refused", (args, message) => {
    const cwd = folderOf({ "a/pods.yaml": pods });
    expect(init(cwd, ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(message) as string,
    });
    expect(readdirSync(cwd)).toEqual(["a"]);
  });
});

describe("the files of init", () => {
  it("are printed, and not written, with --dry-run", () => {
    const cwd = folderOf({ "cluster.yaml": pods });
    const { status, stdout, stderr } = init(cwd, "--dry-run");
    expect([status, stderr]).toEqual([0, "\nNothing was written (--dry-run).\n"]);
    for (const path of ["tierwall.yaml", "connectivity-test.yaml", ".github/workflows/tierwall.yaml"])
      expect(stdout).toContain(`# ${path}\n`);
    expect(readdirSync(cwd)).toEqual(["cluster.yaml"]);
  });

  it("are kept if they exist; --force overwrites the test and the CI job", () => {
    const cwd = folderOf({
      "cluster.yaml": pods,
      "tierwall.yaml": "filename: cluster.yaml\npodCidr: 10.0.0.0/8\n",
      "connectivity-test.yaml": "# mine\n",
    });
    expect(init(cwd).stdout).toMatch(
      /kept {3}tierwall\.yaml +in use\n {2}kept {3}connectivity-test\.yaml .*--force/,
    );
    expect(read(cwd, "connectivity-test.yaml")).toBe("# mine\n");
    expect(existsSync(join(cwd, ".github/workflows/tierwall.yaml"))).toBe(true);
    expect(init(cwd, "--force").stdout).toContain("wrote  connectivity-test.yaml");
    expect(testIn(cwd).spec.given).toEqual(["cluster.yaml"]);
    expect(read(cwd, "tierwall.yaml")).toContain("podCidr");
  });

  it("are in the root of the repository where CI looks for them", () => {
    const root = folderOf({ ".git/HEAD": "", "it's deep/cluster.yaml": pods });
    const cwd = join(root, "it's deep");
    expect(init(cwd).status).toBe(0);
    const workflow = parse(read(root, ".github/workflows/tierwall.yaml")) as {
      readonly jobs: Readonly<Record<string, { readonly defaults: unknown }>>;
    };
    expect(workflow.jobs["network-policies"]!.defaults).toEqual({
      run: { "working-directory": "it's deep" },
    });
    expect(init(cwd, "--ci", "gitlab", "--force").status).toBe(0);
    const job = parse(read(root, ".gitlab/tierwall.gitlab-ci.yml")) as {
      readonly "network-policies": { readonly script: readonly string[] };
    };
    expect(job["network-policies"].script).toContain(String.raw`cd 'it'\''s deep'`);
  });

  it("are for GitLab where the repository uses it, and none with --ci none", () => {
    const cwd = folderOf({ "cluster/pods.yaml": pods, ".gitlab-ci.yml": "" });
    expect(init(cwd).stdout).toContain(
      "Add to .gitlab-ci.yml: include: [{local: .gitlab/tierwall.gitlab-ci.yml}]",
    );
    for (const words of ciCommands(read(cwd, ".gitlab/tierwall.gitlab-ci.yml")))
      expect([words, tierwall(words, { cwd, inOneProcess: true }).status]).toEqual([words, 0]);
    const other = folderOf({ "pods.yaml": pods });
    init(other, "--ci", "none");
    expect(readdirSync(other)).toEqual(["connectivity-test.yaml", "pods.yaml", "tierwall.yaml"]);
  });

  it("that cannot be written are an error", () => {
    const cwd = folderOf({ "pods.yaml": pods, ".github": "a file" });
    const { status, stderr } = init(cwd);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^`\.github\/workflows\/tierwall\.yaml` cannot be written: /),
    ]);
  });
});
