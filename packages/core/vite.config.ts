import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `./dist/doors/model.d.ts` by `./model`, as package.json says what others can import. */
const { exports } = JSON.parse(readFileSync(here("package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
};

// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  build: {
    ssr: true,
    outDir: here("bundle"),
    emptyOutDir: true,
    rolldownOptions: {
      input: Object.fromEntries(
        Object.values(exports).map((door) => [
          basename(door.default, ".js"),
          here(door.types.replace(/\.d\.ts$/, ".js")),
        ]),
      ),
    },
  },
});
