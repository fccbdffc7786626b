import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { SlowFilesFirst } from "./test/slow-files-first.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests run on the sources of our packages, also when they reach one through another: no build in between.
    alias: [
      { find: /^@tierwall\/core\/(\w+)$/, replacement: here("packages/core/src/doors/$1.ts") },
      { find: /^@tierwall\/kube\/service$/, replacement: here("packages/kube/src/service/index.ts") },
      { find: /^@tierwall\/(\w+)$/, replacement: here("packages/$1/src/index.ts") },
    ],
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
