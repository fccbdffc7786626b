/*
 * How much of the slow suites runs. `npm test` runs a slice, in minutes: fewer cases of each property, some of the planted bugs,
 * and of what starts clusters, browsers and packets one test of each kind. `TIERWALL_TESTS=full npm test`, as in `.ci/run`, runs
 * everything, and so does vitest when it is started directly. Nothing is left out silently: `npm test` counts what was left to the full run, and
 * names the command for it.
 */

/** Whether everything runs. */
export const isFull = process.env.TIERWALL_TESTS !== "slice";

/** Which slice is today's, where one is chosen by number: in a few days all have had their turn. TIERWALL_SLICE names another. */
export const sliceNumber = Number(process.env.TIERWALL_SLICE ?? Math.floor(Date.now() / 86_400_000));

/** Files that only run in full. */
export const filesOnlyInFull = [
  "packages/agent/src/kernel/histories.test.ts",
  "packages/agent/src/kernel/trial.test.ts",
  "test/agent/foreign-dataplane.test.ts",
  "test/agent/names-under-change.test.ts",
  "test/agent/pod-range.test.ts",
  "test/browser/foreign.test.ts",
  "test/browser/withheld.test.ts",
  // 2,400 pods in a browser.
  "test/browser/big-waits.test.ts",
  "test/browser/playground-big.test.ts",
  // Each begins with an API server of its own. The slice has the command line, the controller, list and watch, and the webhook as a process.
  "test/cluster/agent.test.ts",
  "test/cluster/controller-memory.test.ts",
  "test/cluster/controller-outage.test.ts",
  "test/cluster/controller-page.test.ts",
  "test/cluster/controller-programmed.test.ts",
  "test/cluster/controller-replicas.test.ts",
  "test/cluster/documented-commands.test.ts",
  "test/cluster/documented-services.test.ts",
  "test/cluster/foreign-policies.test.ts",
  // Builds everything, and runs the commands of README.md with npm and npx.
  "test/cluster/fresh-clone.test.ts",
  "test/cluster/in-cluster.test.ts",
  "test/cluster/kep-2091.test.ts",
  "test/cluster/roles.test.ts",
  "test/cluster/uninstall.test.ts",
  "test/cluster/versions.test.ts",
  "test/cluster/webhook-tenants.test.ts",
  "test/cluster/webhook.test.ts",
  "test/packets/find-difference.test.ts",
];

/** The tag of tests that only run in full, in files of which others run. */
export const fullTag = "full";

/**
 * Options of a test or a suite that is left to the full run: `it("…", onlyInFull, () => …)`.
 * @type {{ tags: string[] }}
 */
export const onlyInFull = { tags: [fullTag] };

/**
 * How often to do in a slice what is done so often in full: a fifth.
 * @param {number} often
 * @param {number} [least]
 * @returns {number}
 */
export function fewerRuns(often, least = 1) {
  return isFull ? often : Math.min(often, Math.max(least, Math.ceil(often / 5)));
}

/**
 * Whether the item at this place of a list is in today's slice, which is one of so many.
 * @param {number} place
 * @param {number} slices
 * @returns {boolean}
 */
export function isInSlice(place, slices) {
  return isFull || place % slices === sliceNumber % slices;
}

/**
 * Rows of a table of tests: those of today's slice, which is one of so many, and those that are left to the full run. Use as
 * `for (const [rows, options] of rotated(table, 2)) it.each(rows)("…", options, …)`.
 * @template T
 * @param {readonly T[]} rows
 * @param {number} slices
 * @returns {readonly (readonly [readonly T[], { tags?: string[] }])[]}
 */
export function rotated(rows, slices) {
  return [
    [rows.filter((_, place) => isInSlice(place, slices)), {}],
    [rows.filter((_, place) => !isInSlice(place, slices)), onlyInFull],
  ];
}
