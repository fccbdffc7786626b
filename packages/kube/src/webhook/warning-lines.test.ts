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
    ["a line stays one", "a\nb\r\n\tc", "a\\nb\\r\\n\\tc"],
  ])("%s", (_, text, wanted) => {
    expect(warningLines([], [text])).toEqual([wanted]);
  });

  it("has a limit, and counts the rest", () => {
    const lines = (count: number, text: string) =>
      warningLines(
        [],
        Array.from({ length: count }, (_, i) => `${text} ${i}`),
      );
    expect(lines(8, "line")).toHaveLength(8);
    expect(lines(8, "line").at(-1)).toBe("line 7");
    const many = lines(20, "line");
    expect(many).toHaveLength(8);
    expect(many.at(-2)).toBe("line 6");
    expect(many.at(-1)).toBe("and 13 more; `tierwall preview` and `tierwall validate` show all");
    const long = lines(20, "x".repeat(300));
    expect(long.join("").length).toBeLessThanOrEqual(2048);
    expect(long.at(-1)).toMatch(/^and 13 more;/);
  });
});
