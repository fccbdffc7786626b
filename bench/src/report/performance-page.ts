import { bulkTable, type CurvePoint, detailTable, missed, notesOf, type RowResult } from "./results.js";
import { formatMeasure } from "./figure.js";
import { markdownTable } from "./table.js";

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly gigabytes: number;
  readonly node: string;
  /** Processes that wanted a core before the first case was started. */
  readonly load: number;
}

export const curveFile = "growth.svg";

/** The page about the engine: everything of one run, on one machine. */
export function performancePage(results: readonly RowResult[], machine: Machine): string {
  const misses = missed(results);
  const curve = results.find((result) => result.curve !== undefined)?.curve;
  return [
    "# The engine\n",
    "What `npm run bench` measured in one run: clusters are generated from a seed (`bench/src/generate`), each case " +
      "runs in a separate process, without warm-up, and each figure is shown with its bar.\n",
    `${machineText(machine, misses)}\n`,
    "## Compile, and answer all pairs\n",
    "From parsed objects to the answer for every ordered pair of pods, on every port of every protocol, with 100 " +
      "ClusterNetworkPolicies of 1 to 100 rules each. *Naive* is the literal evaluator on pair after pair, for one " +
      "port only, each pod's rules having been looked up beforehand; *workloads* is the same with one pod for each " +
      "workload, as tools do that take replicas for equal.\n",
    markdownTable(bulkTable(results)),
    "",
    "## One answer, one change, one file\n",
    markdownTable(detailTable(results)),
    "",
    ...(curve === undefined ? [] : growth(curve)),
    "## Notes\n",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(isBusy(machine) ? ["- the machine was busy with other things: measure again when it is not"] : []),
    "- times are for orientation, as machines are noisy; the gains are what is held on to",
    "- one row again: `npm run bench -- --only 10k/1k`, and `-o json` for machines",
    "",
  ].join("\n");
}

/** The page about proofs: one row, which is measured on its own or with all others. */
export function proofsPage(results: readonly RowResult[], machine: Machine): string {
  return [
    "# Proofs\n",
    "What `npm run bench -- --only prove` measured in one run: policies are generated from a seed, each case runs in a " +
      "separate process, and each figure is shown with its bar.\n",
    `${machineText(machine, missed(results))}\n`,
    markdownTable(detailTable(results)),
    "",
    ...notesOf(results).map((note) => `- ${note}`),
    ...(isBusy(machine) ? ["- the machine was busy with other things: measure again when it is not"] : []),
    "",
  ].join("\n");
}

export function machineText({ cpu, cores, gigabytes, node }: Machine, misses: readonly string[]): string {
  const outcome = misses.length === 0 ? "Every bar was reached." : `Missed: ${misses.join(", ")}.`;
  return `The machine: ${cpu}, ${cores} cores, ${gigabytes} GB, Node ${node}. ${outcome}`;
}

/** Whether others have so much to do that times say more about them. */
export function isBusy({ load, cores }: Pick<Machine, "load" | "cores">): boolean {
  return load > cores / 2;
}

function growth(curve: readonly CurvePoint[]): readonly string[] {
  const rows = curve.map(({ pods, seconds, megabytes }) => [
    pods.toLocaleString("en"),
    formatMeasure(seconds, "s"),
    formatMeasure((seconds / pods) * 1e6, "us"),
    formatMeasure(megabytes, "MB"),
  ]);
  return [
    "## Growth\n",
    "The same 1,000 workloads and 1,100 policies, and ever more replicas.\n",
    `![Seconds by the number of pods](${curveFile})\n`,
    markdownTable({ head: ["pods", "time", "a pod", "memory"], rows }),
    "",
  ];
}
