import { describe, expect, it } from "vitest";
import { readState, type StateOptions } from "../state/state.js";
import { formatPath } from "../diagnostics/place.js";
import { problemsIn, world } from "../../testing/world.js";

const read = (text: string, options: StateOptions = {}) => readState([{ file: "test.yaml", text }], options);

const misspelled = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  namespace: a
  name: np
spec:
  podSelector:
    matchlabels: {app: web}
`;

const pods = `
{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: client}, status: {podIP: 10.1.0.1}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: server}, status: {podIP: 10.1.0.2}}
`;

describe("S10.1: errors in files", () => {
  it("S10.1: name file, line, column, path, what was found, and what was probably meant", () => {
    const [found, ...others] = read(misspelled).diagnostics;
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      code: "TW1204",
      severity: "error",
      place: { file: "test.yaml", line: 8, column: 5, length: "matchlabels".length },
      object: "NetworkPolicy a/np",
    });
    expect(formatPath(found?.path ?? [])).toBe("spec.podSelector.matchlabels");
    expect(found?.message).toMatch(/`matchlabels`.*did you mean `matchLabels`\?/);
  });

  it("S10.1: and what was expected", () => {
    const [found] = read(misspelled.replace("matchlabels: {app: web}", "matchLabels: [app]")).diagnostics;
    expect(found).toMatchObject({
      code: "TW1201",
      message: "expected a mapping of keys to strings, found a list",
    });
  });

  it("S10.1: all errors of all files are reported together", () => {
    const broken =
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: two}, spec: {ingres: [], egres: []}}";
    const { diagnostics } = readState([
      { file: "one.yaml", text: misspelled },
      { file: "two.yaml", text: broken },
      { file: "three.yaml", text: "a: [" },
    ]);
    const errors = (file: string) =>
      diagnostics.filter((d) => d.severity === "error" && d.place?.file === file).map((d) => d.code);
    expect(errors("one.yaml")).toEqual(["TW1204"]);
    expect(errors("two.yaml")).toEqual(["TW1204", "TW1204"]);
    expect(errors("three.yaml")).toEqual(["TW1001"]);
  });

  it("S10.1: nothing is evaluated on a set with errors", () => {
    expect(read([pods, misspelled].join("\n---\n")).usable).toBe(false);
  });

  it("S10.1: unless requested; then skipped objects are reported", () => {
    const closed =
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: closed}, spec: {podSelector: {}}}";
    const text = [pods, misspelled, closed].join("\n---\n");
    const w = world(text, { keepGoing: true });
    expect(w.state.diagnostics.map((d) => d.code)).toContain("TW2022");
    expect(w.state.diagnostics.find((d) => d.code === "TW2022")?.message).toContain("`np`");
    expect(w.ask("a/client -> a/server:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy a/closed",
    });
  });

  it("S10.1: a warning or a note does not stop anything", () => {
    const { usable, diagnostics } = read(
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np}, spec: {}}",
    );
    expect(diagnostics.map((d) => d.severity)).toEqual(expect.arrayContaining(["warning", "note"]));
    expect(usable).toBe(true);
  });
});

describe("S10.2: objects of a cluster", () => {
  const live = misspelled.replace("name: np", 'name: np\n  uid: "1"');
  const liveRule = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np, uid: "1"},
    spec: {podSelector: {}, ingress: [{from: [{serviceSelector: {}}]}]}}`;

  it("S10.2: an unknown part is not an error, but is reported", () => {
    const { diagnostics, usable } = read([pods, liveRule].join("\n---\n"));
    expect(usable).toBe(true);
    expect(diagnostics.map((d) => [d.code, d.severity, d.object])).toEqual([
      ["TW2015", "warning", "NetworkPolicy a/np"],
    ]);
  });

  it("S10.2: it fails closed: the rule allows nothing, and the pods stay isolated", () => {
    expect(world([pods, liveRule].join("\n---\n")).ask("a/client -> a/server:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy a/np",
    });
  });

  it("S10.2: with an unknown subject it is not enforced, and that is reported", () => {
    const w = world([pods, live].join("\n---\n"));
    expect(w.verdict("a/client -> a/server:80/TCP")).toBe("Allow");
    expect(w.state.diagnostics.map((d) => d.code)).toEqual(["TW2016", "TW2015"]);
  });

  it.each([
    ["auto", "TW1204 8:5", live.replace('\n  uid: "1"', "")],
    ["auto", "TW2015 9:5", live],
    ["file", "TW1204 9:5", live],
    ["cluster", "TW2015 8:5", live.replace('\n  uid: "1"', "")],
  ] as const)("S10.2: --input %s: %s", (provenance, expected, text) => {
    expect(problemsIn(text, { provenance })).toContain(expected);
  });

  it.each([
    ["no spec at all", ""],
    ["a spec that is no object", "spec: 1"],
    ["a rule that is nothing", "spec: {podSelector: {}, ingress: [null]}"],
    ["rules that are no list", "spec: {podSelector: {}, ingress: {}}"],
    ["a peer that is nothing", "spec: {podSelector: {}, ingress: [{from: [null]}]}"],
    ["a port that is nothing", "spec: {podSelector: {}, ingress: [{ports: [null]}]}"],
    ["an unknown direction", "spec: {podSelector: {}, policyTypes: [Sideways]}"],
  ])("S10.2: a NetworkPolicy with %s is reported, and allows nothing", (_, spec) => {
    const policy = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np, uid: "1"}, ${spec}}`;
    const w = world([pods, policy].join("\n---\n"));
    const codes = w.state.diagnostics.map((d) => d.code);
    expect(codes).toContain("TW2015");
    // Either it isolates, or it is reported as not enforced.
    if (w.verdict("a/client -> a/server:80/TCP") === "Allow") expect(codes).toContain("TW2016");
  });
});

describe("S10.3: kinds", () => {
  it("S10.3: unknown kinds are skipped with a count", () => {
    const others = `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
