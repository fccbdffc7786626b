import { destination, type Logger, pino, stdTimeFunctions } from "pino";

/** JSON lines on stderr, written at once: the last words before a kill are the ones that matter. */
export function agentLog(node: string): Logger {
  return pino(
    {
      base: { node },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    destination({ dest: 2, sync: true }),
  );
}
