import type { JsonObject } from "@tierwall/core";
import { describe, expect, it } from "vitest";
import type { AdmissionRequest } from "./admission-review.js";
import { admit } from "./admit.js";
import type { PolicyEdit } from "./analyst.js";
import type { Judgement } from "./analyst-thread.js";

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

const all: Judgement = { warnings: [{ about: "denied", text: "much is denied" }], missing: [] };

async function asked(
  request: Omit<AdmissionRequest, "uid">,
  { judgement = all, isReady = true }: { judgement?: Judgement; isReady?: boolean } = {},
) {
  const edits: PolicyEdit[] = [];
  const judge = {
    judge: async (edit: PolicyEdit) => {
      edits.push(edit);
      return judgement;
    },
  };
  const { answer, fallback } = await admit(
    { uid: "1", ...request },
    { judge, isReady: () => isReady, deadline: 0 },
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
      "that changes labels only is let through, be it valid or not",
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
    ["about something else is let through", { operation: "CREATE", object: pod }, []],
    ["to delete something else is let through", { operation: "DELETE", oldObject: pod }, []],
    ["without an object is let through", { operation: "CONNECT" }, []],
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

describe("what is not known is said", () => {
  it.each([
    [
      "for want of time",
      { judgement: { warnings: [], missing: ["connections", "precedence"] } },
      "time",
      /had no time to find out what this changes/,
    ],
    [
      "for want of time for all",
      { judgement: { ...all, missing: ["precedence"] } },
      "time",
      /had no time to find out what this overrides/,
    ],
    ["as the cluster is not known", { isReady: false }, "not-ready", /still reading the cluster/],
    [
      "as something failed",
      { judgement: { warnings: [], missing: [], failure: "out of memory" } },
      "failed",
      /could not find out all .*: out of memory/,
    ],
  ] as const)("%s", async (_, circumstances, reason, text) => {
    const { answer, fallback } = await asked({ operation: "CREATE", object: closed }, circumstances);
    expect(fallback).toBe(reason);
    expect(answer).toMatchObject({ allowed: true });
    expect("warnings" in answer && answer.warnings.at(-1)).toMatch(text);
  });
});
