import { fileURLToPath } from "node:url";
import { sep } from "node:path";
import { build, type Rollup } from "vite";

/** What the prover adds to the page's worker: its own code minified, without what the worker has already. */
export async function proverSize(_: object): Promise<{ readonly kilobytes: number }> {
  const entry = fileURLToPath(
    new URL("../../../packages/core/dist/prove/guarantee/index.js", import.meta.url),
  );
  const folder = `${sep}prove${sep}`;
  const isOutside = (id: string, importer?: string): boolean =>
    importer !== undefined && !new URL(id, `file://${importer}`).pathname.includes(folder);
  const output = (await build({
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: true,
      lib: { entry, formats: ["es"] },
      rolldownOptions: { external: isOutside },
    },
  })) as Rollup.RollupOutput | readonly Rollup.RollupOutput[];
  const chunks = [output].flat().flatMap((each) => each.output);
  const bytes = chunks.reduce((sum, chunk) => sum + (chunk.type === "chunk" ? chunk.code.length : 0), 0);
  return { kilobytes: bytes / 1000 };
}
