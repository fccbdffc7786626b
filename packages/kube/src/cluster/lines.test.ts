import { expect, it } from "vitest";
import { linesIn } from "./lines.js";

const cases: readonly [what: string, chunks: readonly string[], lines: readonly string[]][] = [
  ["nothing", [], []],
  ["a line in one piece", ["a\n"], ["a"]],
  ["several in one piece", ["a\nb\n\nc\n"], ["a", "b", "", "c"]],
  ["a line in pieces", ["a", "b", "c\nd", "\n"], ["abc", "d"]],
  ["a line that was cut off", ["a\nb"], ["a"]],
];

it.each(cases)("%s", async (_, chunks, lines) => {
  expect(await collected(chunks.map((text) => Buffer.from(text)))).toEqual(lines);
});

it("a character in two pieces", async () => {
  const bytes = Buffer.from("grün\n");
  expect(await collected([bytes.subarray(0, 3), bytes.subarray(3)])).toEqual(["grün"]);
});

async function collected(chunks: readonly Buffer[]): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const line of linesIn(streamOf(chunks))) found.push(line);
  return found;
}

async function* streamOf(chunks: readonly Buffer[]): AsyncIterable<Buffer> {
  for (const chunk of chunks) yield await Promise.resolve(chunk);
}
