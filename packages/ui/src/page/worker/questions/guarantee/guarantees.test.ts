import { describe, expect, it } from "vitest";
import { HeldState } from "../../held-state.js";
import { guaranteeAnswers as answers } from "./guarantees.js";

const folder = "../../../../../../../examples/guarantees-pci/";
const texts = import.meta.glob<string>("../../../../../../../examples/guarantees-pci/*.yaml", {
  query: "?raw",
  import: "default",
  eager: true,
});
const example = (file: string) => ({ file, text: texts[`${folder}${file}`]! });
const heldWith = (...more: { readonly file: string; readonly text: string }[]) =>
  new HeldState({
    title: "pci",
    revision: "1",
    provenance: "file",
    sources: [example("policies.yaml"), example("holds.yaml"), example("refuted.yaml"), ...more],
  });
const guarantee = (name: string, spec: string) =>
  `apiVersion: tierwall.dev/v1\nkind: Guarantee\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
const held = heldWith();
const proven = (key: string, budget = 10) => answers["guarantee-proof"](held, { key, budget });

describe("the guarantees of a state", () => {
  it("are listed with a sentence each, and with their places", async () => {
    const { guarantees, problems } = await answers.guarantees(held, {});
    expect(problems).toEqual([]);
    expect(guarantees.map(({ key, place }) => [key, place])).toEqual([
      ["card-data-only-through-443-except-monitoring", { file: "holds.yaml", line: 3 }],
      ["card-data-only-through-443", { file: "refuted.yaml", line: 4 }],
    ]);
    expect(guarantees[1]!.claim).toMatch(
      /^No connection from .*pci.* to .*pci=true.* except 443\/TCP is allowed/,
    );
  });

  it("with the same name have different keys", async () => {
    const { guarantees } = await answers.guarantees(
      heldWith({ ...example("refuted.yaml"), file: "b.yaml" }),
      {},
    );
    expect(guarantees.map(({ key }) => key)).toContain("card-data-only-through-443#2");
  });

  it("that cannot be read are reported with the line and a caret, and the others are listed", async () => {
    const text = guarantee("typo", "{from: {namespaces: {}}, to: {namespace: {}}, verdict: Deny}");
    const { guarantees, problems } = await answers.guarantees(heldWith({ file: "typo.yaml", text }), {});
    expect(guarantees).toHaveLength(2);
    const { frame, place } = problems.find(({ message }) => message.includes("`namespace`"))!;
    expect(place).toEqual({ file: "typo.yaml", line: 4 });
    const marked = frame!.lines.at(-1)!.slice(frame!.before, frame!.before + frame!.carets);
    expect(marked).toBe("namespace");
  });
});

describe("a proof", () => {
  it("names the rules that it rests on, with links to them", async () => {
    const proof = await proven("card-data-only-through-443-except-monitoring");
    expect(proof).toMatchObject({
      result: "Proven",
      restsOn: [
        {
          policy: { key: "ClusterNetworkPolicy.policy.networking.k8s.io/pci-guardrail" },
          rule: "spec.ingress[3]",
          place: { file: "policies.yaml", line: 21 },
        },
      ],
    });
  });

  it("is refuted with two endpoints, a port, the rules that decide, and what is essential", async () => {
    const proof = await proven("card-data-only-through-443");
    if (proof?.result !== "Refuted") throw new Error(`it is ${proof?.result}`);
    expect(proof.counterexample).toMatchObject({
      from: { kind: "pod", ref: "monitoring/client", namespace: { name: "monitoring", labels: [] } },
      to: { kind: "pod", namespace: { labels: ["pci=true"] } },
      port: "80/TCP",
      portNames: ["metrics"],
      isAllowed: true,
      egress: { verdict: "Allow", by: [] },
      ingress: { verdict: "Allow", by: [{ rule: "spec.ingress[2]" }], isOwners: false },
      drops: { networkPolicies: true },
    });
    expect(proof.counterexample.essential.join()).toContain("metrics");
  });

  it("is not decided where the budget is too small, which is shown in seconds", async () => {
    expect(await proven("card-data-only-through-443", 0)).toMatchObject({
      result: "NotDecided",
      seconds: 0,
    });
  });

  it("is vacuous where no connection is meant", async () => {
    const none = "{matchExpressions: [{key: a, operator: Exists}, {key: a, operator: DoesNotExist}]}";
    const text = guarantee("none", `{from: {namespaces: ${none}}, to: {namespaces: {}}, verdict: Deny}`);
    const request = { text, index: 0, budget: 10 };
    expect(await answers["guarantee-written-proof"](held, request)).toMatchObject({ result: "Vacuous" });
  });

  it("is not asked for where the input does not satisfy an assumption: S11.4", async () => {
    const assuming = "[{namespaces: [gone], are: as-deployed}]";
    const text = guarantee(
      "assuming",
      `{from: {namespaces: {}}, to: {namespaces: {}}, verdict: Deny, assuming: ${assuming}}`,
    );
    const proof = await answers["guarantee-written-proof"](held, { text, index: 0, budget: 10 });
    expect(proof).toMatchObject({ result: "NotAsked", problems: [{ code: "TW1508" }] });
  });

  it("is about the policies as an edit leaves them", async () => {
    const key = "card-data-only-through-443-except-monitoring";
    const edit = { text: "", deleted: "ClusterNetworkPolicy.policy.networking.k8s.io/pci-guardrail" };
    expect(await answers["guarantee-proof"](held, { key, budget: 10, edit })).toMatchObject({
      result: "Refuted",
    });
    expect(await proven(key)).toMatchObject({ result: "Proven" });
  });

  it("of a guarantee that there is not is none", async () => {
    expect(await proven("gone")).toBeUndefined();
  });
});

describe("a guarantee to edit", () => {
  it("is as it was written, with its comments", async () => {
    const text = await answers["guarantee-text"](held, { key: "card-data-only-through-443" });
    expect(text).toBe(example("refuted.yaml").text);
  });

  it("is checked while it is being written", async () => {
    const text = guarantee("a", "{from: {namespaces: {}}, to: {namespaces: {}}, verdict: No}");
    const { problems, guarantees } = await answers["guarantee-check"](held, { text });
    expect(guarantees).toEqual([]);
    expect(problems.map(({ from, to }) => text.slice(from, to))).toEqual(["No"]);
  });
});
