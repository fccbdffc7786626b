import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { filesOnlyInFull, fullTag, isFull } from "./test/slice.mjs";
import { SlowFilesFirst } from "./test/slow-files-first.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const notNow = [...configDefaults.exclude, ...(isFull ? [] : filesOnlyInFull)];

export default defineConfig({
  resolve: {
    alias: [
      // Tests run on the sources of our packages, also when they reach one through another: no build in between.
      { find: /^@tierwall\/core\/(\w+)$/, replacement: here("packages/core/src/doors/$1.ts") },
      { find: /^@tierwall\/kube\/service$/, replacement: here("packages/kube/src/service/index.ts") },
      { find: /^@tierwall\/(\w+)$/, replacement: here("packages/$1/src/index.ts") },
      ...(isFull ? [] : [{ find: /^fast-check$/, replacement: here("test/fast-check.ts") }]),
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "packages",
          include: [
            "packages/*/{src,testing}/**/*.test.ts",
            "bench/src/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: notNow,
          // Loading core takes longer than most of these tests: a worker does it once, and not for every file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["test/**/*.test.ts"],
          // A separate command runs it: it takes minutes, and needs a machine of its own.
          exclude: [...notNow, "test/whole-cluster/**"],
        },
      },
    ],
    tags: [{ name: fullTag, description: "not in the slice that `npm test` runs", skip: !isFull }],
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
