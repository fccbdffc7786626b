import { describe, expect, it } from "vitest";
import { issue } from "./certificates/issue.js";
import { isTokenPath, pathTokenOf, pathWith } from "./path-token.js";

const certificate = () =>
  issue({ names: ["webhook"], from: new Date(0), until: new Date(Date.now() + 3_600_000) });

describe("the secret part of the path", () => {
  const [first, second] = [certificate(), certificate()];

  it("is the same for all replicas, and another for each certificate", () => {
    expect(pathTokenOf({ ...first })).toBe(pathTokenOf(first));
    expect(pathTokenOf(first)).not.toBe(pathTokenOf(second));
    expect(pathTokenOf(first)).toMatch(/^[\w-]{43}$/);
  });

  it("distinguishes API servers from other clients", () => {
    const tokens = [first, second].map(pathTokenOf);
    for (const token of tokens) expect(isTokenPath(pathWith(token), tokens)).toBe(true);
    for (const path of ["/validate", "/validate/", "/", "", pathWith("x"), `${pathWith(tokens[0]!)}/`])
      expect([path, isTokenPath(path, tokens)]).toEqual([path, false]);
    expect(isTokenPath("/validate/", [])).toBe(false);
  });
});
