import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** With all folders above it. Node's own way to do that never returns where the kernel takes no folders, as in /proc. */
export function makeFolder(folder: string, mode = 0o755): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode });
}

/** A reader always finds the old text or the new one, also if the writer is killed. Only the owner may read it. */
export function replaceFile(file: string, text: string): void {
  makeFolder(dirname(file));
  const next = `${file}.next`;
  writeFileSync(next, text, { mode: 0o600 });
  renameSync(next, file);
}
