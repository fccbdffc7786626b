import { describe, expect, it } from "vitest";
import { troubleFrom } from "./api-reader.js";

const tooLarge = {
  code: 504,
  reason: "Timeout",
  message: "Too large resource version: 99, current: 5",
  details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
};

describe("what an answer of the API server means", () => {
  it.each([
    ["the kind is not served", 404, {}, "missing"],
    ["we may not", 403, {}, "forbidden"],
    ["it does not know us", 401, {}, "forbidden"],
    ["the version is gone", 410, {}, "expired"],
    ["the version has expired, whatever the code", 200, { reason: "Expired" }, "expired"],
    ["the version is from a future that did not happen", 504, tooLarge, "expired"],
    ["it is busy", 429, {}, "failed"],
    ["something else", 500, "no object", "failed"],
  ])("%s", (_, code, status, kind) => {
    expect(troubleFrom(code, status)).toMatchObject({ kind });
  });

  it("carries its message, and how long to wait", () => {
    expect(troubleFrom(429, { message: "slow down" }, 3)).toEqual({
      kind: "failed",
      message: "slow down",
      retryAfterSeconds: 3,
    });
    expect(troubleFrom(503, {})).toEqual({ kind: "failed", message: "the API server answered 503" });
  });
});
