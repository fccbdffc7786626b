import { defineConfig } from "vite";

// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  // It is seventy files more, which every command would open.
  ssr: { noExternal: ["yaml"] },
});