---
{apiVersion: example.com/v3, kind: NetworkPolicy, metadata: {name: another}, spec: {selector: all()}}
---
{kind: Something}
`;
    const { diagnostics, skipped, usable } = read(others);
    expect(diagnostics.filter((d) => d.severity !== "note")).toEqual([]);
    expect(usable).toBe(true);
    expect([...skipped]).toEqual([
      ["ConfigMap", 2],
      ["NetworkPolicy", 1],
      ["Something", 1],
    ]);
  });

  it.each([
    ["without a version", "{kind: NetworkPolicy, metadata: {name: x}, spec: {}}", "TW1104 1:2"],
    [
      "in an unknown version",
      "{apiVersion: networking.k8s.io/v9, kind: NetworkPolicy, metadata: {name: x}, spec: {}}",
      "TW1105 1:14",
    ],
    [
      "in the version it once had",
      "{apiVersion: extensions/v1beta1, kind: NetworkPolicy, metadata: {name: x}, spec: {}}",
      "TW1105 1:14",
    ],
    [
      "without a spec",
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: x}}",
      "TW1202 1:1",
    ],
  ])("S10.3: a known kind %s is always an error", (_, text, expected) => {
    expect(problemsIn(text)).toContain(expected);
    expect(read(text).usable).toBe(false);
  });
});

describe("S10.4: names", () => {
  it.each([
    [
      "a policy without a name",
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a}, spec: {podSelector: {}}}",
      "TW1101 1:57",
    ],
    [
      "a policy with an empty name",
      '{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: ""}, spec: {podSelector: {}}}',
      "TW1101 1:57",
    ],
    ["a pod without a name", "{apiVersion: v1, kind: Pod, metadata: {namespace: a}}", "TW1101 1:29"],
    ["a pod without metadata", "{apiVersion: v1, kind: Pod}", "TW1101 1:1"],
    [
      "a name that YAML reads as a truth value",
      "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: y}}",
      "TW1201 1:60",
    ],
  ])("S10.4: %s is an error", (_, text, expected) => {
    expect(problemsIn(text)).toContain(expected);
    expect(read(text).usable).toBe(false);
  });

  const policy = (metadata: string) =>
    `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: ${metadata}, spec: {podSelector: {}}}`;
  const pod = (metadata: string) => `{apiVersion: v1, kind: Pod, metadata: ${metadata}}`;

  it.each([
    ["policies", policy("{namespace: a, name: x}"), policy("{namespace: a, name: x}"), true],
    ["pods", pod("{namespace: a, name: x}"), pod("{namespace: a, name: x}"), true],
    [
      "policies of two namespaces",
      policy("{namespace: a, name: x}"),
      policy("{namespace: b, name: x}"),
      false,
    ],
    ["a pod and a policy", pod("{namespace: a, name: x}"), policy("{namespace: a, name: x}"), false],
    [
      "one without a namespace and one in `default`",
      pod("{name: x}"),
      pod("{namespace: default, name: x}"),
      true,
    ],
    ["the same of policies", policy("{name: x}"), policy("{namespace: default, name: x}"), true],
  ])("S10.4: two objects of one name: %s", (_, first, second, isError) => {
    const text = `${first}\n---\n${second}`;
    expect(problemsIn(text).some((problem) => problem.startsWith("TW1102 3:"))).toBe(isError);
    expect(read(text).usable).toBe(!isError);
  });

  it("S10.4: the message names the place of the other one", () => {
    const { diagnostics } = readState([
      { file: "one.yaml", text: `\n${policy("{namespace: a, name: x}")}` },
      { file: "two.yaml", text: policy("{namespace: a, name: x}") },
    ]);
    const found = diagnostics.find((d) => d.code === "TW1102");
    expect(found?.place?.file).toBe("two.yaml");
    expect(found?.message).toContain("one.yaml:2");
  });

  it("S10.4: AdminNetworkPolicies of both shapes are objects of one kind", () => {
    const anp = (subject: string) =>
      `{apiVersion: policy.networking.k8s.io/v1alpha1, kind: AdminNetworkPolicy, metadata: {name: x}, spec: {priority: 1, subject: ${subject}}}`;
    expect(problemsIn(`${anp("{namespaces: {}}")}\n---\n${anp("{namespaceSelector: {}}")}`).join()).toContain(
      "TW1102",
    );
  });
});

describe("S10.5: what is missing", () => {
  it("S10.5: a missing namespace is `default`, with a note", () => {
    const text = `{apiVersion: v1, kind: Namespace, metadata: {name: default}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p}}
