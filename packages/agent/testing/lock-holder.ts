import { readFileSync } from "node:fs";

/** The child of this thread that holds its one lock (kernel/lock.ts). Test files that run in other threads hold locks of their own. */
export function lockHolder(): number {
  const children = readFileSync("/proc/thread-self/children", "utf8").split(" ").filter(Boolean).map(Number);
  const holding = children.filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "cat");
  if (holding.length !== 1) throw new Error(`${holding.length} processes hold locks`);
  return holding[0]!;
}
