import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { thisMachine } from "../machine.js";
import { type Shape, shapes } from "../generate/shape.js";
import { isBusy, machineText } from "../report/performance-page.js";
import { withPart } from "../report/page-parts.js";
import { detailTable, missed, notesOf, type RowResult } from "../report/results.js";
import { markdownTable, textTable } from "../report/table.js";
import { measureAgent } from "./agent-row.js";
import { measureBaselineDeny, measureChanges } from "./changes-row.js";
import { measureTraffic } from "./traffic-row.js";

/** 1,000 NetworkPolicies, and ten policies of the whole cluster with 1 to 100 rules each. */
const shape: Shape = { ...shapes["10k/1k"], clusterPolicies: 10 };

const rows: Readonly<Record<string, () => Promise<Omit<RowResult, "row">>>> = {
  traffic: () => measureTraffic(shape, seed, { nodes: 5, rounds: 12 }),
  changes: () => measureChanges(shape, seed),
  "deny-all/100k": () => measureBaselineDeny(shapes["100k/10k"], seed),
  agent: () => measureAgent(shape, seed),
};

const seed = 1;

/** `npm run bench:dataplane`, or with the name of one row. Exit status: 0 measured, whatever the figures; 2 it cannot be. */
async function main([only]: readonly string[]): Promise<number> {
  if (process.getuid?.() !== 0) return refuse("network namespaces and nftables need root");
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

function writePage(results: readonly RowResult[], machine: string, busy: boolean): void {
  const page = new URL("../../../docs/performance.md", import.meta.url);
  const text = [
    "## The dataplane\n",
    "What `npm run bench:dataplane` measured in one run, as root, with nft and a C compiler at hand: a generated cluster of " +
      "10,000 pods, 1,000 NetworkPolicies and 10 ClusterNetworkPolicies of 1 to 100 rules, dual stack, 110 of the pods on the " +
      "node, a counter for every rule. *Share of the rate* compares with a ruleset that only accepts established " +
      "connections, in the same round and on the same wires, by the time that the processor spends; the client and the server are pods of the node, so that both directions are " +
      "judged there.\n",
    `${machine}\n`,
    markdownTable(detailTable(results)),
    "",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(busy ? ["- the machine was busy with other things: measure again when it is not"] : []),
    "- one row again: `npm run bench:dataplane -- traffic`",
  ].join("\n");
  writeFileSync(page, withPart(existsSync(page) ? readFileSync(page, "utf8") : "", "dataplane", text));
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
