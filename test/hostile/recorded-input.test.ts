import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { Diagnostic } from "@tierwall/core";
import { flowFormats, formatOf, readerOf, Replay } from "@tierwall/core/analysis";
import type { DnsRecord } from "@tierwall/core/model";
import { diagnosticsJson, diagnosticText, noStyle, replayJson, replayText } from "@tierwall/core/report";
import { readState, snapshotOf } from "@tierwall/core/state";
import { readPaths } from "@tierwall/kube";
import fc from "fast-check";
import { afterAll, describe, expect, it, vi } from "vitest";
import { readDnsRecords } from "../../packages/cli/src/input/dns.js";
import { linesAt } from "../../packages/cli/src/output/lines.js";
import { type Json, mutatedBytes, mutatedJson, mutatedText } from "./mutations.js";

/*
 * Snapshots, flow logs and DNS records come from other machines and other people. Whatever is in them, reading ends, and all that is
 * wrong is said in diagnostics. FUZZ_RUNS=20000 npx vitest run test/hostile looks for longer.
 */

const runs = Number(process.env.FUZZ_RUNS ?? 40);
vi.setConfig({ testTimeout: 300_000 + runs * 1_000 });

const example = fileURLToPath(new URL("../../examples/mixed-six-apis", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "tierwall-hostile-"));
afterAll(() => rmSync(folder, { recursive: true }));

const { sources } = readPaths([join(example, "cluster.yaml"), join(example, "policies")], false);
const state = readState(sources);
const snapshot = snapshotOf(sources).text;

const check = <T>(made: fc.Arbitrary<T>, property: (one: T) => void): void =>
  fc.assert(fc.property(made, property), { numRuns: runs });

/** They are ours, and can be shown. */
function expectOurs(diagnostics: readonly Diagnostic[]): void {
  for (const one of diagnostics) {
    expect(one.code).toMatch(/^TW\d{4}$/);
    diagnosticText(one, () => undefined, noStyle);
  }
  JSON.stringify(diagnosticsJson(diagnostics));
}

function readSnapshot(text: string): void {
  const given = [{ file: "snapshot.json", text }];
  expectOurs(readState(given).diagnostics);
  expectOurs(snapshotOf(given, { redact: (name) => `h${name.length}` }).diagnostics);
}

/** The whole way of a file: from its bytes. */
function readBytes(name: string, bytes: Buffer | string): void {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  const read = readPaths([file], false);
  expectOurs(read.diagnostics);
  expectOurs(readState(read.sources).diagnostics);
}

describe("snapshots", () => {
  it("with other values, keys and items in them", () =>
    check(mutatedJson(JSON.parse(snapshot) as Json), (made) => readSnapshot(JSON.stringify(made))));

  it("with another text", () => check(mutatedText(snapshot), (text) => readBytes("snapshot.json", text)));

  it("packed, and cut or damaged", () =>
    check(mutatedBytes(gzipSync(snapshot)), (bytes) => readBytes("snapshot.json.gz", bytes)));

  it("damaged, and packed", () =>
    check(mutatedBytes(Buffer.from(snapshot)), (bytes) => readBytes("damaged.json.gz", gzipSync(bytes))));
});

