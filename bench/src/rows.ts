import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Run } from "./cases/cases.js";
import { planCluster } from "./generate/plan.js";
import { grown, podCount, type Shape, shapes } from "./generate/shape.js";
import { type FormatName, writeSnapshot } from "./generate/snapshot-files.js";
import { snapshotOf } from "./generate/snapshot.js";
import { type Figure, median, quantile } from "./report/figure.js";
import type { RowResult } from "./report/results.js";

/** One row of the table: what is measured, and its bars. */
export interface Row {
  readonly name: string;
  readonly measure: (run: Run, seed: number) => Omit<RowResult, "row">;
}

export const rows: readonly Row[] = [
  bulk("1k/1k", { seconds: 0.45, megabytes: 200, naive: 8 }),
  bulk("2.4k/4.8k", { seconds: 1, megabytes: 300, naive: 50 }),
  bulk("10k/1k", { seconds: 0.75, megabytes: 300, naive: 500, workloads: 5 }),
  bulk("100k/10k", { seconds: 3.5, megabytes: 900, naive: 7000, workloads: 70 }),
  bulk("1M/10k", { seconds: 28, megabytes: 5000 }),
  bulk("adversarial/10k", { seconds: 9, megabytes: 1000 }, 2),
  { name: "verdicts", measure: measureVerdicts },
  edits("edits/10k", shapes["10k/1k"], { clusterPolicy: 500 }),
  edits("edits/100k", shapes["100k/10k"]),
  reading("json/100k", "json", 8),
  reading("yaml/100k", "yaml", 20),
  { name: "growth", measure: measureGrowth },
  { name: "prove", measure: measureProofs },
];

interface BulkBars {
  readonly seconds: number;
  readonly megabytes: number;
  /** How many times faster than the literal evaluator. */
  readonly naive?: number;
  readonly workloads?: number;
}

function bulk(name: keyof typeof shapes, bars: BulkBars, workers = 1): Row {
  const shape: Shape = shapes[name];
  const measure = (run: Run, seed: number): Omit<RowResult, "row"> => {
    // What takes seconds is measured once: three times would add nothing.
    const repeats = podCount(shape) <= 10_000 ? 3 : 1;
    const runs = Array.from({ length: repeats }, () => run("answer", { shape, seed, workers }));
    const seconds = median(runs.map((one) => one.seconds));
    const figures: Figure[] = [
      { what: "time", measured: seconds, unit: "s", bar: { atMost: bars.seconds } },
      {
        what: "memory",
        measured: median(runs.map((one) => one.megabytes)),
        unit: "MB",
        bar: { atMost: bars.megabytes },
      },
    ];
    const notes = workers > 1 ? [`answered by ${runs[0]!.workers} of ${workers} workers`] : [];
    for (const [over, bar] of [
      ["pods", bars.naive],
      ["workloads", bars.workloads],
    ] as const) {
      if (bar === undefined) continue;
      const slow = run("naive", { shape, seed, over });
      const called = over === "pods" ? "naive" : "workloads";
      figures.push({
        what: `against ${called}`,
        measured: slow.seconds / seconds,
        unit: "times",
        bar: { atLeast: bar },
      });
      if (slow.timed < slow.pairs)
        notes.push(`${called} was timed on ${count(slow.timed)} of ${count(slow.pairs)} pairs, and scaled`);
    }
    return { figures, notes };
  };
  return { name, measure };
}

function measureVerdicts(run: Run, seed: number): Omit<RowResult, "row"> {
  const runs = Array.from({ length: 3 }, () => run("verdicts", { shape: shapes["10k/1k"], seed }));
  const verdict = median(runs.map((one) => one.verdictMicroseconds));
  const explanation = median(runs.map((one) => one.explainMicroseconds));
  return {
    figures: [
      { what: "one verdict", measured: verdict, unit: "us", bar: { atMost: 1 } },
      { what: "with its explanation", measured: explanation, unit: "us", bar: { atMost: 8 } },
    ],
    notes: ["of the cluster 10k/1k, compiled"],
  };
}

