import { describe, expect, it } from "vitest";
import { readState } from "../state.js";
import { servedText } from "./served-text.js";

const served = (text: string) => servedText({ file: "a.yaml", text }).text;

const secret = `# the password is hunter2
apiVersion: v1
kind: Secret # hunter2
metadata: {name: db, namespace: shop, annotations: {note: hunter2}}
stringData:
  password: hunter2
  long: |
    hunter2
    hunter2
`;

const policy = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: deny # why
  namespace: shop
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"data": "hunter2"}
    tierwall.dev/audit: all
spec:
  podSelector: {}
  ingress:
  - ports: [{port: 80}]
`;

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: api
  namespace: shop
  labels: {app: api}
  annotations: {note: hunter2}
spec:
  containers:
  - name: api
    args: ["--password=hunter2"]
    env:
    - name: PASSWORD
      value: hunter2
    ports:
    - {name: http, containerPort: 8080}
`;

/** Where the policy and its rule are. */
function places(text: string) {
  const state = readState([{ file: "a.yaml", text }], { keepGoing: true });
  return {
    pods: [...state.cluster.pods.values()].map(({ name, labels, ports }) => ({ name, labels, ports })),
    policies: state.policies.map((one) => one.place()),
    rules: state.tiers.ingress.flatMap(({ rules }) => rules.map(({ origin }) => origin.place())),
    skipped: [...state.skipped],
    codes: state.diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ code, place }) => [code, place?.line]),
  };
}

describe("what is served of a text", () => {
  it.each([
    ["a Secret", secret],
    ["a policy", policy],
    ["a pod", pod],
    ["all of them", [secret, pod, policy].join("---\n")],
    ["all of them, the other way round", [policy, pod, secret].join("---\n")],
    ["JSON", JSON.stringify({ apiVersion: "v1", kind: "Secret", data: { password: "hunter2" } })],
    [
      "JSON on several lines",
      JSON.stringify(
        {
          apiVersion: "v1",
          kind: "List",
          items: [
            { apiVersion: "v1", kind: "Secret", data: { password: "hunter2" } },
            {
              apiVersion: "v1",
              kind: "Pod",
              metadata: { name: "a", namespace: "b" },
              spec: { containers: [{ name: "c", env: [{ name: "P", value: "hunter2" }] }] },
            },
            { apiVersion: "v1", kind: "ConfigMap", data: { password: "hunter2" } },
          ],
        },
        undefined,
        2,
      ),
    ],
    [
      "a list in block style",
      `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  data:\n    a: hunter2\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: shop}\n`,
    ],
    [
      "a list whose items are no deeper than its key",
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\nspec:\n  containers:\n  - env:\n    - name: P\n      value: hunter2\n    ports: [{containerPort: 80}]\n",
    ],
    [
      "an anchor in what is not shown",
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  namespace: b\n  annotations: {x: &x hunter2, y: &y web}\n  labels: {app: *y}\n",
    ],
    ["an unknown kind", "apiVersion: example.com/v1\nkind: Database\nspec: {password: hunter2}\n"],
    ["Windows line breaks", secret.replaceAll("\n", "\r\n")],
  ])("%s: no secret, and everything else where it was", (_what, text) => {
    const shown = served(text);
    expect(shown).not.toContain("hunter2");
    expect(places(shown)).toEqual(places(text));
  });

  it("stays as it is where there is nothing to hide, comments and all", () => {
    const plain = "# shop\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop} # the shop\n";
    expect(served(plain)).toBe(plain);
  });

  it("keeps the comments and annotations of policies that are for Tierwall", () => {
    const shown = served(policy);
    expect(shown).toContain("# why");
    expect(shown).toContain("tierwall.dev/audit: all");
    expect(shown.split("\n").indexOf("spec:")).toBe(policy.split("\n").indexOf("spec:"));
  });

  it("is long without being slow: objects begin where they began", () => {
    const filler = `# ${"x".repeat(1000)}\n`.repeat(4200);
    const shown = served(`${secret}---\n${filler}${policy}`);
    expect(shown).not.toContain("hunter2");
    const [place] = places(shown).policies;
    expect(place?.line).toBe(secret.split("\n").length + 4201);
  });
});

describe("a text that cannot be read", () => {
  it.each([
    ["a Secret", `${secret}  : : {\n`],
    ["a Secret after a policy", `${policy}---\n${secret}\t- [\n`],
    ["a policy after a Secret", `${secret}---\n${policy}  ]: {\n`],
    ["a pod", `${pod}  - }\n`],
    ["nested too deeply", `kind: Secret\nx: hunter2\ny: ${"[".repeat(5000)}\n`],
    ["quotes that are not closed", `kind: Secret\npassword: "hunter2\n---\nkind: NetworkPolicy\n`],
    ["a kind that is not known", `kind: hunter2: [\n`],
  ])("%s: no secret, and still an error", (_what, text) => {
    const shown = served(text);
    expect(shown).not.toContain("hunter2");
    expect(readState([{ file: "a.yaml", text: shown }]).usable).toBe(false);
  });

  it("is shown where it holds policies only", () => {
    const text = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec: ]: {\n";
    expect(served(text)).toBe(text);
  });
});
