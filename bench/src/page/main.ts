import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { planCluster } from "../generate/plan.js";
import { shapes } from "../generate/shape.js";
import { snapshotOf } from "../generate/snapshot.js";
import { writeSnapshot } from "../generate/snapshot-files.js";
import { thisMachine } from "../machine.js";
import { withPart } from "../report/page-parts.js";
import { isBusy, machineText } from "../report/performance-page.js";
import { detailTable, missed, notesOf, type RowResult } from "../report/results.js";
import { markdownTable, textTable } from "../report/table.js";
import { measureFirstAnswer } from "./first-answer-row.js";
import { measureMatrix } from "./matrix-row.js";
import { chromiumPath } from "./opened-page.js";

const example = fileURLToPath(new URL("../../../examples/mixed-six-apis", import.meta.url));

const rows: Readonly<Record<string, () => Promise<Omit<RowResult, "row">>>> = {
  example: () => measureFirstAnswer(example, 5),
  "matrix/2.4k": () => withBigCluster((folder) => measureMatrix(folder)),
};

/** `npm run bench:page`, or with the name of one row. Exit status: 0 measured, whatever the figures; 2 it cannot be. */
async function main([only]: readonly string[]): Promise<number> {
  if (chromiumPath === undefined) return refuse("no chromium at hand; Debian's package is `chromium`");
  if (only !== undefined && !Object.hasOwn(rows, only))
    return refuse(`there is no row \`${only}\`; there are: ${Object.keys(rows).join(", ")}`);
  const machine = thisMachine();
  if (isBusy(machine)) talk("this machine is busy: times will say more about that than about Tierwall");
  const results: RowResult[] = [];
  for (const [row, measure] of Object.entries(rows)) {
    if (only !== undefined && row !== only) continue;
    talk(`measuring ${row} ...`);
    results.push({ row, ...(await measure()) });
  }
  console.log(`\n${textTable(detailTable(results))}\n\n${notesOf(results).join("\n")}`);
  const misses = missed(results);
  console.log(misses.length === 0 ? "\nevery bar was reached" : `\nmisses: ${misses.join(", ")}`);
  if (only === undefined) writePage(results, machineText(machine, misses), isBusy(machine));
  return 0;
}

/** 2,400 pods in 240 namespaces under 4,900 policies. */
async function withBigCluster<T>(measure: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-bench-page-"));
  try {
    writeSnapshot(join(folder, "cluster.json"), snapshotOf(planCluster(shapes["2.4k/4.8k"], 1)), "json");
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writePage(results: readonly RowResult[], machine: string, busy: boolean): void {
  const page = new URL("../../../docs/performance.md", import.meta.url);
  const text = [
    "## The page\n",
    "What `npm run bench:page` measured in one run, with chromium: the example cluster, and a generated one of 2,400 pods " +
      "under 4,900 policies, whose matrix has 5,875,776 cells. Everything is computed in the browser.\n",
    `${machine}\n`,
    markdownTable(detailTable(results)),
    "",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(busy ? ["- the machine was busy with other things: measure again when it is not"] : []),
    "- one row again: `npm run bench:page -- matrix/2.4k`",
  ].join("\n");
  writeFileSync(page, withPart(existsSync(page) ? readFileSync(page, "utf8") : "", "page", text));
  talk("wrote docs/performance.md");
}

function refuse(why: string): number {
  talk(why);
  return 2;
}

function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}

process.exitCode = await main(process.argv.slice(2));
