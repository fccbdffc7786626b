import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folderOf, removeFolders, tierwall } from "../../testing/run-command.js";

afterAll(removeFolders);

const policy = (rules: string) => `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: guard}
spec:
  tier: Admin
  priority: 10
  subject: {namespaces: {matchLabels: {pci: "true"}}}
  ingress: [${rules}, {action: Deny, from: [{namespaces: {}}]}]
`;
const accept = (...teams: readonly string[]) =>
  `{action: Accept, from: [${teams.map((team) => `{namespaces: {matchLabels: {team: ${team}}}}`).join()}]}`;
const folder = folderOf({
  "together.yaml": policy(accept("a", "b")),
  "split.yaml": policy(`${accept("a")}, ${accept("b")}`),
  "other.yaml": policy(accept("a")),
  "broken.yaml": policy(accept("a")).replace("subject", "subjct"),
});
const same = (...args: readonly string[]) => tierwall(["prove", "--same", ...args], { cwd: folder });

describe("tierwall prove --write", () => {
  const guarantee = (name: string, assuming: string) => `---
apiVersion: tierwall.dev/v1
kind: Guarantee
metadata: {name: "${name}"}
spec:
  given: [../policies.yaml]
  from: {namespaces: {matchExpressions: [{key: team, operator: NotIn, values: [a, b]}]}}
  to: {namespaces: {matchLabels: {cards: "yes"}}}
  verdict: Deny
  assuming: [${assuming}]
`;
  const cards = '{every: namespace, with: {matchLabels: {cards: "yes"}}, has: {matchLabels: {pci: "true"}}}';
  const unneeded = "{every: pod, has: {matchExpressions: [{key: app, operator: Exists}]}}";
  const addresses = "{podCidrs: [10.244.0.0/16]}";

  it("saves the policies with which an API server keeps the assumptions of a proof true", () => {
    const where = folderOf({
      "policies.yaml": policy(accept("a", "b")),
      "guarantees/cards.yaml": guarantee("Cards: only a/b", `${unneeded}, ${cards}`),
      "guarantees/open.yaml": guarantee("refuted", addresses),
    });
    const { status, stdout, stderr } = tierwall(["prove", "guarantees", "--write", "saved"], { cwd: where });
    expect(status).toBe(1);
    expect(stdout).toContain("PROVEN");
    expect(stderr.split("\n").filter((line) => line.startsWith("wrote"))).toEqual([
      "wrote saved/Cards--only-a-b-assumptions.yaml",
      "wrote saved/refuted.yaml",
    ]);
    const text = readFileSync(join(where, "saved/Cards--only-a-b-assumptions.yaml"), "utf8");
    const [written, binding, ...others] = text.split("---\n");
    expect(others).toEqual([]);
    expect(written).toContain("kind: ValidatingAdmissionPolicy\n");
    expect(written).toContain("  name: cards-only-a-b-assumes-1\n");
    expect(written).toMatch(/resources:\n +- namespaces\n +- namespaces\/status\n/);
    expect(written).toContain(
      "message: guarantees assume that every namespace with cards=yes has pci=true\n",
    );
    expect(binding).toContain("kind: ValidatingAdmissionPolicyBinding\n");
    expect(binding).toContain("policyName: cards-only-a-b-assumes-1\n");
  });

  it("gives guarantees of one name, and of very long names, files of their own", () => {
    const long = "x".repeat(1000);
    const all = ["same", "same", "same/", "../../etc", long, `${long}y`].map((name) =>
      guarantee(name, addresses),
    );
    const where = folderOf({ "policies.yaml": policy(accept("a")), "guarantees/all.yaml": all.join("") });
    const { status } = tierwall(["prove", "guarantees", "--write", "saved"], { cwd: where });
    expect(status).toBe(1);
    expect(readdirSync(join(where, "saved")).toSorted()).toEqual([
      "..-..-etc.yaml",
      "same-.yaml",
      "same-2.yaml",
      "same.yaml",
      `${"x".repeat(200)}-2.yaml`,
      `${"x".repeat(200)}.yaml`,
    ]);
  });

  it("reports a folder that cannot be written", () => {
    const where = folderOf({
      "policies.yaml": policy(accept("a")),
      "guarantees/open.yaml": guarantee("refuted", addresses),
      occupied: "",
    });
    const { status, stderr } = tierwall(["prove", "guarantees", "--write", "occupied"], { cwd: where });
    expect([status, stderr]).toEqual([2, expect.stringContaining("`occupied` cannot be written: ")]);
  });
});

