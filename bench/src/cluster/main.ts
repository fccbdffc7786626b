import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Shape, shapes } from "../generate/shape.js";
import { thisMachine } from "../machine.js";
import { isBusy, machineText } from "../report/performance-page.js";
import { withPart } from "../report/page-parts.js";
import { detailTable, missed, notesOf, type RowResult } from "../report/results.js";
import { markdownTable, textTable } from "../report/table.js";
import { measureController } from "./controller-row.js";

/** 10,000 pods, 1,000 NetworkPolicies, and ten policies of the whole cluster with 1 to 25 rules each. */
const shape: Shape = { ...shapes["10k/1k"], clusterPolicies: 10 };
const seed = 1;

/** `npm run bench:cluster`. Exit status: 0 measured, whatever the figures. */
async function main(): Promise<void> {
  const machine = thisMachine();
  if (isBusy(machine)) talk("this machine is busy: times will say more about that than about Tierwall");
  const results: readonly RowResult[] = [
    { row: "controller", ...(await measureController(shape, seed, talk)) },
  ];
  console.log(`\n${textTable(detailTable(results))}\n\n${notesOf(results).join("\n")}`);
  writePage(results, machineText(machine, missed(results)), isBusy(machine));
}

function writePage(results: readonly RowResult[], machine: string, busy: boolean): void {
  const page = new URL("../../../docs/performance.md", import.meta.url);
  const text = [
    "## The controller\n",
    "What `npm run bench:cluster` measured in one run: `tierwall controller` on a real API server and etcd, on the same machine " +
      "as both, with a generated cluster of 10,000 pods, 1,000 NetworkPolicies and 10 ClusterNetworkPolicies.\n",
    `${machine}\n`,
    markdownTable(detailTable(results)),
    "",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(busy ? ["- the machine was busy with other things: measure again when it is not"] : []),
  ].join("\n");
  writeFileSync(page, withPart(existsSync(page) ? readFileSync(page, "utf8") : "", "cluster", text));
  talk("wrote docs/performance.md");
}

function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}

await main();
