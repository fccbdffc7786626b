import type { Readable } from "@tierwall/core/analysis";
import type { JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import type { Affected } from "../guarantees/cluster-guarantees.js";
import type { GuaranteeAnswer } from "../guarantees/guarantee-answer.js";
import type { AdmissionRequest } from "./admission-review.js";
import { admit } from "./admit.js";
import type { Admitted } from "./admitting.js";
import type { Judge, Question } from "./analyst-thread.js";

const policyKind = "policy.networking.k8s.io ClusterNetworkPolicy";
const guaranteeKind = "tierwall.dev Guarantee";
const guarantee = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "tierwall.dev/v1",
  kind: "Guarantee",
  metadata: { name: "closed", ...metadata },
  spec: { from: [{ external: true }], to: [{ namespaces: {} }], verdict: "Deny", ...spec },
});
const policy: JsonObject = {
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "web", namespace: "shop" },
  spec: { podSelector: {} },
};

interface Circumstances {
  readonly answers?: Partial<Record<Question["what"], unknown>>;
  readonly readable?: Readable;
  readonly isReady?: boolean;
}

async function answered(
  request: Omit<AdmissionRequest, "uid">,
  { answers = {}, readable = "everything", isReady = true }: Circumstances = {},
): Promise<Admitted["answer"]> {
  const judge: Judge = {
    ask: async ({ what }) => answers[what] as never,
    judge: async () => ({ warnings: [], missing: [], unread: [] }),
  };
  const { answer } = await admit(
    { uid: "1", user: { username: "dave", groups: [], extra: {} }, ...request },
    {
      judge,
      visibility: { readableBy: async () => readable, extended: async () => undefined },
      isReady: () => isReady,
      deadline: Date.now() + 60_000,
    },
  );
  return answer;
}

describe("a request to create a Guarantee", () => {
  const tried = (answer: Partial<GuaranteeAnswer>) => ({
    try: { answer: { text: "why", restsOn: [], policies: [], ...answer }, kinds: [policyKind] },
  });
  const create = (circumstances: Circumstances, object = guarantee()) =>
    answered({ operation: "CREATE", object }, circumstances);

  it.each<[string, Circumstances, string]>([
    [
      "it holds, and on what it rests",
      { answers: tried({ result: "Proven", restsOn: ["rule 1", "rule 2"] }) },
      "the guarantee holds: it rests on rule 1, rule 2",
    ],
    [
      "it holds without policies",
      { answers: tried({ result: "Proven" }) },
      "the guarantee holds: it rests on no policy",
    ],
    ["it does not hold", { answers: tried({ result: "Refuted" }) }, "the guarantee does not hold: why"],
    ["it is about nothing", { answers: tried({ result: "Vacuous" }) }, "the guarantee has no effect: why"],
    [
      "it was not decided",
      { answers: tried({ result: "NotDecided" }) },
      "it was not decided whether the guarantee holds: why",
    ],
    [
      "an assumption is not satisfied",
      { answers: tried({ result: "Invalid" }) },
      "the guarantee cannot be decided: why",
    ],
    ["there was no time", {}, "it was not decided in time whether the guarantee holds"],
    ["the cluster is not known", { isReady: false }, "whether the guarantee holds is not known yet"],
    [
      "it does not hold, to someone who cannot read the policies",
      { answers: tried({ result: "Refuted" }), readable: new Map([[guaranteeKind, "all"]]) },
      "the guarantee does not hold",
    ],
  ])("is admitted, and answers that %s", async (_, circumstances, wanted) => {
    expect(await create(circumstances)).toEqual({ allowed: true, warnings: [wanted] });
  });

  it("answers that files are not used", async () => {
    const answer = await create(
      { answers: tried({ result: "Refuted" }) },
      guarantee({ given: ["policies.yaml"] }),
    );
    expect(answer).toMatchObject({
      warnings: ["the guarantee does not hold: why", expect.stringMatching(/^`spec.given`/)],
    });
  });

  it("is refused where it is not valid", async () => {
    expect(await create({}, guarantee({ ports: ["0/TCP"] }))).toEqual({
      allowed: false,
      message: expect.stringMatching(/^error TW1503 spec\.ports\[0\]: `0\/TCP` is not a port/) as string,
    });
  });
});

describe("a request about a Guarantee is admitted without an answer", () => {
  it.each<[string, Omit<AdmissionRequest, "uid">]>([
    ["to delete it", { operation: "DELETE", oldObject: guarantee({ onBreak: "Refuse" }) }],
    [
      "to change a label, also where it is not valid",
      {
        operation: "UPDATE",
        object: guarantee({ ports: [] }, { labels: { a: "b" } }),
        oldObject: guarantee({ ports: [] }),
      },
    ],
  ])("%s", async (_, request) => {
    expect(await answered(request)).toEqual({ allowed: true, warnings: [] });
  });
});

describe("an edit that breaks guarantees", () => {
  const affected = (name: string, onBreak: Affected["onBreak"], counterexample?: string): Affected => ({
    name,
    onBreak,
    kinds: [policyKind],
    ...(counterexample === undefined ? {} : { counterexample }),
  });
  const edit = (check: readonly Affected[], readable: Readable = "everything") =>
    answered({ operation: "DELETE", oldObject: policy }, { answers: { check }, readable });

  it("is refused where one says so, with the counterexample and a way out", async () => {
    expect(
      await edit([affected("a", "Refuse", "x → y would be allowed"), affected("b", "Warn", "z")]),
    ).toEqual({
      allowed: false,
      code: 403,
      message:
        "breaks Guarantee a: x → y would be allowed\n" +
        "delete the Guarantee or set its `spec.onBreak` to `Warn` to make this change anyway",
    });
  });

  it("is admitted with a warning where none says so", async () => {
    const answer = await edit([affected("b", "Warn", "x → y would be allowed")]);
    expect(answer).toEqual({ allowed: true, warnings: ["breaks Guarantee b: x → y would be allowed"] });
  });

  it("is admitted with a warning where it was not decided in time, also by one that refuses", async () => {
    const many = Array.from({ length: 1000 }, (_, i) => affected(`g-${i}`, "Refuse"));
    expect(await edit(many)).toEqual({
      allowed: true,
      warnings: [
        "it was not decided in time whether guarantees still hold: g-0, g-1, g-2, g-3, g-4 and 995 more; the change is admitted, although `onBreak` is `Refuse`",
      ],
    });
    expect(await edit([affected("a", "Warn")])).toEqual({
      allowed: true,
      warnings: ["it was not decided in time whether guarantees still hold: a"],
    });
  });

  it("is refused in a few lines, however many there are and whatever their names are", async () => {
    const many = Array.from({ length: 1000 }, (_, i) =>
      affected(`${"\u202e".repeat(200)}${i}`, "Refuse", "x"),
    );
    const answer = await edit(many);
    const lines = answer.allowed ? [] : answer.message.split("\n");
    expect([lines.length, lines[5], lines.join().includes("\u202e")]).toEqual([7, "and 995 more", false]);
  });

  it("reveals neither guarantees nor policies to users who cannot read them", async () => {
    const found = [affected("secret", "Refuse", "pod {key: secret}")];
    expect(await edit(found, new Map())).toMatchObject({
      message: "breaks a Guarantee that you cannot read",
    });
    const answer = await edit(found, new Map([[guaranteeKind, "all"]]));
    expect(answer).toMatchObject({
      message: expect.stringMatching(/^breaks Guarantee secret: policies that you cannot/) as string,
    });
    expect(JSON.stringify(await edit([affected("secret", "Warn")], new Map()))).not.toContain("secret");
  });
});
