import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConnectivityTests } from "@tierwall/core/analysis";
import { readState } from "@tierwall/core/state";
import { beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const allFolders = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
/** Those with Guarantees have no cluster; test/guarantees.test.ts is about them. */
const folders = allFolders.filter((folder) => !folder.startsWith("guarantees-"));

const manifestsIn = (folder: string) =>
  readdirSync(join(root, "examples", folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => join("examples", folder, file));

function tierwall(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  if (!existsSync(join(root, "packages/cli/dist/main.js")))
    throw new Error("packages/cli/dist is missing: `npm run build` makes it");
  return spawnSync(process.execPath, [join(root, "packages/cli/bin/tierwall.js"), ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
}

interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly tests: readonly {
    readonly name: string;
    readonly file: string;
    readonly passed: number;
    readonly mismatches: readonly object[];
  }[];
}

describe("every example", () => {
  let report: Report;
  beforeAll(() => {
    const { status, stdout, stderr } = tierwall("test", "-R", "examples", "-o", "json");
    expect([status, stderr]).toEqual([0, ""]);
    report = JSON.parse(stdout) as Report;
  });

  it("holds what it promises", () => {
    expect(report.failed).toBe(0);
    expect(report.passed).toBeGreaterThan(folders.length);
    expect(report.tests.flatMap(({ mismatches }) => mismatches)).toEqual([]);
  });

  it.each(folders)("%s says what it shows, and is tested", (folder) => {
    const readme = readFileSync(join(root, "examples", folder, "README.md"), "utf8");
    expect(readme).toMatch(/^# \S/);
    const tests = report.tests.filter(({ file }) => file.startsWith(join("examples", folder, "/")));
    expect(tests.map(({ name }) => name)).not.toEqual([]);
    for (const { name, passed } of tests) expect([name, passed]).not.toEqual([name, 0]);
  });

  it.each(allFolders)("%s is listed in the overview", (folder) => {
    expect(readFileSync(join(root, "examples/README.md"), "utf8")).toContain(folder);
  });

  it.each(allFolders)("%s has no errors of its own", (folder) => {
    const sources = manifestsIn(folder).map((file) => ({
      file,
      text: readFileSync(join(root, file), "utf8"),
    }));
    // One folder may have two spellings of a policy as alternatives: each test gets one of them.
    const errors = readState(sources).diagnostics.filter(
      (d) => d.severity === "error" && d.code !== "TW1102",
    );
    expect(errors).toEqual([]);
  });

  it("all are found: as many files with tests as there are", () => {
    const files = folders.flatMap(manifestsIn);
    const withTests = files.filter(
      (file) => readConnectivityTests(readFileSync(join(root, file), "utf8"), file).tests.length > 0,
    );
    expect(new Set(report.tests.map(({ file }) => file))).toEqual(new Set(withTests));
  });
});

describe("S6.7: the first draft's precedence scenario is explained with the rules that the seed names", () => {
  interface Decider {
    readonly type: string;
    readonly tier?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly action?: string;
    readonly file?: string;
    readonly line?: number;
    readonly isolation?: readonly { readonly kind: string; readonly name: string }[];
  }
  interface Explained {
    readonly verdict: string;
    readonly ingress: {
      readonly verdict: string;
      readonly decidedBy: Decider;
      readonly trace: readonly {
        readonly tier: string;
        readonly outcome: string;
        readonly policies: readonly {
          readonly name: string;
          readonly rules: readonly { readonly result: string; readonly action: string }[];
        }[];
      }[];
    };
  }
  const explain = (client: string): Explained => {
    const folder = "examples/draft-precedence-scenario";
    const { status, stdout } = tierwall(
      "explain",
      "-f",
      folder,
      "--from",
      `${client}/client`,
      "--to",
      "x/server:80/TCP",
      "-o",
      "json",
    );
    expect(status).toBe(0);
    return JSON.parse(stdout) as Explained;
  };
  /** `guardrail pass: rule-1-empower-a`: each tier, its outcome, and the policy whose rule matched there. */
  const stairs = ({ ingress }: Explained) =>
    ingress.trace.map(({ tier, outcome, policies }) => {
      const decisive = policies.filter(({ rules }) => rules.some(({ result }) => result === "matches"));
      return [`${tier} ${outcome}`, ...decisive.map(({ name }) => name)].join(": ");
    });

  it("a/client: Empower lifts the Deny, then the NetworkPolicy allows", () => {
    const explained = explain("a");
    expect(explained.verdict).toBe("Allow");
    expect(stairs(explained)).toEqual([
      "guardrail pass: rule-1-empower-a",
      "guardrail-allow next",
      "network-policy allow: rule-4-isolate-server",
      "cluster-default not-reached",
    ]);
    expect(explained.ingress.decidedBy).toMatchObject({
      type: "rule",
      tier: "network-policy",
      kind: "NetworkPolicy",
      name: "rule-4-isolate-server",
      file: "examples/draft-precedence-scenario/network-policy.yaml",
    });
  });

  it("b/client: the Deny comes before the Allow", () => {
    const explained = explain("b");
    expect(explained.verdict).toBe("Deny");
    expect(stairs(explained)[0]).toBe("guardrail deny: rule-2-deny-a-and-b");
    expect(explained.ingress.decidedBy).toMatchObject({
      tier: "guardrail",
      name: "rule-2-deny-a-and-b",
      action: "Deny",
    });
  });

  it("c/client: the Allow comes before the NetworkPolicy", () => {
    const explained = explain("c");
    expect(explained.verdict).toBe("Allow");
    expect(explained.ingress.decidedBy).toMatchObject({
      tier: "guardrail-allow",
      name: "rule-3-allow-b-and-c",
      action: "Allow",
    });
  });

  it("d/client: isolated by the NetworkPolicy, and the default policy is not reached", () => {
    const explained = explain("d");
    expect(explained.verdict).toBe("Deny");
    expect(explained.ingress.decidedBy).toMatchObject({
      type: "isolation",
      tier: "network-policy",
      isolation: [{ kind: "NetworkPolicy", name: "rule-4-isolate-server" }],
    });
    expect(stairs(explained).at(-1)).toBe("cluster-default not-reached");
  });
});