function reading(name: string, format: FormatName, bar: number): Row {
  const measure = (run: Run, seed: number): Omit<RowResult, "row"> => {
    const folder = mkdtempSync(join(tmpdir(), "tierwall-bench-"));
    try {
      const file = join(folder, `snapshot.${format}`);
      const bytes = writeSnapshot(file, snapshotOf(planCluster(shapes["100k/10k"], seed)), format);
      const { seconds, readSeconds, megabytes } = run("read", { file });
      return {
        figures: [
          { what: "file to answer", measured: seconds, unit: "s", bar: { atMost: bar } },
          { what: "of which reading", measured: readSeconds, unit: "s" },
          { what: "most memory", measured: megabytes, unit: "MB" },
        ],
        notes: [`the file has ${count(Math.round(bytes / 1e6))} MB`],
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  return { name, measure };
}

/** Guarantees, and the equality of policies, in every cluster. Times are what they took of processors. */
function measureProofs(run: Run, seed: number): Omit<RowResult, "row"> {
  const times = <T>(count: number, measure: () => T): readonly T[] => Array.from({ length: count }, measure);
  const examples = run("prove", { of: "examples" });
  const guardrails = (clusterPolicies: number, networkPolicies: number) =>
    times(3, () => run("prove", { of: "guardrails", clusterPolicies, networkPolicies, seed }));
  const [small, large] = [guardrails(100, 1_000), guardrails(1_000, 10_000)];
  const tenants = times(3, () => run("prove", { of: "tenants", tenants: 1_000 }));
  const same = times(3, () => run("prove", { of: "same", rules: 25_000, seed }));
  const redundancy = run("prove", { of: "redundancy", rules: 2_500, seed });
  const { kilobytes } = run("proverSize", { target: "es2023" });
  const second = run("z3", { tenants: 1_000, limit: z3Limit });
  const at = (what: string, measured: number, unit: Figure["unit"], atMost: number): Figure => ({
    what,
    measured,
    unit,
    bar: { atMost },
  });
  const seconds = (runs: readonly { readonly seconds: number }[]) => median(runs.map((one) => one.seconds));
  const further = (runs: typeof small, result: string) =>
    median(
      runs.flatMap((one) =>
        one.further.flatMap((each) => (each.result === result ? [each.milliseconds] : [])),
      ),
    );
  const elapsed = (runs: readonly { readonly elapsed: number }[]) =>
    `${median(runs.map((one) => one.elapsed)).toFixed(1)} s`;
  return {
    figures: [
      at("examples, each guarantee", median(examples.further.map((each) => each.milliseconds)), "ms", 5),
      at("100 x 25 + 1,000, first", seconds(small), "s", 0.5),
      at("100 x 25 + 1,000, each further, proven", further(small, "Proven"), "ms", 20),
      at("100 x 25 + 1,000, each further, refuted", further(small, "Refuted"), "ms", 20),
      at("1,000 x 25 + 10,000, first", seconds(large), "s", 3),
      at("1,000 x 25 + 10,000, most memory", median(large.map((one) => one.megabytes)), "MB", 400),
      at("1,000 x 25 + 10,000, each further, proven", further(large, "Proven"), "ms", 100),
      at("1,000 x 25 + 10,000, each further, refuted", further(large, "Refuted"), "ms", 100),
      at("1,000 tenants, only 443", seconds(tenants), "s", 5),
      at("equality of 25,000 rules", seconds(same), "s", 5),
      at("redundancy of 2,500 rules", redundancy.seconds, "s", 10),
      at("prover in the page's worker", kilobytes, "KB", 60),
      {
        what: `1,000 tenants, against z3${second.finished ? "" : ", at least"}`,
        measured: second.seconds / seconds(tenants),
        unit: "times",
        bar: { atLeast: 3 },
      },
    ],
    notes: [
      "ClusterNetworkPolicies x rules + NetworkPolicies; from tiers to an answer that is confirmed",
      "times are those of processors, or of the clock where that is less; medians of three runs where there is more than one",
      `on the clock: ${elapsed(small)}, ${elapsed(large)} for the first guarantees, ${elapsed(tenants)} for tenants, ${elapsed(same)} for equality, ${elapsed([redundancy])} for redundancy`,
      `further guarantees: ${resultText(small[0]!.results)} and ${resultText(large[0]!.results)}`,
      `1,000 tenants: ${resultText(tenants[0]!.results)}; ${count(same[0]!.rules)} rules and a version with each split: ${resultText(same[0]!.results)}`,
      `${count(redundancy.rules)} rules, each in every cluster: ${resultText(redundancy.results)}`,
      second.finished
        ? `z3 on the same question about tenants: ${second.result} after ${second.seconds.toFixed(0)} s`
        : `z3 did not finish the question about tenants within ${z3Limit} s on the clock, of which it used ${second.seconds.toFixed(0)} s of processors`,
    ],
  };
}

/** In seconds, on the clock. */
const z3Limit = 120;

const resultText = (results: Readonly<Record<string, number>>): string =>
  Object.entries(results)
    .map(([result, times]) => `${times} ${result}`)
    .join(", ");

/** Where cost is in proportion to pods, the power is 1 or, as some cost is fixed, below. */
function measureGrowth(run: Run, seed: number): Omit<RowResult, "row"> {
  const curve = [10, 20, 40, 80, 160, 320].map((replicas) => {
    const shape = grown(replicas);
    const { seconds, megabytes } = run("answer", { shape, seed, workers: 1 });
    return { pods: podCount(shape), seconds, megabytes };
  });
  const [first, last] = [curve[0]!, curve.at(-1)!];
  const power = Math.log(last.seconds / first.seconds) / Math.log(last.pods / first.pods);
  return {
    figures: [{ what: "time for n pods", measured: power, unit: "power", bar: { atMost: 1.1 } }],
    notes: [`from ${count(first.pods)} to ${count(last.pods)} pods, with the same workloads and policies`],
    curve,
  };
}

const count = (value: number): string => value.toLocaleString("en");

/** In milliseconds. The controller reports changes after a quarter of a second: less is not visible to its users. */
const mostForAnEdit = 50;

function edits(name: string, shape: Shape, bars: { readonly clusterPolicy?: number } = {}): Row {
  const measure = (run: Run, seed: number): Omit<RowResult, "row"> => {
    const { networkPolicy, pod, podOfAnother, clusterPolicy } = run("edits", {
      shape,
      seed,
      clusterPolicies: bars.clusterPolicy === undefined ? 0 : 10,
    });
    const figure = (what: string, measured: number, atMost?: number): Figure => ({
      what,
      measured,
      unit: "ms",
      ...(atMost === undefined ? {} : { bar: { atMost } }),
    });
    return {
      figures: [
        figure("NetworkPolicy edited, p50", quantile(networkPolicy, 0.5), mostForAnEdit),
        figure("NetworkPolicy edited, p95", quantile(networkPolicy, 0.95), mostForAnEdit),
        figure("pod relabelled, p50", quantile(pod, 0.5), mostForAnEdit),
        figure("pod relabelled, p95", quantile(pod, 0.95), mostForAnEdit),
        figure("pod given all labels of another", median(podOfAnother)),
        ...(bars.clusterPolicy === undefined
          ? []
          : [figure("cluster policy edited", median(clusterPolicy), bars.clusterPolicy)]),
      ],
      notes: ["with the pairs that changed"],
    };
  };
  return { name, measure };
}
