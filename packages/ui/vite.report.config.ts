import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/* The page that `tierwall matrix -o html` writes: one file, which `matrixHtml` (src/matrix-html.ts) puts the data into. */
// oxlint-disable-next-line import/no-default-export -- Vite reads its configuration so
export default defineConfig({
  root: here("src/matrix-report"),
  base: "./",
  plugins: [react(), inOneFile()],
  build: { outDir: here("matrix-report"), emptyOutDir: true, target: "es2023", modulePreload: false },
});

/** Scripts and styles are in the document itself: it loads no other file. */
function inOneFile(): Plugin {
  return {
    name: "tierwall:in-one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const take = (file: string): string => {
        const found = bundle[file];
        if (found === undefined) throw new Error(`the document asks for ${file}, which is not there`);
        delete bundle[file];
        return found.type === "chunk" ? found.code : String(found.source);
      };
      for (const page of Object.values(bundle))
        if (page.type === "asset" && page.fileName.endsWith(".html"))
          page.source = String(page.source)
            .replace(
              /<script [^>]*src="\.\/([^"]+)"><\/script>/g,
              (_, file: string) => `<script type="module">${inScript(take(file))}</script>`,
            )
            .replace(/<link [^>]*href="\.\/([^"]+)">/g, (_, file: string) => `<style>${take(file)}</style>`);
      const rest = Object.keys(bundle).filter((file) => !file.endsWith(".html"));
      if (rest.length > 0) throw new Error(`in no document: ${rest.join(", ")}`);
    },
  };
}

/** Texts in a script must not end its element, nor begin a comment in it. */
const inScript = (code: string): string => code.trimEnd().replace(/<(?=\/script|!--)/gi, "\\x3c");
