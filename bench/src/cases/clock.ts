export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** What the process has used of processors: what else runs on the machine does not count. */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** So that what went before is not paid for by what is measured next. Needs `--expose-gc`. */
export function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
