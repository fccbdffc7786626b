import { rmSync } from "node:fs";
import { bin, run } from "../scripts/prepare.mjs";

/** Compiles core into a folder of the cache: `src` is core, `testing` is what its tests are made of. */
export function compileCore(folder) {
  rmSync(folder, { recursive: true, force: true });
  tsc(["-p", "test/tsconfig.core.json", "--outDir", folder]);
}

export function tsc(args) {
  const { status, stdout, stderr, error } = run(bin("tsc"), args);
  if (status !== 0) throw new Error(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`);
}
