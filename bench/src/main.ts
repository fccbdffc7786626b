import { writeFileSync } from "node:fs";
import { helpText, type Options, readArguments } from "./arguments.js";
import { CaseFailed, runCase } from "./case-process.js";
import { thisMachine } from "./machine.js";
import { curveSvg } from "./report/curve-svg.js";
import { curveFile, isBusy, type Machine, performancePage, proofsPage } from "./report/performance-page.js";
import { type MeasuredPage, measuredPages, pageText, pathOf } from "./report/measured-page.js";
import { bulkTable, detailTable, missed, notesOf, resultJson, type RowResult } from "./report/results.js";
import { textTable } from "./report/table.js";
import { type Row, rows } from "./rows.js";

/** Exit status: 0 measured, whatever the figures; 1 something crashed; 2 bad arguments. */
function main(args: readonly string[]): number {
  const names = rows.map(({ name }) => name);
  const read = readArguments(args, names);
  switch (read.kind) {
    case "help":
      print(helpText(names));
      return 0;
    case "mistake":
      talk(`${read.message}\n(see --help)`);
      return 2;
    case "run":
      return measureRows(read.options);
  }
}

function measureRows({ only, output, seed }: Options): number {
  const wanted = rows.filter(({ name }) => only === undefined || name === only);
  const machine = thisMachine();
  if (isBusy(machine)) talk("this machine is busy: times will say more about that than about Tierwall");
  const results: RowResult[] = [];
  for (const row of wanted) {
    talk(`measuring ${row.name} ...`);
    const result = measureRow(row, seed);
    if (result === undefined) continue;
    results.push(result);
    if (output === "json") print(JSON.stringify(resultJson(result)));
  }
  if (output === "table") printTables(results);
  const crashed = wanted.length - results.length;
  if (crashed > 0) talk(`crashed: ${crashed} of ${wanted.length} rows`);
  else writePages(results, machine, only === undefined);
  return crashed > 0 ? 1 : 0;
}

function measureRow({ name, measure }: Row, seed: number): RowResult | undefined {
  try {
    return { row: name, ...measure(runCase, seed) };
  } catch (error) {
    if (!(error instanceof CaseFailed)) throw error;
    talk(`${name}: ${error.message}`);
    return undefined;
  }
}

function printTables(results: readonly RowResult[]): void {
  for (const table of [bulkTable(results), detailTable(results)])
    if (table.rows.length > 0) print(`\n${textTable(table)}`);
  const notes = notesOf(results);
  if (notes.length > 0) print(`\n${notes.join("\n")}`);
  const misses = missed(results);
  print(misses.length === 0 ? "\nevery bar was reached" : `\nmisses: ${misses.join(", ")}`);
}

/** A page is about one run of all its rows: rows of different days would not go together. */
function writePages(results: readonly RowResult[], machine: Machine, isComplete: boolean): void {
  const isProof = ({ row }: RowResult) => row === "prove";
  const [proofs, others] = [results.filter(isProof), results.filter((result) => !isProof(result))];
  const write = (page: MeasuredPage, text: string) => {
    writeFileSync(new URL(`${page}.md`, measuredPages), pageText(page, text));
    talk(`wrote ${pathOf(page)}`);
  };
  if (proofs.length > 0) write("proofs", proofsPage(proofs, machine));
  if (!isComplete) return;
  write("engine", performancePage(others, machine));
  const curve = results.find((result) => result.curve !== undefined)?.curve;
  if (curve !== undefined) writeFileSync(new URL(curveFile, measuredPages), curveSvg(curve));
}

/** Data goes to stdout, messages to stderr. */
function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}

process.exitCode = main(process.argv.slice(2));