---
{apiVersion: v1, kind: Pod, metadata: {name: q}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: np}, spec: {podSelector: {}}}
`;
    expect(problemsIn(text)).toEqual(["TW3002 3:29", "TW3002 5:29", "TW3002 7:57"]);
    expect(world(text).ask("default/p -> default/q:80/TCP")).toMatchObject({
      verdict: "Deny",
      decidedBy: "isolation by NetworkPolicy default/np",
    });
  });

  const labelled = (object: string) =>
    `{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n${object}`;

  it.each([
    [
      "of a pod",
      "{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: p, labels: {app: }}}",
      "TW2010 3:72",
    ],
    [
      "in a template",
      "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: a, name: p}, spec: {template: {metadata: {labels: {app: }}}}}",
      "TW2010 3:114",
    ],
    [
      "in a selector",
      "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: p}, spec: {podSelector: {matchLabels: {app: }}}}",
      "TW2010 3:127",
    ],
  ])("S10.5: a label without a value %s gets a warning", (_, object, expected) => {
    expect(problemsIn(labelled(object))).toEqual([expected]);
  });

  it("S10.5: a label in a template that is not text is an error, as it is in a pod", () => {
    const template =
      "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: a, name: p}, spec: {template: {metadata: {labels: {version: 1}}}}}";
    expect(problemsIn(labelled(template))).toEqual(["TW1201 3:123"]);
  });

  it("S10.5: such a label is an empty string everywhere", () => {
    const text = `{apiVersion: v1, kind: Namespace, metadata: {name: a}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: bare, labels: {app: }}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: empty, labels: {app: ""}}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: a, name: none}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np}, spec: {podSelector: {matchLabels: {app: }}}}
`;
    const w = world(text);
    expect(w.verdict("a/none -> a/bare:80/TCP")).toBe("Deny");
    expect(w.verdict("a/none -> a/empty:80/TCP")).toBe("Deny");
    expect(w.verdict("a/bare -> a/none:80/TCP")).toBe("Allow");
  });

  it.each([
    ["notIn", "NotIn"],
    ["in", "In"],
    ["exists", "Exists"],
    ["doesNotExist", "DoesNotExist"],
  ])("S10.5: operator `%s` is an error that suggests `%s`", (written, meant) => {
    const text = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {namespace: a, name: np},
 spec: {podSelector: {matchExpressions: [{key: k, operator: ${written}, values: [v]}]}}}`;
    const [found] = read(text).diagnostics;
    expect(found).toMatchObject({ code: "TW1203", place: { line: 2, column: 61 } });
    expect(found?.message).toContain(`did you mean \`${meant}\`?`);
  });
});