const hubble = readFileSync(join(example, "flows.jsonl"), "utf8").trim().split("\n");
const record = {
  from: "shop/cart",
  to: "10.244.2.31",
  port: "443/TCP",
  protocol: "TCP",
  count: 3,
  verdict: "allowed",
};
const flows = {
  hubble,
  conntrack: [
    "tcp      6 431999 ESTABLISHED src=10.244.1.21 dst=10.244.2.31 sport=43210 dport=443 src=10.244.2.31 dst=10.244.1.21 sport=443 dport=43210 [ASSURED] mark=0 use=1",
    "ipv6     10 udp      17 29 src=fd00::1 dst=fd00::2 sport=1 dport=53 packets=9 bytes=900 [UNREPLIED] src=fd00::2 dst=fd00::1 sport=53 dport=1 packets=8 bytes=800 mark=0 zone=0 use=2",
    "icmp     1 29 src=10.244.1.21 dst=10.244.2.31 type=8 code=0 id=5 src=10.244.2.31 dst=10.244.1.21 type=0 code=0 id=5 mark=0 use=1",
  ],
  csv: [
    "from,to,port,protocol,count,verdict",
    "shop/cart,payments/api,443,TCP,12,allowed",
    '"shop/cart","10.0.0.1",53/UDP,,,"denied"',
  ],
  jsonl: [
    JSON.stringify(record),
    JSON.stringify({ src: "node:worker-1", dst: "new:shop/app=web", dport: 80 }),
  ],
} as const satisfies Record<(typeof flowFormats)[number], readonly string[]>;

/** As `replay` does: each line of a file, by the format that its first line has, and by every other. */
function replayLines(lines: readonly string[]): void {
  const [first = ""] = lines;
  for (const format of new Set([...flowFormats, formatOf(first)])) {
    const reader = format && readerOf(format, first);
    if (reader === undefined) continue;
    const replay = new Replay(state);
    for (const line of lines) {
      const read = reader(line);
      if (read !== undefined) replay.add(read);
    }
    const replayed = replay.result();
    replayText(replayed, { style: noStyle, verbose: true });
    JSON.stringify(replayJson(replayed));
  }
}

describe.each(flowFormats)("flows of the format %s", (format) => {
  const lines = flows[format];

  it("are recognised by their first line", () => expect(formatOf(lines[0])).toBe(format));

  it("with another text", () =>
    check(mutatedText(lines.join("\n")), (text) => replayLines(text.split("\n"))));

  it("packed, and cut or damaged", async () => {
    const file = join(folder, "flows.gz");
    await fc.assert(
      fc.asyncProperty(mutatedBytes(gzipSync(lines.join("\n"))), async (bytes) => {
        writeFileSync(file, bytes);
        const read: string[] = [];
        try {
          for await (const line of linesAt(file, () => undefined)) read.push(line);
        } catch (cause) {
          // What `replay` reports as TW1001: the message of zlib, never an internal error.
          expect((cause as NodeJS.ErrnoException).code).toMatch(/^Z_/);
        }
        replayLines(read);
      }),
      { numRuns: runs },
    );
  });
});

describe.each(["hubble", "jsonl"] as const)("flows of the format %s", (format) => {
  it("with other values, keys and items in them", () =>
    check(mutatedJson(flows[format].map((line) => JSON.parse(line) as Json)), (made) =>
      replayLines((Array.isArray(made) ? (made as Json[]) : [made]).map((one) => JSON.stringify(one))),
    ));
});

describe("DNS records", () => {
  const records: Json = {
    "example.com": ["192.0.2.1", "2001:db8::1"],
    "*.b.example": "192.0.2.7",
    "c.example": [],
  };
  const file = join(folder, "dns.yaml");

  function readRecords(text: string | Buffer): readonly DnsRecord[] {
    writeFileSync(file, text);
    const read = readDnsRecords(file);
    expectOurs(read.diagnostics);
    readState(sources, { facts: { dns: read.records } });
    return read.records;
  }

  it("are read where they are fine", () => expect(readRecords(JSON.stringify(records))).toHaveLength(3));

  it("with items that JavaScript cannot write as text", () =>
    expect(readRecords("a.example: [{toString: 1}]")).toEqual([{ name: "a.example", addresses: [] }]));

  it("with other values, keys and items in them", () =>
    check(mutatedJson(records), (made) => void readRecords(JSON.stringify(made))));

  it("with another text", () =>
    check(
      mutatedText("example.com: [192.0.2.1]\nb.example:\n  - 2001:db8::1\n"),
      (text) => void readRecords(text),
    ));

  it("damaged", () =>
    check(mutatedBytes(Buffer.from(JSON.stringify(records))), (bytes) => void readRecords(bytes)));
});
