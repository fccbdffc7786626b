import { describe, expect, it } from "vitest";
import { formatPath } from "../../diagnostics/place.js";
import { world } from "../../../testing/world.js";
import { type ConnectivityTest, readConnectivityTests } from "./connectivity-test.js";
import { runConnectivityTest } from "./run-test.js";

const head = "apiVersion: tierwall.dev/v1\nkind: ConnectivityTest\nmetadata: {name: t}\n";
const file = (...expectations: readonly string[]) =>
  `${head}spec:\n  given: [cluster.yaml]\n  expect:\n${expectations.map((line) => `    - ${line}\n`).join("")}`;
const read = (text: string) => readConnectivityTests(text, "tests/t.yaml");
/** `TW1204 8:13 spec.expect[0].form` */
const problemsIn = (text: string) =>
  read(text).diagnostics.map(({ code, place, path }) =>
    `${code} ${place?.line}:${place?.column} ${formatPath(path ?? [])}`.trim(),
  );
const only = (text: string): ConnectivityTest => {
  const { tests, diagnostics } = read(text);
  expect(diagnostics).toEqual([]);
  expect(tests).toHaveLength(1);
  return tests.at(0)!;
};

describe("reading", () => {
  it("name, file, given, and one assertion for each pair of a from and a to", () => {
    const test = only(
      file(
        '{from: a/client, to: "x/server:80/TCP", verdict: Deny, decidedBy: ClusterNetworkPolicy/guard}',
        '{from: [a/client, "node:w"], to: ["x/server:web", "[fd00::1]:443/TCP"], verdict: Allow}',
      ),
    );
    expect(test).toMatchObject({
      name: "t",
      file: "tests/t.yaml",
      given: [{ path: "cluster.yaml", place: { line: 5, column: 11 } }],
    });
    expect(
      test.assertions.map(({ from, to, verdict, decidedBy, place }) => [
        from,
        to,
        verdict,
        decidedBy,
        place.line,
      ]),
    ).toEqual([
      ["a/client", "x/server:80/TCP", "Deny", "ClusterNetworkPolicy/guard", 7],
      ["a/client", "x/server:web", "Allow", undefined, 8],
      ["a/client", "[fd00::1]:443/TCP", "Allow", undefined, 8],
      ["node:w", "x/server:web", "Allow", undefined, 8],
      ["node:w", "[fd00::1]:443/TCP", "Allow", undefined, 8],
    ]);
  });

  it("given may be left out: -f can name the state", () => {
    expect(only(`${head}spec: {expect: [{from: a/b, to: "c/d:80", verdict: Allow}]}`).given).toEqual([]);
  });

  it("several in one file, in YAML, JSON and Lists; other documents are left alone", () => {
    const one = (name: string) => ({
      apiVersion: "tierwall.dev/v1",
      kind: "ConnectivityTest",
      metadata: { name },
      spec: { expect: [{ from: "a/b", to: "c/d:80", verdict: "Allow" }] },
    });
    const namesIn = (text: string) => read(text).tests.map((test) => test.name);
    const yaml = `${file('{from: a/b, to: "c/d:80", verdict: Allow}')}---\nkind: Pod\n---\n${JSON.stringify(one("second"))}\n`;
    expect(namesIn(yaml)).toEqual(["t", "second"]);
    expect(namesIn(JSON.stringify(one("j")))).toEqual(["j"]);
    expect(
      namesIn(
        JSON.stringify({ kind: "List", apiVersion: "v1", items: [one("l1"), { kind: "Pod" }, one("l2")] }),
      ),
    ).toEqual(["l1", "l2"]);
  });

  it("a file that does not mention ConnectivityTest is ignored, broken or not", () => {
    expect(read("a: [")).toEqual({ tests: [], diagnostics: [] });
    expect(read("kind: Pod\nmetadata: 3\n")).toEqual({ tests: [], diagnostics: [] });
  });

  it("nor is another API's kind of that name", () => {
    expect(read("apiVersion: example.com/v1\nkind: ConnectivityTest\nspec: 3\n")).toEqual({
      tests: [],
      diagnostics: [],
    });
  });
});

