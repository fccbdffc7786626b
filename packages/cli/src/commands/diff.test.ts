import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cluster = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, labels: {app: web}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop}
`;
const closed = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}}
`;
const broken = closed.replace("podSelector", "podSelectr");

describe("tierwall diff OLD NEW", () => {
  const folder = folderOf({
    "old/cluster.yaml": cluster,
    "new/cluster.yaml": cluster,
    "new/closed.yaml": closed,
    "cluster.yaml": cluster,
    "none/empty.yaml": "",
    "only-policy/closed.yaml": closed,
    "broken/cluster.yaml": cluster,
    "broken/policy.yaml": broken,
  });
  const diff = (...args: readonly string[]) => tierwall(["diff", ...args], { cwd: folder });

  it("exits with 1 and says what is different", () => {
    const { status, stdout, stderr } = diff("old", "new");
    expect([status, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("by NetworkPolicy shop/closed (isolation) · new/closed.yaml:1");
  });

  it("exits with 0 where nothing is", () => {
    expect(diff("old", "old")).toEqual({
      status: 0,
      stdout:
        "no difference: the same connections are allowed, denied and undecided\n" +
        "The policies are the same in every cluster.\n",
      stderr: "",
    });
  });

  it("S11.6: says where policies that make no difference here would make one in another cluster", () => {
    const files = folderOf({
      "old.yaml": cluster,
      "new.yaml": cluster + `---\n${closed.replace("web", "db")}`,
    });
    const { status, stdout } = tierwall(["diff", "old.yaml", "new.yaml"], { cwd: files });
    expect(status).toBe(0);
    expect(stdout).toContain("the policies are not the same.\n  They differ in this cluster:\n");
    expect(stdout).toContain('pod {app: "db"} in namespace shop');
    const asJson = tierwall(["diff", "old.yaml", "new.yaml", "-o", "json"], { cwd: files });
    expect(JSON.parse(asJson.stdout)).toMatchObject({ everywhere: { result: "Different" } });
  });

  it("reads what -f names into both", () => {
    const { status, stdout } = diff("-f", "cluster.yaml", "none", "only-policy", "-o", "json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "Diff", summary: { newlyDenied: 3 }, remarks: [] });
  });

  it("reads standard input into both, and what is named twice once", () => {
    const { status, stdout } = tierwall(["diff", "-f", "-", "none", "only-policy"], {
      cwd: folder,
      input: cluster,
    });
    expect([status, stdout.split("\n")[0]]).toEqual([
      1,
      "newly denied  3 connections  from outside 2 · shop 1",
    ]);
    expect(diff("-f", "old", "old", "new/closed.yaml").status).toBe(1);
  });

  it("puts ends together as --by asks", () => {
    const { stdout } = diff("old", "new", "--by", "namespace", "-o", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      by: "namespace",
      changes: [{ to: [{ kind: "namespace", name: "shop" }] }, {}],
    });
  });

  it("annotates, and writes the step summary where there is one", () => {
    const summary = join(folder, "summary.md");
    const { stdout } = tierwall(["diff", "old", "new", "-o", "github"], {
      cwd: folder,
      env: { GITHUB_STEP_SUMMARY: summary },
    });
    expect(stdout).toMatch(/^::warning file=new\/closed\.yaml,line=1,col=1,endColumn=\d+,title=/);
    expect(readFileSync(summary, "utf8")).toContain("## Network policy changes");
    const unwritable = tierwall(["diff", "old", "new", "-o", "github"], {
      cwd: folder,
      env: { GITHUB_STEP_SUMMARY: folder },
    });
    expect(unwritable.stderr).toContain("the step summary could not be written");
  });

  it.each([
    [[], "write `tierwall diff OLD NEW`"],
    [["old"], "`/nonexistent/kubeconfig` cannot be read"],
    [["old", "new", "--live"], "write `tierwall diff OLD --live`"],
    [["old", "nowhere"], "`nowhere` cannot be read: it does not exist"],
    [["old", "broken"], "unknown field `podSelectr`"],
    [["-", "-"], "standard input can be read only once"],
    [["old", "new", "-o", "xml"], "Allowed choices are text, json, md, github"],
    [["old", "new", "--git", "HEAD"], "leave the second one out"],
  ])("exits with 2 on %j", (args, why) => {
    const { status, stdout, stderr } = diff(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(why);
  });
});

describe("tierwall diff --git", () => {
  const repository = folderOf({});
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", repository, ...args]);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };
  const commit = (tag: string) => {
    git("add", "-A");
    git("commit", "-q", "-m", tag);
    git("tag", tag);
  };
  const diff = (args: readonly string[], cwd = repository) => tierwall(["diff", ...args], { cwd });

  git("init", "-q");
  put("policies/cluster.yaml", cluster);
  put("policies/notes.txt", "not a manifest");
  commit("one");
  put("policies/deep er/closed.yaml", closed);
  commit("two");
  put("policies/more.yaml", closed.replace("closed", "more").replace("{matchLabels: {app: web}}", "{}"));

  it("compares the working tree with a revision", () => {
    const { status, stdout } = diff(["--git", "HEAD", "policies"]);
    expect(status).toBe(1);
    expect(stdout).toContain("by NetworkPolicy shop/more (isolation) · policies/more.yaml:1");
  });

  it("takes defaults for options for no manifest, in either", () => {
    put("policies/tierwall.yaml", "recursive: true\n");
    commit("three");
    const { stderr } = diff(["--no-config", "--git", "three", "policies"]);
    expect(stderr).not.toContain("TW3003");
    git("reset", "-q", "--hard", "two");
    put("policies/more.yaml", closed.replace("closed", "more").replace("{matchLabels: {app: web}}", "{}"));
  });

  it("compares two revisions, whatever the working tree contains", () => {
    const { status, stdout } = diff(["--git", "one..two", "-R", "policies"]);
    expect(status).toBe(1);
    expect(stdout).toContain("shop/closed (isolation) · policies/deep er/closed.yaml:1");
    expect(stdout).not.toContain("more");
    expect(diff(["--git", "one..two", "policies"]).status).toBe(0);
    expect(diff(["--git", "two..", "-R", "policies"]).status).toBe(0);
  });

  it("takes the folder it is run in, and names files from there", () => {
    const { stdout } = diff(["--git", "one", "-R"], join(repository, "policies"));
    expect(stdout).toContain("(isolation) · deep er/closed.yaml:1");
  });

  it("takes one file", () => {
    expect(diff(["--git", "two", "policies/cluster.yaml"]).status).toBe(0);
  });

  it("takes what is new, and what is gone", () => {
    const args = ["-f", "policies/cluster.yaml", "policies/deep er"];
    const [come, gone] = [diff(["--git", "one..two", ...args]), diff(["--git", "two..one", ...args])];
    expect([come.status, gone.status]).toEqual([1, 1]);
    expect(come.stdout).toContain("newly denied");
    expect(gone.stdout).toContain("newly allowed");
    rmSync(join(repository, "policies/deep er"), { recursive: true });
    const removed = diff(["--git", "two", ...args]);
    git("checkout", "-q", "--", "policies/deep er/closed.yaml");
    expect(removed.stdout).toBe(gone.stdout);
  });

  it.each([
    [["--git", "nope", "policies"], "git knows no revision `nope`"],
    [["--git", "--upload-pack=x", "policies"], "git knows no revision `--upload-pack=x`"],
    [["--git", "one", "nowhere"], "`nowhere` holds no manifests, now or in `one` (-R looks into folders)"],
  ])("exits with 2 on %j", (args, why) => {
    const { status, stderr } = diff(args);
    expect(status).toBe(2);
    expect(stderr).toContain(why);
  });

  it("refuses a revision that is larger than --max-input", () => {
    const small = ["-R", "--git", "one..two", "policies", "--max-input"];
    const { status, stdout, stderr } = diff([...small, "100"]);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("TW1010");
    expect(stderr).toContain("makes the input larger than 100");
    expect(diff([...small, "1Mi"]).status).toBe(1);
  });

  it("says that a path is in no repository, and that there is no git", () => {
    const outside = folderOf({ "a.yaml": cluster });
    expect(diff(["--git", "HEAD", outside]).stderr).toContain("it is not in a git repository");
    const { stderr } = tierwall(["diff", "--git", "one", "policies"], { cwd: repository, env: { PATH: "" } });
    expect(stderr).toContain("git is not installed, or not on the PATH");
  });

  it("does not follow links in revisions, and reports them", () => {
    symlinkSync("cluster.yaml", join(repository, "policies/link.yaml"));
    git("add", "-A");
    git("commit", "-q", "-m", "link");
    const { status, stderr } = diff(["--git", "HEAD..HEAD", "policies"]);
    expect(status).toBe(2);
    expect(stderr).toContain("`policies/link.yaml` cannot be read: it is a symbolic link in `HEAD`");
  });
});
