import type { Readable } from "@tierwall/core/analysis";
import { foreignKinds, type JsonObject } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import type { AdmissionRequest } from "./admission-review.js";
import { admit } from "./admit.js";
import type { PolicyEdit } from "./analyst.js";
import type { Judgement } from "./analyst-thread.js";
import type { Visibility } from "./visibility.js";

const policy = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec,
});
const closed = policy({ podSelector: {} });
const open = policy({ podSelector: {}, ingress: [{}] });
const broken = policy({ podSelector: {}, ingress: [{ from: [{}] }] });
const pod: JsonObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", namespace: "shop" } };

const all: Judgement = { warnings: [{ about: "denied", text: "much is denied" }], missing: [], unread: [] };

/** Nothing is known about guarantees. */
const ask = async () => undefined;

/** An API server that lets everyone read everything. */
const toAll: Visibility = {
  readableBy: async () => "everything",
  extended: async () => undefined,
};

async function asked(
  request: Omit<AdmissionRequest, "uid">,
  { judgement = all, isReady = true }: { judgement?: Judgement; isReady?: boolean } = {},
) {
  const edits: PolicyEdit[] = [];
  const judge = {
    ask,
    judge: async (edit: PolicyEdit) => {
      const { bytes: _, ...own } = edit;
      edits.push(own);
      return judgement;
    },
  };
  const { answer, fallback } = await admit(
    { uid: "1", ...request },
    { judge, visibility: toAll, isReady: () => isReady, deadline: 0 },
  );
  return { answer, fallback, edits };
}

describe("a request", () => {
  const key = "networking.k8s.io NetworkPolicy shop/web";
  it.each<[string, Omit<AdmissionRequest, "uid">, readonly PolicyEdit[]]>([
    ["to create is judged", { operation: "CREATE", object: closed }, [{ key, object: closed }]],
    [
      "to update is judged",
      { operation: "UPDATE", object: open, oldObject: closed },
      [{ key, object: open }],
    ],
    ["to delete is judged", { operation: "DELETE", oldObject: closed }, [{ key }]],
    ["to delete what is not valid is judged too", { operation: "DELETE", oldObject: broken }, [{ key }]],
    [
      "that changes only labels is allowed, whether it is valid or not",
      { operation: "UPDATE", object: policy(broken.spec as JsonObject, { labels: {} }), oldObject: broken },
      [],
    ],
    [
      "that changes how it is enforced is judged",
      {
        operation: "UPDATE",
        object: policy(closed.spec as JsonObject, { annotations: { "tierwall.dev/enforcement": "audit" } }),
        oldObject: closed,
      },
      [{ key, object: expect.anything() as JsonObject }],
    ],
    ["about another kind is allowed", { operation: "CREATE", object: pod }, []],
    ["to delete an object of another kind is allowed", { operation: "DELETE", oldObject: pod }, []],
    ["without an object is allowed", { operation: "CONNECT" }, []],
  ])("%s", async (_, request, wanted) => {
    const { answer, edits } = await asked(request);
    expect(answer.allowed).toBe(true);
    expect(edits).toEqual(wanted);
  });

  it("to create what is not valid is refused, with the field and what is wrong", async () => {
    const { answer, edits } = await asked({ operation: "CREATE", object: broken });
    expect(answer).toEqual({
      allowed: false,
      message: expect.stringMatching(/^error TW1209 spec\.ingress\[0\]\.from\[0\]: /) as string,
    });
    expect(edits).toEqual([]);
  });
});

