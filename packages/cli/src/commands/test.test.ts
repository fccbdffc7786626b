import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const cluster = `apiVersion: v1
kind: Pod
metadata: {name: client, namespace: a}
---
apiVersion: v1
kind: Pod
metadata: {name: server, namespace: x}
`;
const isolate = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: isolate, namespace: x}
spec: {podSelector: {}, policyTypes: [Ingress]}
`;
const test = (name: string, given: string, ...expectations: readonly string[]) =>
  `apiVersion: tierwall.dev/v1\nkind: ConnectivityTest\nmetadata: {name: ${name}}\nspec:\n${given === "" ? "" : `  given: ${given}\n`}  expect:\n${expectations.map((line) => `  - ${line}\n`).join("")}`;
const denied = '{from: a/client, to: "x/server:80/TCP", verdict: Deny, decidedBy: NetworkPolicy/x/isolate}';
const allowed = '{from: [a/client, x/server], to: ["x/server:80/TCP", "x/server:ICMP"], verdict: Allow}';
const back = '{from: x/server, to: "a/client:80/TCP", verdict: Allow, decidedBy: default}';

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly tests: readonly {
    readonly name: string;
    readonly file: string;
    readonly passed: number;
    readonly failed: number;
    readonly mismatches: readonly object[];
  }[];
}
const report = (stdout: string) => JSON.parse(stdout) as Report;

const folder = folderOf({
  "cluster.yaml": cluster,
  "policies/isolate.yaml": isolate,
  "good.yaml": test("good", "[cluster.yaml, policies/]", denied, back),
  "below/deeper/bad.yaml": test("bad", "[../../cluster.yaml, ../../policies]", allowed),
});
const run = (...args: readonly string[]) => tierwall(["test", ...args], { cwd: folder });

describe("exit status", () => {
  it("0 when all hold", () => {
    const { status, stdout, stderr } = run("good.yaml");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^✓ good /);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("2 passed, 0 failed");
  });

  it("1 when some do not, and the explanation of each is printed", () => {
    const { status, stdout } = run("below/deeper/bad.yaml");
    expect(status).toBe(1);
    expect(stdout).toContain("✗ bad");
    expect(stdout).toContain("a/client → x/server:80/TCP: expected Allow, found Deny");
    expect(stdout).toContain("NetworkPolicy x/isolate");
    // S1.6: from the server to itself is allowed.
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("2 passed, 2 failed");
  });

  it.each([
    ["a path that does not exist", ["nowhere"], /TW1004.*nowhere/],
    ["a folder without tests", ["policies"], /TW1004.*no ConnectivityTest/],
    ["a file without tests", ["cluster.yaml"], /TW1004.*no ConnectivityTest/],
    ["no path", [], /path/],
    ["an unknown format", ["good.yaml", "-o", "xml"], /text, json, junit/],
  ])("2 for %s", (_what, args, expected) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });

  it("2 for a broken test, with the place of what is wrong", () => {
    const broken = folderOf({
      "t.yaml": test("t", "[cluster.yaml]", '{form: a/client, to: "x/server:80", verdict: Deny}'),
    });
    const { status, stderr } = tierwall(["test", "."], { cwd: broken });
    expect(status).toBe(2);
    expect(stderr).toMatch(/t\.yaml:7:6 {2}error TW1204.*did you mean `from`\?/);
    expect(stderr).toMatch(/\| +\^{4}\n/);
  });

  it("2 for a given that is not there, or has errors; the other tests are still run", () => {
    const mixed = folderOf({
      "cluster.yaml": cluster,
      "wrong.yaml": isolate.replace("podSelector", "podselector"),
      "a.yaml": test("a", "[nowhere.yaml]", back),
      "b.yaml": test("b", "[cluster.yaml, wrong.yaml]", back),
      "c.yaml": test("c", "[cluster.yaml]", back),
    });
    const { status, stdout, stderr } = tierwall(["test", ".", "-o", "json"], { cwd: mixed });
    expect(status).toBe(2);
    expect(stderr).toContain("nowhere.yaml");
    expect(stderr).toContain("wrong.yaml:4:8  error TW1204");
    expect(
      report(stdout)
        .tests.filter(({ passed }) => passed > 0)
        .map(({ name }) => name),
    ).toEqual(["c"]);
  });

  it("2 for a question that cannot be asked, even where the others fail", () => {
    const odd = folderOf({
      "cluster.yaml": cluster,
      "t.yaml": test("t", "[cluster.yaml]", '{from: a/clinet, to: "x/server:80", verdict: Deny}', denied),
    });
    const { status, stderr } = tierwall(["test", "."], { cwd: odd });
    expect(status).toBe(2);
    expect(stderr).toMatch(/t\.yaml:7:\d+ {2}error TW1502.*did you mean `a\/client`\?/);
  });
});

describe("which tests", () => {
  const namesIn = (...args: readonly string[]) =>
    report(run(...args, "-o", "json").stdout).tests.map(({ name }) => name);

  it("those of a folder, with -R those below it too; other files are ignored", () => {
    expect(namesIn(".")).toEqual(["good"]);
    expect(namesIn("-R", ".")).toEqual(["good", "bad"]);
  });

  it("several paths, files and folders", () => {
    expect(namesIn("below/deeper", "good.yaml")).toEqual(["bad", "good"]);
  });

  it("JSON files count", () => {
    const json = folderOf({
      "cluster.yaml": cluster,
      "t.json": JSON.stringify({
        apiVersion: "tierwall.dev/v1",
        kind: "ConnectivityTest",
        metadata: { name: "in-json" },
        spec: {
          given: ["cluster.yaml"],
          expect: [{ from: "a/client", to: "x/server:80/TCP", verdict: "Allow" }],
        },
      }),
    });
    const { status, stdout } = tierwall(["test", ".", "-o", "json"], { cwd: json });
    expect(status).toBe(0);
    expect(report(stdout)).toMatchObject({ passed: 1, failed: 0, tests: [{ name: "in-json" }] });
  });

  it("paths under given are relative to the file, wherever the command is run", () => {
    expect(tierwall(["test", "deeper/bad.yaml"], { cwd: `${folder}/below` }).status).toBe(1);
    expect(tierwall(["test", `${folder}/good.yaml`]).status).toBe(0);
  });
});

describe("-f", () => {
  const without = folderOf({
    "t.yaml": test("t", "", denied),
    "cluster.yaml": cluster,
    "isolate.yaml": isolate,
  });

  it("adds to what a test is given", () => {
    const { status } = tierwall(["test", "t.yaml", "-f", "cluster.yaml", "-f", "isolate.yaml"], {
      cwd: without,
    });
    expect(status).toBe(0);
    const given = folderOf({
      "t.yaml": test("t", "[cluster.yaml]", denied),
      "cluster.yaml": cluster,
      "isolate.yaml": isolate,
    });
    expect(tierwall(["test", "t.yaml"], { cwd: given }).status).toBe(1);
    expect(tierwall(["test", "t.yaml", "-f", "isolate.yaml"], { cwd: given }).status).toBe(0);
    expect(tierwall(["test", "t.yaml", "-f", "-"], { cwd: given, input: isolate }).status).toBe(0);
  });

  it("without it, a test without given runs on the cluster", () => {
    const { status, stderr } = tierwall(["test", "t.yaml"], { cwd: without });
    expect(status).toBe(2);
    expect(stderr).toMatch(/`t` has no `given`[^]*TW1009.*kubeconfig/);
  });

  it("a file that is given and added is read once", () => {
    expect(run("good.yaml", "-f", "cluster.yaml").status).toBe(0);
  });
});

describe("reports", () => {
  it("JSON: totals, tests, and each mismatch with its explanation", () => {
    expect(report(run("-R", ".", "-o", "json").stdout)).toMatchObject({
      passed: 4,
      failed: 2,
      tests: [
        { name: "good", file: "good.yaml", passed: 2, failed: 0, mismatches: [] },
        {
          name: "bad",
          file: "below/deeper/bad.yaml",
          passed: 2,
          failed: 2,
          mismatches: [
            {
              from: "a/client",
              to: "x/server:80/TCP",
              explanation: { kind: "Explanation", verdict: "Deny" },
            },
            { from: "a/client", to: "x/server:ICMP", explanation: { verdict: "Deny" } },
          ],
        },
      ],
    });
  });

  it("JUnit: every pair is a case", () => {
    const { status, stdout } = run("-R", ".", "-o", "junit");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="tierwall" tests="6" failures="2"/,
    );
    expect(stdout.match(/<testcase /g)).toHaveLength(6);
    expect(stdout.match(/<failure /g)).toHaveLength(2);
    expect(stdout.trimEnd().endsWith("</testsuites>")).toBe(true);
  });
});

it("a thousand assertions over a hundred states, in one process", () => {
  const states = Array.from({ length: 100 }, (_, i) => i);
  const clients = Array.from({ length: 5 }, (_, i) => `c${i}`);
  const files = states.flatMap((i): [string, string][] => {
    const pods = [...clients, "server"].map(
      (name) =>
        `{apiVersion: v1, kind: Pod, metadata: {namespace: s${i}, name: ${name}, labels: {app: ${name}}}}`,
    );
    // Each state allows a different client.
    const policy = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: s${i}, name: np}, spec: {podSelector: {matchLabels: {app: server}}, ingress: [{from: [{podSelector: {matchLabels: {app: c${i % 5}}}}], ports: [{port: 80}]}]}}`;
    const expectations = clients.flatMap((name, c) => [
      `{from: s${i}/${name}, to: "s${i}/server:80/TCP", verdict: ${c === i % 5 ? "Allow" : "Deny"}}`,
      `{from: s${i}/${name}, to: "s${i}/server:81/TCP", verdict: Deny}`,
    ]);
    return [
      [`s${i}/state.yaml`, [...pods, policy].join("\n---\n")],
      [`s${i}/test.yaml`, test(`s${i}`, "[state.yaml]", ...expectations)],
    ];
  });
  const many = folderOf(Object.fromEntries(files));
  const { status, stdout } = tierwall(["test", "-R", ".", "-o", "json"], { cwd: many });
  expect(report(stdout)).toMatchObject({ passed: 1000, failed: 0 });
  expect(report(stdout).tests).toHaveLength(100);
  expect(status).toBe(0);
});
