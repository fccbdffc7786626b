import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take minutes. One that starts last keeps a single core busy while the others are idle. */
const slowFiles = [
  "test/mutants/mutants.test.ts",
  "test/packets/examples.test.ts",
  "test/packets/mutants.test.ts",
  "test/packets/differential.test.ts",
  "test/agent/agent.test.ts",
  "test/agent/agent-gone.test.ts",
  "test/cluster/controller-memory.test.ts",
  "test/cluster/live-cli.test.ts",
  "test/install/image.test.ts",
  "test/browser/big-waits.test.ts",
  "test/browser/playground-big.test.ts",
];

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = slowFiles.findIndex((file) => moduleId.endsWith(file));
      return place === -1 ? slowFiles.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  resolve: {
    // Tests run on the sources of our packages, also when they reach one through another: no build in between.
    alias: Object.fromEntries(
      ["core", "kube", "agent", "ui", "server"].map((name) => [
        `@tierwall/${name}`,
        fileURLToPath(new URL(`packages/${name}/src/index.ts`, import.meta.url)),
      ]),
    ),
  },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "test/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    // A command of its own runs it: it takes minutes, and a machine that is nobody else's.
    exclude: [...configDefaults.exclude, "test/whole-cluster/**"],
    setupFiles: ["test/seed.ts"],
    sequence: { sequencer: SlowFilesFirst },
    // Threads start faster than processes, which counts on two cores and many small files.
    pool: "threads",
    // Tests with packets wait for them most of the time: one more than this machine has cores costs the others little.
    maxWorkers: availableParallelism() + 1,
    // These only end what hangs. How long a test takes depends on the machine and on what else runs there, and says
    // nothing about the code: at a load of 25 on two cores, tests of a second took a minute.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
