import { readGuarantees } from "@tierwall/core/prove";
import { describe, expect, it } from "vitest";
import { guaranteeTemplates } from "./templates.js";

describe("templates of guarantees", () => {
  it.each(guaranteeTemplates)("$title: has no mistakes", ({ name, text }) => {
    const { guarantees, diagnostics } = readGuarantees(text("shop"), `${name}.yaml`);
    expect(diagnostics).toEqual([]);
    expect(guarantees).toHaveLength(1);
  });
});
