import { expect, test } from "vitest";
import type { CaseName, Run } from "./cases/cases.js";
import { rows } from "./rows.js";

/** Measures nothing: every case takes the given seconds. */
function fakeRun(seconds: Readonly<Record<string, number>>) {
  const asked: { readonly name: CaseName; readonly input: unknown }[] = [];
  const run = ((name: CaseName, input: { over?: string }) => {
    asked.push({ name, input });
    const taken = seconds[input.over ?? name] ?? 1;
    return { seconds: taken, megabytes: 100, pairs: 1000, timed: 10, verdictMicroseconds: taken };
  }) as Run;
  return { run, asked };
}

const row = (name: string) => rows.find((found) => found.name === name)!;

test("the rows, by the names that `--only` takes", () => {
  expect(rows.map(({ name }) => name)).toEqual([
    "1k/1k",
    "2.4k/4.8k",
    "10k/1k",
    "100k/10k",
    "1M/10k",
    "adversarial/10k",
    "verdicts",
    "edits/10k",
    "edits/100k",
    "json/100k",
    "yaml/100k",
    "growth",
    "prove",
  ]);
});

test("a gain is the time of the slow way over ours", () => {
  const { run } = fakeRun({ answer: 0.5, pods: 1000, workloads: 10 });
  const { figures, notes } = row("10k/1k").measure(run, 1);
  expect(figures.map(({ what, measured }) => [what, measured])).toEqual([
    ["time", 0.5],
    ["memory", 100],
    ["against naive", 2000],
    ["against workloads", 20],
  ]);
  expect(notes).toEqual([
    "naive was timed on 10 of 1,000 pairs, and scaled",
    "workloads was timed on 10 of 1,000 pairs, and scaled",
  ]);
});

test.each([
  ["10k/1k", 3],
  ["100k/10k", 1],
  ["1M/10k", 1],
])("%s is answered %i times, each from cold", (name, times) => {
  const { run, asked } = fakeRun({});
  row(name).measure(run, 1);
  expect(asked.filter((one) => one.name === "answer")).toHaveLength(times);
});

test("growth: proportional cost has the power 1, and quadratic cost misses", () => {
  const withCost = (cost: (replicas: number) => number) => {
    const run = ((_: CaseName, { shape }: { shape: { replicas: number } }) => ({
      seconds: cost(shape.replicas),
      megabytes: 1,
    })) as unknown as Run;
    return row("growth").measure(run, 1).figures[0]!.measured;
  };
  expect(withCost((n) => n)).toBeCloseTo(1);
  expect(withCost((n) => n * n)).toBeCloseTo(2);
});
