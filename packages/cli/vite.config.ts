import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** In a few files: opening its sixty took a command longer than most answers take. */
// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  ssr: { noExternal: ["yaml", "commander"] },
  build: {
    ssr: true,
    outDir: here("dist/bundle"),
    emptyOutDir: true,
    rolldownOptions: {
      input: { main: here("dist/main.js") },
      // Others import them as well, and there must be one of each.
      external: [/^@tierwall\//],
      output: { chunkFileNames: "[name]-[hash].js" },
    },
  },
});