describe("tierwall prove with hostile input", () => {
  const claim = (fields: string) => `---
apiVersion: tierwall.dev/v1
kind: Guarantee
metadata: {name: hostile}
spec: {from: {namespaces: {}}, to: {namespaces: {matchLabels: {pci: "true"}}}, verdict: Deny, ${fields}}
`;
  const proved = (files: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const where = folderOf({ "policies.yaml": policy(accept("a")), ...files });
    return tierwall(["prove", "guarantee.yaml", ...args], { cwd: where });
  };

  it("reads what `given` names: absolute paths, and folders that contain themselves, once", () => {
    const where = folderOf({ "policies/guard.yaml": policy("{action: Deny, from: [{namespaces: {}}]}") });
    symlinkSync(".", join(where, "policies/self"));
    const { status, stdout } = proved(
      { "guarantee.yaml": claim(`given: [${join(where, "policies")}]`) },
      "-R",
    );
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 proven, 0 refuted")]);
  });

  it("names what cannot be read", () => {
    const where = folderOf({});
    symlinkSync("b", join(where, "a"));
    symlinkSync("a", join(where, "b"));
    for (const [given, text] of [
      [join(where, "a"), "ELOOP"],
      ["/nonexistent/folder", "`/nonexistent/folder` cannot be read: it does not exist"],
      ["../../nonexistent", "nonexistent` cannot be read: it does not exist"],
    ] as const) {
      const { status, stderr } = proved({ "guarantee.yaml": claim(`given: [${given}]`) });
      expect([status, stderr]).toEqual([2, expect.stringContaining(text)]);
    }
  });

  it.each(["0s", "-5s", "99999999999999h"])("refuses --budget %s", (budget) => {
    const { status, stderr } = proved(
      { "guarantee.yaml": claim("given: [policies.yaml]") },
      `--budget=${budget}`,
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining(`\`${budget}\` is `)]);
  });

  it("refuses label keys that no object can have, each at its place", () => {
    const keys = ["__proto__", "a b", "", "a/b/c", "ключ", "x".repeat(300)];
    const requirements = keys.map((key) => `{key: "${key}", operator: Exists}`).join();
    const assuming = `assuming: [{every: pod, has: {matchExpressions: [${requirements}]}}]`;
    const { status, stderr } = proved({ "guarantee.yaml": claim(`given: [policies.yaml], ${assuming}`) });
    expect(status).toBe(2);
    for (const i of keys.keys()) expect(stderr).toContain(`spec.assuming[0].has.matchExpressions[${i}].key`);
  });

  it("reports assumptions that contradict each other, and proves nothing with them", () => {
    const team = (name: string) => `{every: namespace, has: {matchLabels: {team: ${name}}}}`;
    const fields = `given: [policies.yaml], assuming: [${team("a")}, ${team("b")}]`;
    const { status, stdout } = proved({ "guarantee.yaml": claim(fields) });
    expect([status, stdout]).toEqual([1, expect.stringContaining("VACUOUS")]);
    expect(stdout).toContain("Nothing satisfies: every namespace has team=a; every namespace has team=b");
  });

  it("decides many guarantees of one file, and selectors of a thousand requirements", () => {
    const fields = "given: [policies.yaml]";
    const keys = Array.from(
      { length: 1000 },
      (_, i) => `{key: k${i}, operator: NotIn, values: [a, b]}`,
    ).join();
    const large = claim(`${fields}, assuming: [{every: pod, has: {matchExpressions: [${keys}]}}]`);
    const { status, stdout } = proved({
      "guarantee.yaml": Array.from({ length: 200 }, () => claim(fields)).join("") + large,
      "policies.yaml": policy("{action: Deny, from: [{namespaces: {}}]}"),
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining("201 proven, 0 refuted")]);
  });
});

