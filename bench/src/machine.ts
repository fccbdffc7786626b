import { cpus, loadavg, totalmem } from "node:os";
import type { Machine } from "./report/performance-page.js";

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown CPU",
    cores: cpus().length,
    gigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}
