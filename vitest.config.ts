import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    // Tests run on the sources of core, also when they reach it through another package: no build in between.
    alias: { "@tierwall/core": fileURLToPath(new URL("packages/core/src/index.ts", import.meta.url)) },
  },
  test: {
    include: [
      "packages/*/src/**/*.test.ts",
      "bench/src/**/*.test.ts",
      "test/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    setupFiles: ["test/seed.ts"],
    // Threads start faster than processes, which counts on two cores and many small files.
    pool: "threads",
    // Property tests on a slow or busy machine take a while; a hang is still found.
    testTimeout: 30_000,
  },
});