describe("tierwall prove --same", () => {
  it("exits with 0 where two files are the same in every cluster", () => {
    expect(same("together.yaml", "split.yaml")).toEqual({
      status: 0,
      stdout: "✓ THE SAME together.yaml and split.yaml, in every cluster\n",
      stderr: "",
    });
    expect(JSON.parse(same("together.yaml", "split.yaml", "-o", "json").stdout)).toMatchObject({
      kind: "Equality",
      result: "Same",
    });
    expect(same("together.yaml", "split.yaml", "-o", "github").stdout).toBe("");
    expect(same("together.yaml", "split.yaml", "-o", "junit").stdout).toContain('failures="0"');
  });

  it("exits with 1 and shows the cluster in which they are not", () => {
    const { status, stdout } = same("together.yaml", "other.yaml");
    expect(status).toBe(1);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      'pod {} in namespace other {team: "b"} → pod {} in namespace another {pci: "true"}',
    );
    expect(stdout).toContain("together.yaml: allowed\n");
    expect(stdout).toContain("other.yaml: denied\n");
    expect(same("together.yaml", "other.yaml", "-o", "junit").stdout).toContain('<failure type="Different"');
    const found = JSON.parse(same("together.yaml", "other.yaml", "-o", "json").stdout) as object;
    expect(found).toMatchObject({
      result: "Different",
      counterexample: { before: { outcome: "allowed" }, after: { outcome: "denied" } },
    });
  });

  it("shows it at the rule that decides on the second side, for CI systems", () => {
    const github = same("together.yaml", "other.yaml", "-o", "github");
    expect(github.stdout).toMatch(
      /^::error file=other\.yaml,line=8,.*title=together\.yaml and other\.yaml are not/,
    );
    const { status, stdout } = same("together.yaml", "other.yaml", "-o", "sarif");
    expect(status).toBe(1);
    const place = (file: string) => ({
      physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 8 } },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      version: "2.1.0",
      runs: [
        {
          results: [
            {
              ruleId: "Different",
              ruleIndex: 0,
              level: "error",
              message: { text: expect.stringContaining("is allowed before, and denied after") as string },
              locations: [place("other.yaml")],
              relatedLocations: [place("together.yaml")],
            },
          ],
        },
      ],
    });
    const none = same("together.yaml", "split.yaml", "-o", "sarif");
    expect([none.status, JSON.parse(none.stdout)]).toMatchObject([0, { runs: [{ results: [] }] }]);
  });

  it("saves that cluster with a ConnectivityTest that the first side passes, and the second does not", () => {
    const { stderr } = same("together.yaml", "other.yaml", "--write", "saved");
    expect(stderr).toContain("wrote saved/difference.yaml");
    const file = join(folder, "saved/difference.yaml");
    expect(existsSync(file) && readFileSync(file, "utf8")).toContain("kind: ConnectivityTest");
    const test = (side: string) =>
      tierwall(["test", "saved/difference.yaml", "-f", side, "-f", "saved/difference.yaml"], { cwd: folder })
        .status;
    expect([test("together.yaml"), test("other.yaml")]).toEqual([0, 1]);
  });

  it.each([
    ["one path", ["together.yaml"], "compares two files or folders"],
    ["a cluster", ["together.yaml", "split.yaml", "--live"], "leave --live out"],
    ["a file with errors", ["together.yaml", "broken.yaml"], "subjct"],
    ["a file that is not there", ["together.yaml", "nowhere.yaml"], "nowhere.yaml"],
  ])("%s is an error", (_, args, text) => {
    const { status, stdout, stderr } = same(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(text);
  });
});
