import { describe, expect, it } from "vitest";
import { diagnostic, hasErrors } from "./diagnostic.js";
import { formatPath, isWithin, parsePath, type Path } from "./place.js";

describe("a path in words", () => {
  it.each([
    [[], ""],
    [["spec"], "spec"],
    [["spec", "ingress", 0, "from"], "spec.ingress[0].from"],
    [["specs", 1, "egressDeny", 0], "specs[1].egressDeny[0]"],
    [["items", 3], "items[3]"],
    [[0, "spec"], "[0].spec"],
    [["metadata", "labels", "app.kubernetes.io/name"], 'metadata.labels["app.kubernetes.io/name"]'],
    [["labels", ""], 'labels[""]'],
    [["labels", 'say "so"'], 'labels["say \\"so\\""]'],
    [["labels", "0"], 'labels["0"]'],
    [["labels", "with-dash"], "labels.with-dash"],
    [["labels", "_x"], "labels._x"],
    [["example.com/a", "b"], '["example.com/a"].b'],
  ] satisfies [Path, string][])("%j: %s", (path, text) => expect(formatPath(path)).toBe(text));
});

describe("a path read back", () => {
  it.each([
    ["", []],
    ["spec", ["spec"]],
    ["specs[1].egressDeny[0]", ["specs", 1, "egressDeny", 0]],
  ] satisfies [string, Path][])("%s: %j", (text, path) => expect(parsePath(text)).toEqual(path));
});

describe("being within", () => {
  it.each([
    [["spec", "ingress", 0], ["spec"], true],
    [["spec"], ["spec"], true],
    [["spec"], [], true],
    [[], ["spec"], false],
    [["spec"], ["spec", "ingress"], false],
    [["spec", "ingress", 1], ["spec", "ingress", 0], false],
    // The first item of a list is not the key "0" of a mapping.
    [["spec", "0"], ["spec", 0], false],
    [["specs"], ["spec"], false],
  ] satisfies [Path, Path, boolean][])("%j within %j: %s", (path, prefix, expected) =>
    expect(isWithin(path, prefix)).toBe(expected),
  );
});

describe("a diagnostic", () => {
  it("takes its severity from the table", () => {
    expect(diagnostic("TW1001", "no").severity).toBe("error");
    expect(diagnostic("TW2001", "hm").severity).toBe("warning");
    expect(diagnostic("TW3001", "by the way").severity).toBe("note");
  });

  it("stops evaluation only if it is an error", () => {
    const [warning, note] = [diagnostic("TW2001", "hm"), diagnostic("TW3001", "by the way")];
    expect(hasErrors([])).toBe(false);
    expect(hasErrors([warning, note])).toBe(false);
    expect(hasErrors([warning, diagnostic("TW1001", "no"), note])).toBe(true);
  });
});