describe("S10.1: what is wrong with a test, with its place", () => {
  const right = '{from: a/b, to: "c/d:80", verdict: Allow}';
  it.each([
    [
      "an unknown field",
      file('{form: a/b, to: "c/d:80", verdict: Allow}'),
      ["TW1204 7:8 spec.expect[0].form"],
    ],
    ["a missing verdict", file('{from: a/b, to: "c/d:80"}'), ["TW1202 7:7 spec.expect[0]"]],
    [
      "a wrong verdict",
      file('{from: a/b, to: "c/d:80", verdict: allow}'),
      ["TW1203 7:42 spec.expect[0].verdict"],
    ],
    ["an empty list", file('{from: [], to: "c/d:80", verdict: Allow}'), ["TW1206 7:14 spec.expect[0].from"]],
    [
      "a from that is not a string",
      file('{from: {a: b}, to: "c/d:80", verdict: Allow}'),
      ["TW1201 7:14 spec.expect[0].from"],
    ],
    [
      "a port without its endpoint",
      file(right, '{from: a/b, to: "80", verdict: Allow}'),
      ["TW1503 8:23 spec.expect[1].to"],
    ],
    [
      "a to without a port",
      file('{from: a/b, to: "c/d", verdict: Allow}'),
      ["TW1503 7:23 spec.expect[0].to"],
    ],
    [
      "a from with a port",
      file('{from: "a/b:80/TCP/x", to: "c/d:80", verdict: Allow}'),
      ["TW1501 7:14 spec.expect[0].from"],
    ],
    [
      "an invalid endpoint",
      file('{from: client, to: "c/d:80", verdict: Allow}'),
      ["TW1501 7:14 spec.expect[0].from"],
    ],
    ["no expectation", `${head}spec: {expect: []}\n`, ["TW1206 4:16 spec.expect"]],
    ["no spec", head, ["TW1202 1:1"]],
    ["no name", file(right).replace("{name: t}", "{}"), ["TW1202 3:1 metadata"]],
    ["another version", file(right).replace("/v1", "/v2"), ["TW1105 1:13"]],
    ["invalid YAML", `${head}spec: [\n`, ["TW1001 5:1"]],
    ["a duplicate key", `${head}kind: ConnectivityTest\n`, ["TW1002 4:1"]],
  ])("%s", (_what, text, problems) => {
    expect(problemsIn(text)).toEqual(problems);
    expect(read(text).tests).toEqual([]);
  });

  it("all of them at once, and the good tests are still read", () => {
    const text = `${file('{from: client, to: "80", verdict: Allow}', '{from: a/b, to: "c/d:0", verdict: Deny}')}---\n${file(right)}`;
    expect(new Set(problemsIn(text))).toEqual(
      new Set([
        "TW1501 7:14 spec.expect[0].from",
        "TW1503 7:26 spec.expect[0].to",
        "TW1503 8:23 spec.expect[1].to",
      ]),
    );
    expect(read(text).tests).toHaveLength(1);
  });

  it("in a list of endpoints the place is that of the one that is wrong", () => {
    expect(
      problemsIn(file('{from: [a/b, c], to: ["c/d:80", "c/d"], verdict: Allow}')).map((text) =>
        text.slice(0, 11),
      ),
    ).toEqual(expect.arrayContaining(["TW1501 7:20", "TW1503 7:39"]));
  });

  it("in a List the place is that of the item", () => {
    const list =
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: tierwall.dev/v1\n  kind: ConnectivityTest\n  metadata: {name: t}\n  spec:\n    expect:\n    - {from: x, to: "c/d:80", verdict: Allow}\n';
    expect(problemsIn(list)).toEqual(["TW1501 9:14 spec.expect[0].from"]);
  });
});

