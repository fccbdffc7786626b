import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** In a few files, as packages/core is: every command opens them. */
// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  ssr: { noExternal: ["yaml"] },
  build: {
    ssr: true,
    outDir: here("bundle"),
    emptyOutDir: true,
    rolldownOptions: {
      input: {
        index: here("dist/index.js"),
        service: here("dist/service/index.js"),
        // A thread begins with it: it stays next to the file that starts it.
        "analyst-worker": here("dist/webhook/analyst-worker.js"),
      },
      // Others import it as well, and there must be one of it.
      external: [/^@tierwall\//],
      output: { chunkFileNames: "[name]-[hash].js" },
    },
  },
});