describe("an incomplete answer is reported", () => {
  it.each([
    [
      "when time runs out",
      { judgement: { ...all, warnings: [], missing: ["connections", "precedence"] } },
      "time",
      /had no time to find out what this changes/,
    ],
    [
      "when time runs out for a part of it",
      { judgement: { ...all, missing: ["precedence"] } },
      "time",
      /had no time to find out what this overrides/,
    ],
    ["while the cluster is not known", { isReady: false }, "not-ready", /still reading the cluster/],
    [
      "when something failed",
      { judgement: { ...all, warnings: [], failure: "secret-tenant/db cannot be compiled" } },
      "failed",
      /could not find out all that this changes; its log has the reason/,
    ],
    [
      "when too many others wait",
      { judgement: { ...all, warnings: [], missing: ["connections", "precedence"], busy: true } },
      "busy",
      /too many other edits/,
    ],
  ] as const)("%s", async (_, circumstances, reason, text) => {
    const { answer, fallback } = await asked({ operation: "CREATE", object: closed }, circumstances);
    expect(fallback).toBe(reason);
    expect(answer).toMatchObject({ allowed: true });
    expect("warnings" in answer && answer.warnings.at(-1)).toMatch(text);
    expect(JSON.stringify(answer)).not.toContain("secret-tenant");
  });
});

describe("policies of other projects that cannot be read", () => {
  const calico = foreignKinds.filter(({ product, kind }) => product === "Calico" && kind === "NetworkPolicy");
  const admitted = async (judgement: Judgement, unreadForeign = calico) => {
    const judge = { ask, judge: async () => judgement };
    const request = { uid: "1", operation: "CREATE", object: closed } as const;
    const { answer } = await admit(request, {
      judge,
      visibility: toAll,
      isReady: () => true,
      deadline: 0,
      unreadForeign,
    });
    return "warnings" in answer && answer.warnings;
  };

  it("S9.7: are named by their kind with what an edit changes, and not where it changes nothing", async () => {
    expect(await admitted(all)).toEqual([
      "much is denied",
      "policies of other projects may decide otherwise, and Tierwall cannot read them: Calico NetworkPolicy",
    ]);
    expect(await admitted({ ...all, warnings: [] })).toEqual([]);
    expect(await admitted(all, [])).toEqual(["much is denied"]);
  });
});

describe("what the user may read", () => {
  const user = { username: "dave", groups: [], extra: {} };
  const elsewhere = { kind: " Pod", namespace: "vault" };
  const textOf = (readable: Readable) =>
    readable === "everything" ? "everything" : [...readable.keys()].join();

  async function judged(visibility: Partial<Visibility>, own: AdmissionRequest["user"] = user) {
    const asked: string[] = [];
    const judge = {
      ask,
      judge: async (_edit: PolicyEdit, readable: Readable): Promise<Judgement> => {
        asked.push(textOf(readable));
        return { ...all, unread: readable === "everything" || readable.has("more") ? [] : [elsewhere] };
      },
    };
    const request = {
      uid: "1",
      operation: "CREATE",
      object: closed,
      ...(own === undefined ? {} : { user: own }),
    } as const;
    await admit(request, {
      judge,
      visibility: { ...toAll, ...visibility },
      isReady: () => true,
      deadline: Date.now() + 10_000,
    });
    return asked;
  }

  it("is asked about the whole cluster and the namespace of the policy", async () => {
    const questions: unknown[] = [];
    const readableBy: Visibility["readableBy"] = async (...[who, namespace]) => {
      questions.push([who.username, namespace]);
      return new Map([["some", "all"]]);
    };
    expect(await judged({ readableBy })).toEqual(["some"]);
    expect(questions).toEqual([["dave", "shop"]]);
  });

  it("is asked about other namespaces that the edit touches, and then judged again", async () => {
    const extended: Visibility["extended"] = async (_user, _readable, asked) => {
      expect(asked).toEqual([elsewhere]);
      return new Map([["more", "all"]]);
    };
    expect(await judged({ readableBy: async () => new Map([["some", "all"]]), extended })).toEqual([
      "some",
      "more",
    ]);
  });

  it("is nothing where the review names no user", async () => {
    const asked = await admit(
      { uid: "1", operation: "CREATE", object: closed },
      {
        judge: {
          ask,
          judge: async (_, readable) => ({ ...all, warnings: [{ about: "denied", text: textOf(readable) }] }),
        },
        visibility: toAll,
        isReady: () => true,
        deadline: 0,
      },
    );
    expect(asked.answer).toMatchObject({ warnings: [""] });
  });
});
