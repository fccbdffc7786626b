import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** With all folders above it. Node's own way to do that never returns where the kernel takes no folders, as in /proc. */
export function makeFolder(folder: string, mode = 0o755): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode });
}