describe("running", () => {
  const pod = (path: string, more = "") => {
    const [namespace, name] = path.split("/");
    return `{apiVersion: v1, kind: Pod, metadata: {namespace: ${namespace}, name: ${name}}${more}}`;
  };
  const both = (last: number) => `, status: {podIPs: [{ip: 10.0.0.${last}}, {ip: "fd00::${last}"}]}`;
  const np = (path: string, spec: string) => {
    const [namespace, name] = path.split("/");
    return `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: ${namespace}, name: ${name}}, spec: {podSelector: {}, ${spec}}}`;
  };
  const guard =
    "{apiVersion: policy.networking.k8s.io/v1alpha2, kind: ClusterNetworkPolicy, metadata: {name: guard}, spec: {tier: Admin, priority: 1, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {matchLabels: {kubernetes.io/metadata.name: b}}}]}], egress: [{action: Accept, to: [{domainNames: [example.com]}]}, {action: Deny, to: [{networks: [203.0.113.0/24]}]}]}}";
  const { state } = world(
    [
      pod("a/client", both(1)),
      pod("b/client", both(2)),
      pod("x/server", both(3)),
      pod("z/dual", both(4)),
      guard,
      np("x/first", "policyTypes: [Ingress], ingress: [{ports: [{port: 80}]}]"),
      np("x/second", "policyTypes: [Ingress]"),
      np("z/only-4", "policyTypes: [Ingress], ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0}}]}]"),
      np("a/out", "policyTypes: [Egress], egress: [{}]"),
    ].join("\n---\n"),
  );
  const run = (...expectations: readonly string[]) => runConnectivityTest(state, only(file(...expectations)));
  const holds = (expectation: string) => {
    const { passed, mismatches, unanswered } = run(expectation);
    expect(passed + mismatches.length + unanswered.length).toBe(1);
    return passed === 1;
  };

  it.each([
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow}', true],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Deny}', false],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Undecided}', false],
    ['{from: a/client, to: "x/server:81/TCP", verdict: Deny}', true],
    ['{from: a/client, to: "x/server:81/TCP", verdict: Allow}', false],
    // The namespace may be left out of a policy's name, but not be wrong.
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/first}', true],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/second}', false],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: first}', false],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/x/first}', true],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/x/second}', false],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/z/first}', false],
    [
      '{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: ClusterNetworkPolicy/x/first}',
      false,
    ],
    // For an Allow, either direction may have decided.
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: NetworkPolicy/a/out}', true],
    ['{from: a/client, to: "x/server:80/TCP", verdict: Allow, decidedBy: default}', false],
    // Isolation is decided by any of the policies that isolate.
    ['{from: a/client, to: "x/server:81/TCP", verdict: Deny, decidedBy: NetworkPolicy/x/first}', true],
    ['{from: a/client, to: "x/server:81/TCP", verdict: Deny, decidedBy: NetworkPolicy/x/second}', true],
    // A denial was not decided by the direction that allowed.
    ['{from: a/client, to: "x/server:81/TCP", verdict: Deny, decidedBy: NetworkPolicy/a/out}', false],
    ['{from: b/client, to: "x/server:80/TCP", verdict: Deny, decidedBy: ClusterNetworkPolicy/guard}', true],
    ['{from: x/server, to: "b/client:80/TCP", verdict: Allow, decidedBy: default}', true],
    // S1.15: an assertion that names only the pod fails where the families differ, whatever it expects.
    ['{from: a/client, to: "z/dual:80/TCP", verdict: Allow}', false],
    ['{from: a/client, to: "z/dual:80/TCP", verdict: Deny}', false],
    ['{from: a/client, to: "10.0.0.4:80/TCP", verdict: Allow}', true],
    ['{from: a/client, to: "[fd00::4]:80/TCP", verdict: Deny}', true],
    // S9.2: must reach and must not reach both fail if facts are missing.
    ['{from: x/server, to: "203.0.113.7:443/TCP", verdict: Allow}', false],
    ['{from: x/server, to: "203.0.113.7:443/TCP", verdict: Deny}', false],
    ['{from: x/server, to: "203.0.113.7:443/TCP", verdict: Undecided}', true],
    [
      '{from: x/server, to: "203.0.113.7:443/TCP", verdict: Undecided, decidedBy: ClusterNetworkPolicy/guard}',
      true,
    ],
  ])("%s holds: %s", (expectation, expected) => expect(holds(expectation)).toBe(expected));

  it("pairs are counted, not expectations", () => {
    const { passed, mismatches } = run(
      '{from: [a/client, b/client], to: ["x/server:80/TCP", "x/server:81/TCP"], verdict: Deny}',
    );
    expect([passed, mismatches.length]).toEqual([3, 1]);
  });

  it("a mismatch says what was found, who decided, and why", () => {
    const [mismatch] = run('{from: b/client, to: "x/server:80/TCP", verdict: Allow}').mismatches;
    expect(mismatch).toMatchObject({
      verdict: "Deny",
      decidedBy: ["ClusterNetworkPolicy/guard"],
      assertion: { from: "b/client", place: { file: "tests/t.yaml", line: 7, column: 7 } },
      explanation: { verdict: "Deny" },
    });
  });

  it("a question that cannot be asked is bad input, neither passed nor failed", () => {
    const { passed, mismatches, unanswered } = run(
      '{from: a/absent, to: "x/server:80/TCP", verdict: Deny}',
      '{from: a/client, to: "x/server:web", verdict: Deny}',
      '{from: a/client, to: "x/server:80/TCP", verdict: Allow}',
    );
    expect([passed, mismatches.length]).toEqual([1, 0]);
    const found = unanswered.map(({ diagnostic }) => diagnostic);
    expect(found.map(({ code, place, object }) => [code, place?.line, object])).toEqual([
      ["TW1502", 7, "ConnectivityTest t"],
      ["TW1504", 8, "ConnectivityTest t"],
    ]);
  });
});
