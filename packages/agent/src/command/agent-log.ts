import { type Logger, pino } from "pino";

/** JSON lines on stderr, written at once: the last words before a kill are the ones that matter. */
export function agentLog(node: string): Logger {
  return pino(
    {
      base: { node },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
