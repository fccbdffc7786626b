import { describe, expect, it } from "vitest";
import { cursorAt } from "./cursor.js";

/** The cursor is at `|`. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  const cursor = cursorAt(marked.replace("|", ""), offset);
  if (cursor === undefined) return undefined;
  const { at: where, path, word, keys } = cursor;
  return { where, path: path.join("."), word, keys: keys.join(" ") };
}

describe("the position of the cursor", () => {
  it.each([
    ["an empty text", "|", { where: "node", path: "", word: "", keys: "" }],
    ["a first key", "ki|", { where: "node", path: "", word: "ki", keys: "" }],
    ["a second key", "kind: X\nme|\n", { where: "node", path: "", word: "me", keys: "kind" }],
    ["a value", "kind: Net|", { where: "value", path: "kind", word: "Net", keys: "" }],
    [
      "a value that is not there yet",
      "kind: |\nspec:\n",
      { where: "value", path: "kind", word: "", keys: "" },
    ],
    ["a key below another", "spec:\n  |", { where: "node", path: "spec", word: "", keys: "" }],
    [
      "a key between others",
      "spec:\n  tier: Admin\n  pr|\n  subject:\n    pods: {}\n",
      { where: "node", path: "spec", word: "pr", keys: "tier subject" },
    ],
    ["a key to the left", "spec:\n  tier: Admin\n|", { where: "node", path: "", word: "", keys: "spec" }],
    [
      "an item of a list",
      "spec:\n  ingress:\n  - na|",
      { where: "node", path: "spec.ingress.0", word: "na", keys: "" },
    ],
    [
      "an item that has only its dash",
      "spec:\n  ingress:\n  - |",
      { where: "node", path: "spec.ingress.0", word: "", keys: "" },
    ],
    [
      "a second item, indented",
      "spec:\n  ingress:\n    - name: a\n    - name: b\n      ac|",
      { where: "node", path: "spec.ingress.1", word: "ac", keys: "name" },
    ],
    [
      "a list in a list",
      "spec:\n  ingress:\n  - from:\n    - pods:\n        |",
      { where: "node", path: "spec.ingress.0.from.0.pods", word: "", keys: "" },
    ],
    [
      "behind a list, as far left as its dashes",
      "spec:\n  ingress:\n  - name: a\n  eg|",
      { where: "node", path: "spec", word: "eg", keys: "ingress" },
    ],
    [
      "a text in a list",
      "policyTypes:\n- In|",
      { where: "node", path: "policyTypes.0", word: "In", keys: "" },
    ],
    ["a key in braces", "metadata: {na|}", { where: "node", path: "metadata", word: "na", keys: "" }],
    [
      "a value in braces",
      "metadata: {name: a, namespace: sh|}",
      { where: "value", path: "metadata.namespace", word: "sh", keys: "name namespace" },
    ],
    [
      "deep in brackets, not closed",
      "spec:\n  from: [{namespaces: {matchLabels: {te|",
      { where: "node", path: "spec.from.0.namespaces.matchLabels", word: "te", keys: "" },
    ],
    [
      "a second item in brackets",
      "types: [Ingress, E|]",
      { where: "node", path: "types.1", word: "E", keys: "" },
    ],
    [
      "brackets over several lines",
      "a: [\n  {b: c},\n  {d|}\n]",
      { where: "node", path: "a.1", word: "d", keys: "" },
    ],
    ["behind brackets that are closed", "a: {b: c}\nd|", { where: "node", path: "", word: "d", keys: "a" }],
    [
      "another document",
      "kind: A\nspec:\n  x: 1\n---\nki|",
      { where: "node", path: "", word: "ki", keys: "" },
    ],
    [
      "a quoted key above",
      'labels:\n  "a/b": c\n  d|',
      { where: "node", path: "labels", word: "d", keys: "a/b" },
    ],
    ["a word is taken to its end", "ki|nd: X", { where: "node", path: "", word: "ki", keys: "" }],
  ])("%s", (_, marked, expected) => {
    expect(at(marked)).toEqual(expected);
  });

  it.each([
    ["comments", "kind: X # he|re"],
    ["a line that is a comment", "# he|re"],
    ["long texts", "a: >\n  hello |\n"],
    ["below a key that has its value", "kind: X\n  |"],
  ])("is not known in %s", (_, marked) => {
    expect(at(marked)).toBeUndefined();
  });

  it("comes with the apiVersion and kind at the top", () => {
    const text = "apiVersion: v1 # core\nkind: 'Pod'\nspec:\n  ";
    expect([...cursorAt(text, text.length)!.top]).toEqual([
      ["apiVersion", "v1"],
      ["kind", "Pod"],
      ["spec", ""],
    ]);
  });
});
