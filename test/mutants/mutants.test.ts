import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, it } from "vitest";
import { compileCore, tsc } from "../compile-core.mjs";
import { isInSlice, onlyInFull } from "../slice.mjs";
import { type Mutant, mutants } from "./mutants.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(root, ".cache", "mutants");
const compiledCore = join(cache, "core");
const core = join(compiledCore, "src");
const patched = join(cache, "patched");

/** Today's: each is planted within so many days. */
const planted = mutants.filter((_, place) => isInSlice(place, 8));
const left = mutants.filter((mutant) => !planted.includes(mutant));
const numberOf = (mutant: Mutant): string => String(mutants.indexOf(mutant));
const sourceOf = ({ file }: Mutant): string => readFileSync(join(root, "packages/core/src", file), "utf8");

describe("planted bugs", () => {
  it("stand where the table says, once", () => {
    const astray = mutants.filter((mutant) => sourceOf(mutant).split(mutant.find).length !== 2);
    expect(astray.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
  });

  it("have a name each", () => {
    expect(new Set(mutants.map(keyOf)).size).toBe(mutants.length);
  });

  describe("are found by comparing random clusters", () => {
    const found = new Map<string, string>();

    beforeAll(async () => {
      rmSync(cache, { recursive: true, force: true });
      compileCore(compiledCore);
      compilePatched();
      const searches = (["engine", "evaluator", "encoder"] as const).map((wrong) => findDifferences(wrong));
      for (const faults of await Promise.all(searches))
        for (const [name, fault] of faults) found.set(name, fault);
    }, 1_200_000);

    const isFound = (mutant: Mutant): void =>
      expect(found.get(keyOf(mutant)), "nothing gave it away").toBeDefined();
    it.each(planted)("$wrong: $name", isFound);
    it.each(left)("$wrong: $name", onlyInFull, isFound);

    it("and nothing is found where no bug was planted", () => {
      expect(found.get("sound")).toBeUndefined();
    });
  });
});

const keyOf = ({ wrong, name }: Mutant): string => `${wrong}: ${name}`;

/** All patched files at once: starting the compiler takes longer than compiling. */
function compilePatched(): void {
  const files = planted.map((mutant) => {
    const file = join(patched, numberOf(mutant), mutant.file);
    mkdirSync(dirname(file), { recursive: true });
    // A function: what is put must not be read as a pattern.
    const text = sourceOf(mutant).replace(mutant.find, () => mutant.put);
    writeFileSync(file, text);
    return file;
  });
  const flags = ["--noCheck", "--noResolve", "--verbatimModuleSyntax", "--module", "nodenext"];
  tsc(["--ignoreConfig", ...flags, "--target", "es2023", "--rootDir", patched, ...files]);
}

/** Puts a mutant in a folder next to core's own, so that it imports what it does not change from there. */
function plant(mutant: Mutant): string {
  const compiled = mutant.file.replace(/\.ts$/, ".js");
  const from = join(patched, numberOf(mutant), compiled);
  if (mutant.wrong === "engine") {
    const [engine, sets] = ["engine", "sets"].map((name) => `${name}-${numberOf(mutant)}`) as [
      string,
      string,
    ];
    for (const name of ["engine", "sets"])
      cpSync(join(core, name), join(core, `${name}-${numberOf(mutant)}`), { recursive: true });
    cpSync(from, join(core, compiled.replace(/^(engine|sets)\//, `$1-${numberOf(mutant)}/`)));
    // The engine works on its own sets.
    for (const file of readdirSync(join(core, engine), { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".js")) {
        const path = join(core, engine, file);
        writeFileSync(path, readFileSync(path, "utf8").replaceAll("../sets/", `../${sets}/`));
      }
    return join(core, engine);
  }
  if (mutant.wrong === "encoder") {
    // It imports everything else from sibling folders.
    const folder = join(core, `prove-${numberOf(mutant)}`);
    cpSync(join(core, "prove"), folder, { recursive: true });
    cpSync(from, join(folder, compiled.replace(/^prove\//, "")));
    return folder;
  }
  const folder = join(cache, `core-${numberOf(mutant)}`);
  cpSync(core, folder, { recursive: true, filter: (path) => !/^(engine|sets)/.test(relative(core, path)) });
  cpSync(from, join(folder, compiled));
  return folder;
}

/** What gave away those that were found, by name. */
function findDifferences(wrong: Mutant["wrong"]): Promise<ReadonlyMap<string, string>> {
  const chosen = planted.filter((mutant) => mutant.wrong === wrong);
  const folders = new Map(chosen.map((mutant) => [keyOf(mutant), plant(mutant)]));
  const sound = { engine: join(core, "engine"), evaluator: core, encoder: join(core, "prove") }[wrong];
  return new Promise((resolve, reject) => {
    const workerData = { core, wrong, folders, sound };
    const worker = new Worker(new URL("find-difference.mjs", import.meta.url), { workerData });
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}
