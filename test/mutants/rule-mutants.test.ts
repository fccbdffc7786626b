import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type {
  Asking,
  everyWorld,
  faultOfAnswers,
  judged,
} from "../../packages/core/testing/rule-agreement.js";
import type { anySmallPolicies, stateOfPolicies } from "../../packages/core/testing/small-policies.js";
import { compileCore, tsc } from "../compile-core.mjs";
import { isInSlice, onlyInFull } from "../slice.mjs";
import { type RuleMutant, ruleMutants } from "./rule-mutants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, ".cache", "rule-mutants");
const core = join(cache, "core");
const sourceOf = ({ file }: RuleMutant): string =>
  readFileSync(join(root, "packages/core/src/prove/rules", file), "utf8");
const planted = ruleMutants.filter((_, place) => isInSlice(place, 4));
const left = ruleMutants.filter((mutant) => !planted.includes(mutant));

interface Exam {
  readonly everyWorld: typeof everyWorld;
  readonly faultOfAnswers: typeof faultOfAnswers;
  readonly judged: typeof judged;
  readonly anySmallPolicies: typeof anySmallPolicies;
  readonly stateOfPolicies: typeof stateOfPolicies;
}

const load = async <T>(...path: readonly string[]): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(core, ...path)).href)) as T;

/** A folder next to prove/rules, so that it imports everything else from where the original does. */
function plant(mutant: RuleMutant): string {
  const folder = `rules-${ruleMutants.indexOf(mutant)}`;
  const patched = join(cache, "patched", folder, mutant.file);
  mkdirSync(join(patched, ".."), { recursive: true });
  // A function: the text must not be read as a pattern.
  writeFileSync(
    patched,
    sourceOf(mutant).replace(mutant.find, () => mutant.put),
  );
  const flags = ["--noCheck", "--noResolve", "--verbatimModuleSyntax", "--module", "nodenext"];
  tsc(["--ignoreConfig", ...flags, "--target", "es2023", patched]);
  cpSync(join(core, "src/prove/rules"), join(core, "src/prove", folder), { recursive: true });
  const compiled = mutant.file.replace(/\.ts$/, ".js");
  cpSync(patched.replace(/\.ts$/, ".js"), join(core, "src/prove", folder, compiled));
  return folder;
}

describe("planted bugs in the questions about rules", () => {
  it("are where the table says, once", () => {
    const astray = ruleMutants.filter((mutant) => sourceOf(mutant).split(mutant.find).length !== 2);
    expect(astray.map(({ name }) => name)).toEqual([]);
  });

  describe("are found by comparing answers with the evaluator", () => {
    let faultIn: (folder: string) => Promise<string | undefined>;

    beforeAll(async () => {
      rmSync(cache, { recursive: true, force: true });
      compileCore(core);
      const exam = {
        ...(await load<Pick<Exam, "everyWorld" | "faultOfAnswers" | "judged">>("testing/rule-agreement.js")),
        ...(await load<Pick<Exam, "anySmallPolicies" | "stateOfPolicies">>("testing/small-policies.js")),
      };
      const worlds = exam.everyWorld().map(exam.judged);
      const samples = fc
        .sample(exam.anySmallPolicies(), { seed: 1, numRuns: 150 })
        .map((policies) => exam.stateOfPolicies(policies));
      faultIn = async (folder) => {
        const asking = await load<Asking>("src/prove", folder, "index.js");
        for (const state of samples) {
          const fault = exam.faultOfAnswers(asking, state, worlds);
          if (fault !== undefined) return fault;
        }
        return undefined;
      };
    }, 600_000);

    const isFound = async (mutant: RuleMutant): Promise<void> =>
      expect(await faultIn(plant(mutant)), "nothing shows it").toBeDefined();
    it.each(planted)("$name", isFound);
    it.each(left)("$name", onlyInFull, isFound);

    it("and nothing is found where no bug was planted", async () => {
      expect(await faultIn("rules")).toBeUndefined();
    });
  });
});
