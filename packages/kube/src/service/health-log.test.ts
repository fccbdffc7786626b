import { expect, it } from "vitest";
import { HealthLog } from "./health-log.js";
import type { KindHealth } from "../cluster/reflector.js";

function listening() {
  const lines: string[] = [];
  const say = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${JSON.stringify(fields)} ${message}`);
  const synced = new Map<string, number>();
  const log = new HealthLog({
    log: { info: say("info"), warn: say("warn") },
    metrics: {
      sourceSynced: { set: (labels: { kind: string }, value: number) => synced.set(labels.kind, value) },
      watchRestarts: { inc: () => undefined },
    } as never,
    meanwhile: "the kernel keeps the rules it has",
  });
  return { lines, synced, log };
}
const known = { isKnown: true } satisfies Partial<KindHealth>;

it("says why a kind cannot be read, since when, and what follows; then that it can be read again", () => {
  const { lines, synced, log } = listening();
  log.take("pods", { ...known, state: "synced" });
  log.take("pods", { ...known, state: "failing", message: "connect ECONNREFUSED", since: 0 });
  expect(synced.get("pods")).toBe(0);
  log.take("pods", { ...known, state: "synced" });
  expect(lines[0]).toBe('info {"kind":"pods","state":"synced"} watching');
  expect(lines[1]).toBe(
    'warn {"kind":"pods","state":"failing","since":"1970-01-01T00:00:00.000Z"} ' +
      "pods cannot be read now: connect ECONNREFUSED; the kernel keeps the rules it has, and reading is tried again",
  );
  expect(lines[2]).toMatch(/^info \{"kind":"pods","state":"synced","failedForSeconds":\d+\} watching again$/);
  expect(synced.get("pods")).toBe(1);
});

it("says what the API server says where a kind may not be read", () => {
  const { lines, log } = listening();
  log.take("secrets", { isKnown: false, state: "forbidden", message: "no access" });
  expect(lines).toEqual(['warn {"kind":"secrets","state":"forbidden"} no access']);
});
