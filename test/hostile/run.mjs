// `npm run test:hostile`: the attacks of docs/explanation/threat-model.md, each against the real thing, in full. `npm test` has a slice of them.
// FUZZ_RUNS=5000 npm run test:hostile makes the random ones longer.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bin, build, install, requireNode, root, run } from "../../scripts/prepare.mjs";

requireNode();
if (!install() || !build()) process.exit(1);
run(process.execPath, ["scripts/kube-binaries.mjs"], { stdio: "inherit" });
const page = readFileSync(join(root, "docs", "explanation", "threat-model.md"), "utf8");
const cited = [...page.matchAll(/\b(?:packages|test)\/[\w./-]+\.test\.ts/g)].map(([file]) => file);
const files = [...new Set(["test/hostile", ...cited])];
process.exitCode = run(bin("vitest"), ["run", ...files], { stdio: "inherit" }).status ?? 1;
