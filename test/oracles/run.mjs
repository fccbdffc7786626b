// `npm run test:oracles`: compares Tierwall's verdicts with those of other implementations of network policy, on random clusters.
// npm run test:oracles -- --judge cilium --clusters 500 --seed 7

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { install, requireNode, root, run, say } from "../../scripts/prepare.mjs";
import { compileCore } from "../compile-core.mjs";
import { comparison } from "./compare.mjs";
import { JudgeProcess } from "./judge-process.mjs";
import { judges } from "./judges.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: new Date().toISOString().slice(0, 10).replaceAll("-", "") },
    clusters: { type: "string", default: "2000" },
    judge: { type: "string" },
  },
});
const chosen = judges.filter(({ name }) => name === (values.judge ?? name));
if (chosen.length === 0) {
  say(`unknown judge \`${values.judge}\`; known: ${judges.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
requireNode();
if (!install()) process.exit(1);
if (run("go", ["version"]).status !== 0) {
  say("SKIPPED: the judges are Go programs, and there is no `go` on this machine");
  console.log(`0 passed, 0 failed, ${chosen.length} skipped`);
  process.exit(process.env.CI === "true" ? 1 : 0);
}
const cache = join(root, ".cache", "oracles");
const core = join(cache, "core");
compileCore(core);
const { anyScenario } = await import(pathToFileURL(join(core, "testing", "arbitrary", "scenario.js")).href);
const { formatCase } = await import(pathToFileURL(join(core, "testing", "kept-case.js")).href);

/** How many clusters are compared before the next seed. */
const portionSize = 20;

let failed = 0;
for (const judge of chosen) {
  const program = build(judge.name);
  if (program === undefined || !(await holds(judge, program))) failed++;
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function build(name) {
  const program = join(cache, name);
  say(`building the judge ${name}; the first time this takes minutes`);
  const { status } = run("go", ["build", "-o", program, "."], {
    cwd: join(root, "test", "oracles", name),
    stdio: "inherit",
  });
  return status === 0 ? program : undefined;
}

async function holds(judge, program) {
  const start = performance.now();
  const process = new JudgeProcess(program);
  const compare = await comparison(core, judge, process);
  const choices = { kinds: judge.kinds, complete: true, unknowable: false, conditions: false, maxLength: 6 };
  let compared = 0;
  let differing = 0;
  const rejected = new Map();
  /** Each portion is shrunk by itself, so that one run finds several differences. */
  for (let portion = 0; portion * portionSize < Number(values.clusters); portion++) {
    let differences = [];
    const agree = fc.asyncProperty(anyScenario(choices), async (scenario) => {
      const result = await compare(scenario);
      compared += result.compared;
      if (result.rejected !== undefined) count(rejected, reasonOf(result.rejected));
      // Of the last one that fails, which is the smallest.
      if (result.differences.length > 0) differences = result.differences;
      return result.differences.length === 0;
    });
    const seed = Number(values.seed) + portion * 1_000_003;
    const { counterexample, errorInstance } = await fc.check(agree, { seed, numRuns: portionSize });
    if (counterexample === null) continue;
    // Without a difference, the comparison itself failed.
    if (differences.length === 0) differences = [String(errorInstance)];
    differing++;
    keep(`${judge.name}-${seed}`, counterexample[0], differences);
  }
  process.close();
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  say(
    `${judge.title}: ${compared} verdicts on ${values.clusters} clusters in ${seconds} s, ${differing} differences`,
  );
  for (const [reason, count] of [...rejected].toSorted((a, b) => b[1] - a[1]).slice(0, 8))
    say(`  rejected ${count} clusters: ${reason}`);
  return differing === 0 && compared > 0;
}

function count(map, key) {
  map.set(key, (map.get(key) ?? 0) + 1);
}

/** Without the names of objects. */
function reasonOf(text) {
  return text.replaceAll(/'[^']*'|"[^"]*"/g, "…");
}

function keep(name, scenario, differences) {
  const folder = join(cache, "found");
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, formatCase({ scenario, complaint: differences.join("\n") }));
  say(`  ${differences[0]} (${differences.length} in ${file})`);
}
