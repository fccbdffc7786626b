import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Prover, readGuarantees, runGuarantee } from "@tierwall/core/prove";
import { readState } from "@tierwall/core/state";
import { describe, expect, it } from "vitest";

const examples = fileURLToPath(new URL("../examples/", import.meta.url));
const folders = readdirSync(examples).filter((name) => name.startsWith("guarantees-"));

describe.each(folders)("examples/%s", (folder) => {
  const source = (file: string) => ({ file, text: readFileSync(join(examples, folder, file), "utf8") });
  const state = readState([source("policies.yaml")]);
  const prover = new Prover(state);
  const resultsIn = (file: string) => {
    const { guarantees, diagnostics } = readGuarantees(source(file).text, file);
    expect(diagnostics).toEqual([]);
    return guarantees.map((guarantee) => {
      expect(guarantee.given.map(({ path }) => path)).toEqual(["policies.yaml"]);
      const { proof } = runGuarantee(prover, state, guarantee, {});
      return `${guarantee.name}: ${proof?.result}`;
    });
  };

  it("what holds is proven, and what does not is refuted by a cluster that the evaluator confirms", () => {
    const [proven, refuted] = [resultsIn("holds.yaml"), resultsIn("refuted.yaml")];
    expect(proven.filter((text) => !text.endsWith(": Proven"))).toEqual([]);
    expect(refuted.filter((text) => !text.endsWith(": Refuted"))).toEqual([]);
    expect(Math.min(proven.length, refuted.length)).toBeGreaterThan(0);
  });

  it("says what it shows", () => {
    expect(source("README.md").text).toMatch(/^# \S/);
  });
});
