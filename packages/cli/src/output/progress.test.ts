import { describe, expect, it } from "vitest";
import { Progress } from "./progress.js";

/** A terminal with a clock that is set by hand, and what it shows. */
function terminal(isTTY = true) {
  const written: string[] = [];
  const clock = { now: 1_000_000 };
  const screen = { isTTY, columns: 60, write: (text: string) => written.push(text) };
  const progress = new Progress(screen, () => clock.now);
  const clear = `\r${String.fromCharCode(27)}[K`;
  return { progress, clock, shown: () => written.map((text) => text.replaceAll(clear, "<clear>")) };
}

describe("progress", () => {
  it("says how far reading has come, on one line, and goes away", () => {
    const { progress, clock, shown } = terminal();
    clock.now += 600;
    progress.bytesRead("pods.json", 120_000_000, 430_000_000);
    clock.now += 200;
    progress.objectsRead(28_000);
    progress.end();
    expect(shown()).toEqual([
      "<clear>reading pods.json: ▰▰▱▱▱▱▱▱▱▱ 120 of 430 MB, 0 objects",
      "<clear>reading pods.json: ▰▰▱▱▱▱▱▱▱▱ 120 of 430 MB, 28,000 objects",
      "<clear>",
    ]);
  });

  it("of standard input does not know how much there is", () => {
    const { progress, clock, shown } = terminal();
    clock.now += 600;
    progress.bytesRead("<stdin>", 120_000_000, undefined);
    expect(shown()).toEqual(["<clear>reading <stdin>: 120 MB, 0 objects"]);
  });

  it("is not shown when reading takes less than half a second", () => {
    const { progress, clock, shown } = terminal();
    clock.now += 400;
    progress.objectsRead(500);
    progress.end();
    expect(shown()).toEqual([]);
  });

  it("is not rewritten faster than it can be read", () => {
    const { progress, clock, shown } = terminal();
    clock.now += 600;
    for (const objects of [500, 1000, 1500]) progress.objectsRead(objects);
    expect(shown()).toEqual(["<clear>reading 500 objects"]);
  });

  it("is not shown where there is no terminal", () => {
    const { progress, clock, shown } = terminal(false);
    clock.now += 600;
    progress.objectsRead(500);
    progress.end();
    expect(shown()).toEqual([]);
  });

  it("stays on one line, and obeys nothing that a file is called", () => {
    const { progress, clock, shown } = terminal();
    clock.now += 600;
    progress.bytesRead(`${String.fromCharCode(27)}c${"long".repeat(20)}`, 1, 1);
    expect(shown()[0]).toBe(`<clear>reading \\u001bc${"long".repeat(20)}`.slice(0, 59 + "<clear>".length));
  });
});
