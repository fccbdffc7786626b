import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";
import { templates } from "./templates.js";

describe("templates", () => {
  it.each(templates)("$title: has nothing wrong with it", ({ name, text }) => {
    const { diagnostics, policies } = readState([{ file: `${name}.yaml`, text: text("shop") }]);
    expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
    expect(policies).toHaveLength(1);
  });
});
