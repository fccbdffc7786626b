import { spawnSync } from "node:child_process";

/** Why tests that need root and these programs cannot run here; undefined where they can. */
export function lacking(...programs: readonly string[]): string | undefined {
  if (process.platform !== "linux") return "needs Linux";
  if (process.getuid?.() !== 0) return "needs root";
  const missing = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  return missing.length === 0 ? undefined : `needs ${missing.join(", ")}`;
}
