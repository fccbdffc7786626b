export function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** So that what went before is not paid for by what is measured next. Needs `--expose-gc`. */
export function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
