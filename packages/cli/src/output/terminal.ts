import { randomInt } from "node:crypto";
import type { Style } from "@tierwall/core";
import { fitted, visible, visibleLines } from "@tierwall/core/report";
import pc from "picocolors";
import { isLongerThan, page } from "./pager.js";

/** Colour on a terminal that shows it, or where FORCE_COLOR asks for it; none with NO_COLOR. */
export function styleFor(stream: { readonly isTTY?: boolean }): Style {
  const { NO_COLOR: none = "", FORCE_COLOR: forced = "" } = process.env;
  const shown = forced === "" ? stream.isTTY === true && pc.isColorSupported : forced !== "0";
  return none === "" && shown ? coloured : uncoloured;
}

/*
 * Colours are written with a number that is new in every process, `ESC[483920411;32m`, and only what carries it reaches the
 * terminal as a colour, `ESC[32m`. A name from a manifest cannot know the number: whatever it holds is printed as an escape.
 */

const escape = String.fromCharCode(27);
const secret = randomInt(2 ** 47);
const ownColours = new RegExp(`${escape}\\[${secret};(\\d+)m`, "g");

function paint(on: number, off: number): (text: string) => string {
  const [start, end] = [on, off].map((code) => `${escape}[${secret};${code}m`);
  return (text) => `${start}${text}${end}`;
}

const coloured: Style = {
  bold: paint(1, 22),
  dim: paint(2, 22),
  good: paint(32, 39),
  bad: paint(31, 39),
  unsure: paint(33, 39),
};

const plain = (text: string): string => text;
const uncoloured: Style = { bold: plain, dim: plain, good: plain, bad: plain, unsure: plain };

/** What a terminal may show of a report: its lines, its tabs and our own colours; everything else is visible. */
export function forTerminal(report: string): string {
  let text = "";
  let end = 0;
  for (const found of report.matchAll(ownColours)) {
    text += `${visibleLines(report.slice(end, found.index))}${escape}[${found[1]!}m`;
    end = found.index + found[0].length;
  }
  return text + visibleLines(report.slice(end));
}

/** Data, on stdout: a report of any number of lines. */
export function print(report: string): void {
  write(process.stdout, `${report}\n`);
}

/** A report for people, on stdout: within 80 columns unless `-o wide` asks for lines as long as they are. */
export function printText(report: string): void {
  print(isWide ? report : fitted(report, textColumns));
}

const textColumns = 80;

let isWide = false;

export function setWide(wide: boolean): void {
  isWide = wide;
}

/** How many columns of a quoted line are shown, after its number. */
export const quotedColumns = (): number | undefined => (isWide ? undefined : textColumns - 10);

/** The same, where the report ends its last line itself. */
export function printWhole(report: string): void {
  write(process.stdout, report);
}

/** A message, on stderr: each argument is one line, or more on a narrow terminal, whatever is in it. */
export function printMessage(...lines: readonly string[]): void {
  printToStderr(lines.map((line) => visible(line)).join("\n"));
}

/** A report, on stderr: diagnostics in full, say. On a terminal it is wrapped; a log or a script gets whole lines. */
export function printToStderr(report: string): void {
  const { isTTY, columns } = process.stderr;
  write(process.stderr, `${isTTY && !isWide ? fitted(report, terminalColumns(columns)) : report}\n`);
}

/** Some terminals say that they have no columns at all. */
const terminalColumns = (columns: number | undefined): number =>
  columns === undefined || columns < 40 ? textColumns : Math.min(columns, 120);

/** Whether there is still a reader. */
export const isRead = (stream: NodeJS.WriteStream): boolean => stream.errored === null && stream.writable;

function write(stream: NodeJS.WriteStream, text: string): void {
  if (held !== undefined) held.push([stream, forTerminal(text)]);
  else if (isRead(stream)) stream.write(forTerminal(text));
}

/** What waits for the end of the command, to be shown by a pager. */
let held: [NodeJS.WriteStream, string][] | undefined;

/** From here on nothing is written until `showHeld`. */
export function holdOutput(): void {
  held = [];
}

/** Writes what was held: data through the pager where it is longer than the screen, and messages after it. */
export async function showHeld(pager: string): Promise<void> {
  const waiting = held ?? [];
  held = undefined;
  const data = waiting.flatMap(([stream, text]) => (stream === process.stdout ? [text] : [])).join("");
  const isShown = isLongerThan(data, process.stdout.rows) && (await page(data, pager));
  for (const [stream, text] of waiting)
    if (!(isShown && stream === process.stdout) && isRead(stream)) stream.write(text);
}

/**
 * Readers like `head` stop reading when they have enough. That is not an error, and no reason to stop: the work goes on,
 * without a reader, and the exit status stays the same. A disk that is full is an error. Returns whether there was one.
 */
export function watchOutput(): () => boolean {
  let failed = false;
  const watch = (stream: NodeJS.WriteStream, name: string) =>
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return;
      failed = true;
      printMessage(`${name} cannot be written: ${error.message}`);
    });
  watch(process.stdout, "stdout");
  watch(process.stderr, "stderr");
  return () => failed;
}
