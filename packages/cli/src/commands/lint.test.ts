import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cidr = (text: string) => `# kept
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: shop}
spec:
  podSelector: {}
  ingress:
    - from:
        - ipBlock: {cidr: ${text}} # kept
`;
const old = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: guard}
spec: {priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}
`;
const files = {
  "good.yaml": cidr("10.0.0.0/8"),
  "warning.yaml": cidr("10.1.2.3/8"),
  "note.yaml": old,
  "error.yaml": cidr("10.1.2.3/88"),
};
const folder = folderOf(files);
const run = (...args: readonly string[]) => tierwall(["lint", ...args], { cwd: folder });

describe("exit status", () => {
  it.each([
    ["0 where there is nothing", ["-f", "good.yaml"], 0],
    ["0 for notes", ["-f", "note.yaml"], 0],
    ["1 for warnings", ["-f", "warning.yaml"], 1],
    ["1 for errors", ["-f", "error.yaml"], 1],
    ["0 for warnings that are tolerated", ["-f", "warning.yaml", "--max-severity", "warning"], 0],
    ["1 for errors as well", ["-f", "error.yaml", "--max-severity", "warning"], 1],
    ["0 for whatever there is", ["-f", "error.yaml", "--max-severity", "error"], 0],
    ["1 for notes where nothing is tolerated", ["-f", "note.yaml", "--max-severity", "none"], 1],
    ["2 for a path that does not exist", ["-f", "nothing.yaml"], 2],
    ["2 without a path", [], 2],
    ["2 for a severity that there is not", ["-f", "good.yaml", "--max-severity", "fatal"], 2],
    ["2 for a format that there is not", ["-f", "good.yaml", "-o", "xml"], 2],
  ])("%s", (_what, args, expected) => expect(run(...args).status).toBe(expected));
});

describe("what it prints", () => {
  it("a summary and findings on stdout, nothing else", () => {
    const { stdout, stderr } = run("-f", "warning.yaml");
    expect(stderr).toBe("");
    expect(stdout).toContain("warning.yaml:9:27  warning TW2001");
    expect(stdout).toMatch(/^1 warning.* in 1 of 1 file; --fix fixes 1\n\n/);
  });

  it("that nothing was evaluated, where there are errors", () =>
    expect(run("-f", "error.yaml").stdout).toContain("Nothing was evaluated"));

  it("that a path cannot be read, on stderr", () => {
    const { stdout, stderr } = run("-f", "nothing.yaml");
    expect([stdout, stderr]).toEqual(["", expect.stringContaining("`nothing.yaml` cannot be read")]);
  });

  it.each(["json", "sarif"])("%s", (format) => {
    const { stdout } = run("-f", "warning.yaml", "-o", format);
    expect(JSON.parse(stdout)).toMatchObject(
      format === "json"
        ? { kind: "LintReport", warnings: 1 }
        : {
            version: "2.1.0",
            runs: [
              { results: expect.arrayContaining([expect.objectContaining({ ruleId: "TW2001" })]) as unknown },
            ],
          },
    );
  });

  it("annotations for GitHub, and nothing where there is nothing", () => {
    expect(run("-f", "warning.yaml", "-o", "github").stdout).toMatch(/^::warning file=warning\.yaml,line=9,/);
    expect(run("-f", "good.yaml", "-o", "github").stdout).not.toContain("warning");
  });

  it("JUnit, in which what is tolerated does not fail", () => {
    expect(run("-f", "warning.yaml", "-o", "junit").stdout).toContain("<failure ");
    expect(run("-f", "warning.yaml", "-o", "junit", "--max-severity", "warning").stdout).not.toContain(
      "<failure ",
    );
  });
});

describe("--fix", () => {
  it("writes the files, keeps comments, says what it did, and reports what is left", () => {
    const own = folderOf({ "a.yaml": files["warning.yaml"], "b.yaml": files["note.yaml"] });
    const { status, stdout, stderr } = tierwall(["lint", "-f", ".", "--fix"], { cwd: own });
    expect(readFileSync(join(own, "a.yaml"), "utf8")).toBe(cidr("10.0.0.0/8"));
    expect(readFileSync(join(own, "b.yaml"), "utf8")).toBe(files["note.yaml"]);
    expect(stderr).toBe("a.yaml:9:27  TW2001: write `10.0.0.0/8`\n1 fixed in 1 file\n\n");
    expect(stdout).not.toContain("TW2001");
    expect(stdout).toContain("TW4009");
    expect(status).toBe(0);
  });

  it("does not touch standard input", () => {
    const { status, stdout } = tierwall(["lint", "-f", "-", "--fix"], { input: files["warning.yaml"] });
    expect([status, stdout]).toEqual([1, expect.stringContaining("TW2001")]);
  });

  it("does not touch a file with bytes that are no text", () => {
    const own = folderOf({});
    const bytes = Buffer.concat([Buffer.from(files["warning.yaml"]), Buffer.from([0x23, 0x20, 0xe9, 0x0a])]);
    writeFileSync(join(own, "latin1.yaml"), bytes);
    tierwall(["lint", "-f", "latin1.yaml", "--fix"], { cwd: own });
    expect(readFileSync(join(own, "latin1.yaml"))).toEqual(bytes);
  });
});

it("the page in docs/ shows what it prints", () => {
  const root = fileURLToPath(new URL("../../../../", import.meta.url));
  const page = readFileSync(join(root, "docs/how-to/lint.md"), "utf8");
  const [, command, shown] = /^ {4}\$ npx tierwall (.*)\n((?: {4}.*\n|\n)+)/m.exec(page)!;
  const { stdout } = tierwall(command!.split(" "), { cwd: root });
  expect(stdout).toContain(shown!.trimEnd().replaceAll(/^ {4}/gm, ""));
});
