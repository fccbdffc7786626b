import { diagnostic } from "@tierwall/core/manifest";
import { describe, expect, it } from "vitest";
import { DiagnosticsLog } from "./diagnostics-log.js";

function setup() {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  return { log: new DiagnosticsLog({ warn: write("warn"), error: write("error") }), lines };
}

const place = { file: "shop.yaml", line: 3, column: 1, length: 4 };
const broken = diagnostic("TW1204", "unknown field `podselector`", { place, object: "NetworkPolicy shop/b" });
const doubtful = diagnostic("TW2001", "two policies have priority 5");
const remark = diagnostic("TW3001", "a namespace is missing");

describe("diagnostics of objects of a cluster", () => {
  it("are logged with code, object and place; notes are not", () => {
    const { log, lines } = setup();
    log.write([broken, doubtful, remark]);
    expect(lines).toEqual([
      'error unknown field `podselector` {"code":"TW1204","object":"NetworkPolicy shop/b","place":"shop.yaml:3"}',
      'warn two policies have priority 5 {"code":"TW2001"}',
    ]);
  });

  it("are logged once while they persist, and again when they return", () => {
    const { log, lines } = setup();
    log.write([doubtful]);
    log.write([doubtful]);
    expect(lines).toHaveLength(1);
    log.write([]);
    log.write([doubtful]);
    expect(lines).toHaveLength(2);
  });
});
