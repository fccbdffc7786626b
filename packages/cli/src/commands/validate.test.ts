import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const good = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: shop}
spec: {podSelector: {}}
`;
const bad = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: bad, namespace: shop}
spec:
  podSelector:
    matchlabels: {app: web}
  ingress:
  - from: [{ipBlock: {cidr: 10.0.0.256/24}}]
  - from: [{ipBlock: {cidr: 10.0.0.1/8}}]
`;
const others = `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
---
apiVersion: v1
kind: Secret
metadata: {name: c}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
---
just: a mapping
`;
const folder = folderOf({
  "good.yaml": good,
  "bad.yaml": bad,
  "others.yaml": others,
  "below/more.yaml": good.replace("np", "more"),
});
const run = (...args: readonly string[]) => tierwall(["validate", ...args], { cwd: folder });
const json = (...args: readonly string[]) =>
  JSON.parse(run(...args, "-o", "json").stdout) as Record<string, unknown>;

describe("validate", () => {
  it("exit status 0 and a summary where there are no errors; notes are no errors", () => {
    const { status, stdout, stderr } = run("-f", "good.yaml", "-f", "others.yaml");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/\nRead 1 policy \(1 NetworkPolicy\), 1 pod\.\n$/);
  });

  const guarantee = `apiVersion: tierwall.dev/v1
kind: Guarantee
metadata: {name: no-metadata-api}
spec: {from: {namespaces: {}}, to: {networks: [169.254.169.254/32]}, verdict: Deny}
`;
  const test = `apiVersion: tierwall.dev/v1
kind: ConnectivityTest
metadata: {name: t}
spec: {expect: [{from: shop/web, to: "shop/web:80/TCP", verdict: Allow}]}
`;
  it.each([
    [
      "a Guarantee",
      guarantee,
      0,
      ["Read 1 Guarantee.", "The Guarantee is well-formed. Check whether it holds: tierwall prove x.yaml"],
    ],
    [
      "a ConnectivityTest",
      test,
      0,
      [
        "Read 1 ConnectivityTest.",
        "The ConnectivityTest is well-formed. Check whether it holds: tierwall test x.yaml",
      ],
    ],
    [
      "a misspelled field of a Guarantee",
      guarantee.replace("verdict", "verdit"),
      1,
      ["unknown field `verdit`"],
    ],
    [
      "another group",
      guarantee.replace("tierwall.dev", "tierwall.io"),
      1,
      ["`tierwall.io/v1` is not a known version of Guarantee; use `tierwall.dev/v1`"],
    ],
    ["a misspelled verdict of a test", test.replace("Allow", "Alow"), 1, ["x.yaml:4:"]],
    ["text that is not YAML", "a: [", 1, ["TW1001", "1 error in 1 of 1 file Read no policies and no pods."]],
    ["a policy with errors", bad, 1, ["Read 1 policy (1 NetworkPolicy; 1 with errors)."]],
    [
      "workloads",
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}
`,
      0,
      ["Read 1 pod (replicas count once)."],
    ],
  ])("counts what it read, and says what it did with it: %s", (_what, text, expected, messages) => {
    const { status, stdout } = tierwall(["validate", "-f", "x.yaml"], { cwd: folderOf({ "x.yaml": text }) });
    const said = stdout.replace(/\s+/g, " ");
    for (const message of messages) expect(said).toContain(message);
    expect(status).toBe(expected);
  });

  it("errors first, those with one cause together, and the summary last", () => {
    const cwd = folderOf({
      "a.yaml": [good, bad.replace("matchlabels", "matchLabels").replace("10.0.0.256", "10.0.0.25")].join(
        "---\n",
      ),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`copy-${i}.yaml`, good])),
      "z.yaml": bad.replace("name: bad", "name: z"),
    });
    const { stdout } = tierwall(["validate", "-f", "."], { cwd });
    const codes = Array.from(stdout.matchAll(/(?:error|warning) (TW\d+)/g), ([, code]) => code);
    expect(codes).toEqual(["TW1102", "TW1102", "TW1204", "TW1304", "TW2001"]);
    expect(stdout).toContain("  3 more like this (-v): copy-3.yaml:3, copy-4.yaml:3, copy-5.yaml:3\n");
    expect(stdout).toContain("If the files are variants of the same objects");
    expect(stdout).toMatch(/\n7 errors, 3 warnings, 1 note in 7 of 7 files\nRead 3 policies .*\n$/);
    const all = tierwall(["validate", "-f", ".", "-v"], { cwd }).stdout;
    expect(all.match(/error TW1102/g)).toHaveLength(5);
  });

  it("exit status 1 where there are, all of them with place and frame", () => {
    const { status, stdout } = run("-f", "bad.yaml");
    expect(status).toBe(1);
    expect(stdout).toContain(
      "bad.yaml:6:5  error TW1204  unknown field `matchlabels` in a label selector; did\n    you mean `matchLabels`?",
    );
    expect(stdout).toContain("bad.yaml:8:29  error TW1304");
    expect(stdout).toContain("bad.yaml:9:29  warning TW2001");
    expect(stdout).toMatch(/6 \| {5}matchlabels: \{app: web\}\n +\| {5}\^{11}\n/);
    expect(stdout).toMatch(/2 errors, 1 warning.* in 1 of 1 file/);
  });

  it("exit status 2 for a path that cannot be read", () => {
    expect(run("-f", "nowhere.yaml").status).toBe(2);
    expect(run().status).toBe(2);
  });

  it.each([
    ["the proposal's spelling", "admin", "Allow", true],
    ["the proposal's tier", "admin", "Deny", true],
    ["the released spelling", "Admin", "Accept", false],
  ])("says when a file uses the proposal's spelling: %s", (_what, tier, action, isProposal) => {
    const cwd = folderOf({
      "p.yaml": `{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: p}, spec: {tier: ${tier}, priority: 1, subject: {namespaces: {}}, ingress: [{action: ${action}, from: [{namespaces: {}}]}]}}`,
    });
    const { status, stdout } = tierwall(["validate", "-f", "p.yaml"], { cwd });
    expect(status).toBe(0);
    expect(stdout.includes("1 ClusterNetworkPolicy uses the spelling of the proposal")).toBe(isProposal);
    expect(stdout.includes("p (p.yaml:1)")).toBe(isProposal);
  });

  it("S10.3: kinds that are not ours are counted, not errors", () => {
    const { status, stdout } = run("-f", "others.yaml");
    expect(status).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toContain("skipped: 2 ConfigMap, 1 Secret, 1 (no kind)");
    expect(json("-f", "others.yaml")).toMatchObject({ skipped: { ConfigMap: 2, Secret: 1, "(no kind)": 1 } });
  });

  it("JSON: counts, and each diagnostic with its place", () => {
    expect(json("-f", ".")).toMatchObject({
      apiVersion: "tierwall.dev/v1",
      kind: "Diagnostics",
      errors: 2,
      warnings: 1,
      files: 3,
      policies: 1,
      pods: 1,
      diagnostics: expect.arrayContaining([
        expect.objectContaining({
          code: "TW1204",
          severity: "error",
          file: "bad.yaml",
          line: 6,
          column: 5,
          object: "NetworkPolicy shop/bad",
          path: "spec.podSelector.matchlabels",
        }),
      ]) as unknown,
    });
    expect(run("-f", ".", "-o", "json").status).toBe(1);
  });

  it("-R reads the folders below", () => {
    expect(json("-f", ".").files).toBe(3);
    expect(json("-f", ".", "-R").files).toBe(4);
  });

  it("standard input", () => {
    const { status, stdout } = tierwall(["validate", "-f", "-"], { input: bad });
    expect(status).toBe(1);
    expect(stdout).toContain("<stdin>:6:5  error TW1204");
  });

  it("a folder without manifests, or with folders only, says so", () => {
    const empty = folderOf({ "notes.txt": "x" });
    expect(tierwall(["validate", "-f", "."], { cwd: empty })).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("no manifests") as string,
    });
    const deep = folderOf({ "a/b.yaml": good });
    expect(tierwall(["validate", "-f", "."], { cwd: deep })).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("-R") as string,
    });
    expect(tierwall(["validate", "-f", ".", "-R"], { cwd: deep }).status).toBe(0);
  });

  it("what is not ours by its ending is not read in a folder, but is when it is named", () => {
    const mixed = folderOf({
      "a.yml": good,
      "b.json": JSON.stringify({ apiVersion: "v1", kind: "Secret" }),
      "c.txt": bad,
    });
    expect(JSON.parse(tierwall(["validate", "-f", ".", "-o", "json"], { cwd: mixed }).stdout)).toMatchObject({
      files: 2,
      errors: 0,
    });
    expect(
      JSON.parse(tierwall(["validate", "-f", "c.txt", "-o", "json"], { cwd: mixed }).stdout),
    ).toMatchObject({ files: 1, errors: 2 });
  });

  it("a hundred thousand bad documents are as many errors, not a crash", { timeout: 1_200_000 }, () => {
    const { status, stdout } = tierwall(["validate", "-f", "-", "-o", "json"], {
      input: "1\n---\n".repeat(150_000),
    });
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ errors: 150_000 });
  });
});
