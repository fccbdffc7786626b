import { describe, expect, it } from "vitest";
import { Names } from "./names.js";

describe("names of new policies", () => {
  it("are those of their policies, with a suffix that distinguishes them", () => {
    const names = new Names([]);
    expect(names.nameFor("guard", [])).toBe("guard");
    expect(names.nameFor("guard", ["2", "team-a"])).toBe("guard-2-team-a");
  });

  it("get a number where another policy has the name", () => {
    const names = new Names(["guard"].map((name) => ({ name })));
    expect([names.nameFor("guard", []), names.nameFor("guard", [])]).toEqual(["guard-2", "guard-3"]);
  });

  it("are valid, whatever the label values in them", () => {
    expect(new Names([]).nameFor("guard", ["Team_A.", ""])).toBe("guard-team-a");
    expect(new Names([]).nameFor("x".repeat(250), ["y"])).toHaveLength(240);
  });
});
