import { describe, expect, it } from "vitest";
import { warningLines } from "./warning-lines.js";

const named = (about: "lockout" | "denied" | "allowed", text: string = about) => ({ about, text });

describe("what kubectl prints", () => {
  it("has what matters most first, and what is said besides last", () => {
    expect(warningLines([named("allowed"), named("denied"), named("lockout")], ["besides"])).toEqual([
      "lockout",
      "denied",
      "allowed",
      "besides",
    ]);
  });

  it.each([
    ["a line that is too long is cut", "x".repeat(300), `${"x".repeat(255)}…`],
    ["one that just fits is not", "x".repeat(256), "x".repeat(256)],
    ["nor is a character cut through the middle", `${"x".repeat(254)}😀😀`, `${"x".repeat(254)}…`],
    ["a line stays one", "a\nb\r\n\tc", "a b c"],
  ])("%s", (_, text, wanted) => {
    expect(warningLines([], [text])).toEqual([wanted]);
  });

  it("ends where nobody would read on", () => {
    expect(
      warningLines(
        [],
        Array.from({ length: 20 }, (_, i) => `line ${i}`),
      ),
    ).toHaveLength(8);
    const long = warningLines(
      [],
      Array.from({ length: 20 }, () => "x".repeat(300)),
    );
    expect(long.join("").length).toBeLessThanOrEqual(2048);
  });
});
