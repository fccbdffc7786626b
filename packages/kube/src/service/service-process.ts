import { destination, type Logger, pino, stdTimeFunctions } from "pino";

/** JSON lines on stderr, written at once: the last words before a kill are the ones that matter. */
export function serviceLog(base: Readonly<Record<string, string>>): Logger {
  return pino(
    { base, timestamp: stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
    destination({ dest: 2, sync: true }),
  );
}

/** Says why the process does not start; returns its exit status. */
export function refuseToStart(log: Logger, message: string): number {
  log.fatal(message);
  return 2;
}

/** Resolves with the first signal to stop. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
  });
}
