import { describe, expect, it } from "vitest";
import { HeldState } from "../held-state.js";
import { playgroundAnswers as answers } from "./playground.js";

const pod = (name: string, address: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: name } },
  status: { podIP: address },
});
const served = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "db", namespace: "shop", uid: "u", resourceVersion: "7", annotations: { owner: "shop" } },
  spec: { podSelector: { matchLabels: { app: "db" } }, policyTypes: ["Ingress"] },
  status: { conditions: [] },
};
const written = `# For the cart.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: cart, namespace: shop}
spec: {podSelector: {matchLabels: {app: cart}}, policyTypes: [Egress]} # closed
`;
const items = [pod("cart", "10.0.0.1"), pod("db", "10.0.0.2"), pod("web", "10.0.0.3"), served];
const held = new HeldState({
  title: "shop",
  revision: "1",
  provenance: "file",
  sources: [
    { file: "cluster.json", text: JSON.stringify({ apiVersion: "v1", kind: "List", items }) },
    { file: "cart.yaml", text: `kind: Ignored\napiVersion: v9\n---\n${written}` },
  ],
});

const openDb = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: db, namespace: shop}
spec: {podSelector: {matchLabels: {app: db}}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}]}]}
`;

describe("a policy to edit", () => {
  const textOf = (key: string) => answers["playground-text"](held, { key });

  it("is as it was written, with its comments", () => {
    expect(textOf("NetworkPolicy.networking.k8s.io/shop/cart")).toBe(written);
  });

  it("is printed where it was JSON, without what servers add", () => {
    expect(textOf("NetworkPolicy.networking.k8s.io/shop/db")).toBe(
      [
        "apiVersion: networking.k8s.io/v1",
        "kind: NetworkPolicy",
        "metadata:",
        "  name: db",
        "  namespace: shop",
        "  annotations:",
        "    owner: shop",
        "spec:",
        "  podSelector:",
        "    matchLabels:",
        "      app: db",
        "  policyTypes:",
        "    - Ingress",
        "",
      ].join("\n"),
    );
  });

  it("is undefined where there is none", () => {
    expect(textOf("NetworkPolicy.networking.k8s.io/shop/web")).toBeUndefined();
  });

  it("is found by parts of its kind and name", () => {
    const found = (text: string) => answers["playground-choices"](held, { text }).map(({ name }) => name);
    expect(found("")).toEqual(["shop/db", "shop/cart"]);
    expect(found("network CART")).toEqual(["shop/cart"]);
    expect(found("cilium")).toEqual([]);
  });
});

describe("what is wrong with a text", () => {
  it("is marked at its exact characters", () => {
    const text = openDb.replace(
      "podSelector: {matchLabels: {app: db}}",
      "podSelector: {matchlabels: {app: db}}",
    );
    const { problems, edits } = answers["playground-check"](held, { text });
    expect(problems.map(({ code, from, to }) => [code, text.slice(from, to)])).toEqual([
      ["TW1204", "matchlabels"],
    ]);
    expect(edits).toEqual([]);
  });

  it("is nothing where all is well, and it is said what would be done", () => {
    expect(answers["playground-check"](held, { text: openDb })).toEqual({
      problems: [],
      edits: [{ what: "replaced", object: "NetworkPolicy shop/db" }],
      others: [],
    });
  });
});

describe("what deleting a policy changes", () => {
  const edit = { text: "", deleted: "NetworkPolicy.networking.k8s.io/shop/db" };

  it("is compared as a text is", () => {
    expect(answers["playground-check"](held, edit)).toEqual({
      problems: [],
      edits: [{ what: "deleted", object: "NetworkPolicy shop/db" }],
      others: [],
    });
    const opened = expect.objectContaining({ from: "shop/web", to: "shop/db" }) as unknown;
    for (const name of ["playground-outline", "playground-difference"] as const)
      expect(answers[name](held, edit).sections).toMatchObject([
        { verdict: "Allow", groups: [{ rows: expect.arrayContaining([opened]) as unknown }] },
      ]);
  });

  it("has no part in what is written afterwards", () => {
    const { edits } = answers["playground-check"](held, { text: openDb });
    expect(edits).toEqual([{ what: "replaced", object: "NetworkPolicy shop/db" }]);
  });
});

describe("caveats of an edit", () => {
  const byAddress = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: web, namespace: shop}
spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}
`;

  it.each(["playground-outline", "playground-difference"] as const)(
    "S9.8: are those of the state after it, in %s",
    (name) => {
      const differs = expect.stringMatching(/^Cilium 1\.18 answers \d+ connections? differently/) as string;
      expect(held.caveats).not.toContainEqual(differs);
      expect(answers[name](held, { text: byAddress }).caveats).toContainEqual(differs);
    },
  );
});

describe("what a text changes", () => {
  it("is counted first, with examples", () => {
    const { sections, isLarge } = answers["playground-outline"](held, { text: openDb });
    expect(isLarge).toBe(false);
    expect(sections).toMatchObject([
      {
        verdict: "Allow",
        connections: 1,
        sources: [{ name: "shop", connections: 1 }],
        groups: [
          { rows: [{ from: "shop/web", to: "shop/db", question: { from: "shop/web", to: "shop/db" } }] },
        ],
      },
    ]);
  });

  it("is then shown with the rules that decide", () => {
    const { sections, remarks } = answers["playground-difference"](held, { text: openDb });
    expect(sections).toMatchObject([
      {
        verdict: "Allow",
        connections: 1,
        groups: [
          {
            by: "by NetworkPolicy shop/db rule 1 · your policy:4",
            rows: [{ connections: 1, from: "shop/web", to: "shop/db", ports: "on every port" }],
          },
        ],
      },
    ]);
    expect(remarks).toEqual([]);
  });

  it("is nothing for the policy as it is", () => {
    const text = answers["playground-text"](held, { key: "NetworkPolicy.networking.k8s.io/shop/db" })!;
    expect(answers["playground-difference"](held, { text }).sections).toEqual([]);
  });
});
