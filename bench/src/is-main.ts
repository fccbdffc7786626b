import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether a file was started, and not imported. */
export function isMain(url: string): boolean {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(url);
}
