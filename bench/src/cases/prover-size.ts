import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";

const fileIn = (path: string): string => fileURLToPath(new URL(`../../../packages/${path}`, import.meta.url));

/** What the prover adds to the page's worker: all of packages/core/src/prove that the page uses, minified. */
export async function proverCode(target: string): Promise<string> {
  const door = fileIn("core/src/doors/prove.ts");
  const prover = fileIn("core/src/prove/");
  const output = (await build({
    configFile: false,
    logLevel: "silent",
    resolve: { alias: [{ find: "@tierwall/core/prove", replacement: door }] },
    build: {
      write: false,
      target,
      minify: true,
      rolldownOptions: {
        input: fileIn("ui/src/page/worker/questions/guarantee/prover.ts"),
        preserveEntrySignatures: "strict",
        // The rest of core is in the worker anyway.
        external: (id, from) =>
          from !== undefined &&
          id !== door &&
          id !== "@tierwall/core/prove" &&
          !resolve(dirname(from), id).startsWith(prover),
      },
    },
  })) as Rolldown.RolldownOutput | readonly Rolldown.RolldownOutput[];
  const chunks = [output].flat().flatMap((each) => each.output);
  return chunks.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("");
}

export async function proverSize({
  target,
}: {
  readonly target: string;
}): Promise<{ readonly kilobytes: number }> {
  return { kilobytes: (await proverCode(target)).length / 1000 };
}
