import { describe, expect, it } from "vitest";
import { editedElements, keysToCompare } from "./equality.js";

const elements = new Map([
  ["a", "1"],
  ["b", "2"],
  ["c", "3"],
]);

describe("edited elements", () => {
  const edited = editedElements(
    elements,
    new Map([
      ["a", "9"],
      ["b", undefined],
      ["d", "4"],
    ]),
  );

  it("hold what was changed, and the rest as it was", () => {
    expect(new Map(edited)).toEqual(
      new Map([
        ["a", "9"],
        ["c", "3"],
        ["d", "4"],
      ]),
    );
    expect([edited.size, edited.has("b"), edited.get("a")]).toEqual([3, false, "9"]);
    expect(elements.get("b")).toBe("2");
  });

  it("are compared with those they were made from where they differ only", () => {
    expect([...keysToCompare(elements, edited)]).toEqual(["a", "b", "d"]);
  });

  it("are compared with any others key by key", () => {
    expect([...keysToCompare(new Map(elements), edited)].toSorted()).toEqual(["a", "b", "c", "d"]);
    const again = editedElements(edited, new Map([["e", "5"]]));
    expect([...keysToCompare(elements, again)].toSorted()).toEqual(["a", "b", "c", "d", "e"]);
  });
});
