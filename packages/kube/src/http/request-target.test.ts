import { describe, expect, it } from "vitest";
import { requestTarget } from "./request-target.js";

describe("a request target", () => {
  it.each([
    ["/metrics", "/metrics", ""],
    ["/metrics?a=1&b=%zz", "/metrics", "a=1&b=%25zz"],
    ["//", "//", ""],
    ["//metrics", "//metrics", ""],
    ["/%zz", "/%zz", ""],
    ["/a/../metrics", "/a/../metrics", ""],
    ["/metrics#here", "/metrics", ""],
    [`/${"a".repeat(100_000)}`, `/${"a".repeat(100_000)}`, ""],
    ["http://other/metrics?x", "/metrics", "x="],
    ["HTTPS://[::1]:80/livez", "/livez", ""],
  ])("%.30s has the path %.30s", (text, path, query) => {
    const target = requestTarget(text);
    expect([target?.path, target?.query.toString()]).toEqual([path, query]);
  });

  it.each([
    ["", "nothing"],
    ["*", "asterisk form"],
    ["example.com:443", "authority form"],
    ["http://", "a scheme alone"],
    ["http:///metrics", "an empty authority"],
    ["ftp://host/metrics", "another scheme"],
    ["metrics", "no slash"],
  ])("%.20s is refused: %s", (text) => expect(requestTarget(text)).toBeUndefined());

  it("may be missing", () => expect(requestTarget(undefined)).toBeUndefined());
});
