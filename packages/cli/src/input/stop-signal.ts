/** Resolves when the process gets a signal to end: Ctrl+C, or SIGTERM. */
export async function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}
