import { describe, expect, it } from "vitest";
import { formatPath } from "../../diagnostics/place.js";
import { parseManifest } from "../parse.js";
import { writeYaml } from "./write-yaml.js";

const documents = (text: string) => parseManifest(text, "a.yaml").documents;
const commentsIn = (text: string) =>
  documents(text).map((document) =>
    document.commentsIn([]).map(({ path, side, text: words }) => `${side} ${formatPath(path)}: ${words}`),
  );

describe("comments", () => {
  it("refer to what is below them, or on the same line", () => {
    const text = `# What this is for
kind: X # a kind
spec:
  # in order
  ingress:
  # first
  - name: x # called x
    from:
    - a: 1
    # second peer
    - b: 2
  # last
  - name: y
`;
    expect(commentsIn(text)).toEqual([
      [
        "before : What this is for",
        "inline kind: a kind",
        "before spec.ingress: in order",
        "before spec.ingress[0]: first",
        "inline spec.ingress[0].name: called x",
        "before spec.ingress[0].from[1]: second peer",
        "before spec.ingress[1]: last",
      ],
    ]);
  });

  it("at the end of a block refer to what is above them", () => {
    const text = "spec:\n  a:\n  - x: 1\n    # of x\n  - y: 2\n# of all\n";
    expect(commentsIn(text)).toEqual([["before spec.a[0]: of x", "before : of all"]]);
  });

  it("belong to their document, also if documents cannot be read one by one", () => {
    const text = "# one\na: 1\n---\n# two\nb: 2\n";
    expect(commentsIn(text)).toEqual([["before : one"], ["before : two"]]);
    expect(commentsIn(`%YAML 1.1\n---\n${text}`)).toEqual([["before : one"], ["before : two"]]);
  });

  it("are not text that only looks like comments", () => {
    expect(commentsIn("a: '# quoted'\nb: x#y\nc: |\n  # in a block\n")).toEqual([[]]);
  });

  it("JSON has none", () => {
    expect(commentsIn('{"a": "# b"}')).toEqual([[]]);
  });

  it("are written where they were read", () => {
    const text = `# whole
kind: X # a kind
spec:
  # in order
  ingress:
    # first
    - name: x # called x
      from:
        # a peer
        - a: 1
`;
    const written = documents(text).map((document) => ({
      value: document.value as { kind: string },
      comments: document.commentsIn([]),
    }));
    expect(writeYaml(written)).toBe(text);
  });

  it("text that old YAML reads as something else is quoted", () => {
    expect(writeYaml([{ value: { a: "on", b: "8080", c: "x" }, comments: [] }])).toBe(
      'a: "on"\nb: "8080"\nc: x\n',
    );
  });
});
