import { describe, expect, it } from "vitest";
import { readReview, reviewOf } from "./admission-review.js";

const review = (request: unknown, more: object = {}) =>
  JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request, ...more });
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("a review", () => {
  it.each([
    ["is not JSON", "{", /not JSON/],
    ["is empty", "", /not JSON/],
    ["is no object", "[]", /not an AdmissionReview/],
    ["is null", "null", /not an AdmissionReview/],
    [
      "is of another version",
      review({}, { apiVersion: "admission.k8s.io/v1beta1" }),
      /not an AdmissionReview/,
    ],
    ["is of another kind", review({}, { kind: "Status" }), /not an AdmissionReview/],
    ["has no request", review(undefined), /no `request`/],
    ["has a list for a request", review([]), /no `request`/],
    ["has no uid", review({ operation: "CREATE" }), /`uid`/],
    ["has a number for a uid", review({ uid: 1, operation: "CREATE" }), /`uid`/],
    ["has a uid with line breaks", review({ uid: "a\r\nb", operation: "CREATE" }), /`uid`/],
    ["has a uid without end", review({ uid: "a".repeat(1000), operation: "CREATE" }), /`uid`/],
    ["has no operation", review({ uid: "1" }), /`operation`/],
    ["has another operation", review({ uid: "1", operation: "PATCH" }), /`operation`/],
    [
      "is nested too deep",
      deep(300).replace('"a"', '"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","a"'),
      /nested/,
    ],
    ["is nested much too deep", review(0).replace("0}", `${deep(400_000)}}`), /nested/],
  ])("that %s is refused", (_, text, message) => {
    expect(readReview(text)).toEqual({ ok: false, message: expect.stringMatching(message) as string });
  });

  it("has the object, the object before, the user and how large it is", () => {
    const userInfo = { username: "dave", uid: "7", groups: ["a", 1], extra: { x: ["y"], z: 1 } };
    const text = review({
      uid: "u-1",
      operation: "DELETE",
      oldObject: { kind: "Pod" },
      object: null,
      dryRun: true,
      userInfo,
    });
    expect(readReview(text, 123)).toEqual({
      ok: true,
      request: {
        uid: "u-1",
        operation: "DELETE",
        oldObject: { kind: "Pod" },
        bytes: 123,
        user: { username: "dave", uid: "7", groups: ["a"], extra: { x: ["y"], z: [] } },
      },
    });
  });

  it.each([[undefined], [null], ["dave"], [{}], [{ username: "" }], [{ username: 1 }]])(
    "may name no user: %j",
    (userInfo) => {
      const read = readReview(review({ uid: "1", operation: "CREATE", userInfo }));
      expect(read.ok && "user" in read.request).toBe(false);
    },
  );

  it("is answered with its uid", () => {
    expect(reviewOf("u-1", { allowed: true, warnings: [] })).toMatchObject({
      response: { uid: "u-1", allowed: true },
    });
  });
});
