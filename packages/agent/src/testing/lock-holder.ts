import { readdirSync, readFileSync } from "node:fs";

/** The child of this process that holds its one lock (kernel/lock.ts). */
export function lockHolder(): number {
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  const holding = children.filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "cat");
  if (holding.length !== 1) throw new Error(`${holding.length} processes hold locks`);
  return holding[0]!;
}
