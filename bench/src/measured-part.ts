import { writeFileSync } from "node:fs";
import { thisMachine } from "./machine.js";
import { type MeasuredPage, measuredPages, pageText, pathOf } from "./report/measured-page.js";
import { isBusy, type Machine, machineText } from "./report/performance-page.js";
import { detailTable, missed, notesOf, type RowResult } from "./report/results.js";
import { markdownTable, textTable } from "./report/table.js";

/** Rows that are measured by a command of their own, which writes a page about them. */
export interface MeasuredPart {
  readonly name: MeasuredPage;
  readonly command: string;
  readonly title: string;
  /** What was measured, behind the command. */
  readonly about: string;
  readonly rows: Readonly<Record<string, () => Promise<Omit<RowResult, "row">>>>;
}

/** All rows, or the one that is asked for. Answers with the exit status: 0 measured, whatever the figures; 2 it cannot be. */
export async function measurePart(part: MeasuredPart, [only]: readonly string[]): Promise<number> {
  if (only !== undefined && !Object.hasOwn(part.rows, only))
    return refuse(`there is no row \`${only}\`; there are: ${Object.keys(part.rows).join(", ")}`);
  const machine = thisMachine();
  if (isBusy(machine)) talk("this machine is busy: times will say more about that than about Tierwall");
  const results: RowResult[] = [];
  for (const [row, measure] of Object.entries(part.rows)) {
    if (only !== undefined && row !== only) continue;
    talk(`measuring ${row} ...`);
    results.push({ row, ...(await measure()) });
  }
  console.log(`\n${textTable(detailTable(results))}\n\n${notesOf(results).join("\n")}`);
  const misses = missed(results);
  console.log(misses.length === 0 ? "\nevery bar was reached" : `\nmisses: ${misses.join(", ")}`);
  // The page is about one run of everything: rows of different days would not go together.
  if (only === undefined) writePage(part, results, machine);
  return 0;
}

function writePage(
  { name, command, title, about, rows }: MeasuredPart,
  results: readonly RowResult[],
  machine: Machine,
): void {
  const busy = ["- the machine was busy with other things: measure again when it is not"];
  const text = [
    `# ${title}\n`,
    `What \`${command}\` measured in one run${about}\n`,
    `${machineText(machine, missed(results))}\n`,
    markdownTable(detailTable(results)),
    "",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(isBusy(machine) ? busy : []),
    ...(results.length > 1 ? [`- one row again: \`${command} -- ${Object.keys(rows)[0]}\``] : []),
  ].join("\n");
  writeFileSync(new URL(`${name}.md`, measuredPages), pageText(name, text));
  talk(`wrote ${pathOf(name)}`);
}

export function refuse(why: string): number {
  talk(why);
  return 2;
}

export function talk(text: string): void {
  process.stderr.write(`${text}\n`);
}
