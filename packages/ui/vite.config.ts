import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  root: here("src/page"),
  base: "./",
  plugins: [react(), drawnWith()],
  // The engine comes from its sources, as in tests: no build in between.
  resolve: {
    alias: [
      { find: /^@tierwall\/core$/, replacement: here("../core/src/index.ts") },
      { find: /^@tierwall\/core\/(\w+)$/, replacement: here("../core/src/doors/$1.ts") },
    ],
  },
  worker: { format: "es" },
  build: { outDir: here("page"), emptyOutDir: true, target: "es2023", modulePreload: { polyfill: false } },
});

/**
 * The first script is small, so that the engine starts at once. What it imports to draw the page with is named in the
 * document, so that browsers get it at the same time and not after it.
 */
function drawnWith(): Plugin {
  return {
    name: "tierwall:drawn-with",
    transformIndexHtml: {
      order: "post",
      handler: (_html, { bundle, chunk }) =>
        (chunk?.dynamicImports ?? []).flatMap((name): HtmlTagDescriptor[] => {
          const drawing = bundle?.[name];
          if (drawing?.type !== "chunk") return [];
          const scripts = [name, ...drawing.imports].filter((file) => file !== chunk?.fileName);
          const styles = drawing.viteMetadata?.importedCss ?? new Set<string>();
          return [
            ...scripts.map((file) => link("modulepreload", file)),
            ...Array.from(styles, (file) => link("stylesheet", file)),
          ];
        }),
    },
  };
}

const link = (rel: string, file: string): HtmlTagDescriptor => ({
  tag: "link",
  attrs: { rel, crossorigin: true, href: `./${file}` },
  injectTo: "head",
});
