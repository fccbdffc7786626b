import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  root: here("src/page"),
  base: "./",
  plugins: [react()],
  // The engine comes from its sources, as in tests: no build in between.
  resolve: { alias: { "@tierwall/core": here("../core/src/index.ts") } },
  worker: { format: "es" },
  build: { outDir: here("page"), emptyOutDir: true, target: "es2023", modulePreload: { polyfill: false } },
});
