import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readState } from "@tierwall/core/state";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bookOf } from "../../testing/book.js";
import { lacking } from "../../testing/tools.js";
import { Audit, type SuppressedLine } from "./audit.js";
import type { AuditLine } from "./audit-line.js";
import { AddressOwners } from "./address-owners.js";
import { Counts, type CounterReading } from "./counts.js";
import { parseLoggedPacket } from "./logged-packet.js";
import { findUlogd, type InstalledUlogd, Ulogd } from "./ulogd.js";

/*
 * Packets that a real kernel logged with NFLOG in a network namespace, and a real ulogd2 read. Loopback addresses represent
 * two pods.
 */

const reason = lacking("ip", "nft", "ulogd", "ping");
const namespace = `tws-${process.pid}`;
const group = 7;
const patience = { timeout: 300_000, interval: 20 };
vi.setConfig({ testTimeout: 1_200_000 });

const book = bookOf(`
kind: NetworkPolicy
metadata: {name: web, namespace: shop, annotations: {tierwall.dev/audit: all}}
spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}
`);
const [allow, deny] = [...book.keys()] as [string, string];

const { cluster } = readState([
  {
    file: "cluster.yaml",
    text: `
{apiVersion: v1, kind: Pod, metadata: {name: cart, namespace: shop}, status: {podIPs: [{ip: 127.1.0.1}, {ip: "fd00::1"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop}, status: {podIPs: [{ip: 127.1.0.2}, {ip: "fd00::2"}]}}
`,
  },
]);

/** As the agent writes it: terminal chains count, log by a limited rate, and give the verdict. */
const table = `
table inet seen {
  counter r_${allow} { }
  counter r_${deny} { }
  chain allow { counter name r_${allow}; limit rate 100/second log prefix "tw:${allow}" group ${group}; accept; }
  chain deny {
    counter name r_${deny}
    udp dport 4 limit rate 10/second log prefix "tw:${deny}:cut" group ${group}
    udp dport != 4 limit rate 10/second log prefix "tw:${deny}" group ${group}
    meta l4proto != udp limit rate 10/second log prefix "tw:${deny}" group ${group}
    drop
  }
  chain output {
    type filter hook output priority filter; policy accept;
    udp dport 1 goto allow
    udp dport { 3, 4 } goto deny
    tcp dport 3 goto deny
    icmp type echo-request goto deny
    icmpv6 type echo-request goto deny
    udp dport 5 log prefix "tw:unknown_egress" group ${group} drop
    udp dport 6 log prefix "another program" group ${group} drop
  }
}`;

const inside = (...command: readonly string[]) =>
  spawnSync("ip", ["netns", "exec", namespace, ...command], { encoding: "utf8" });

function sendUdp(port: number, count = 1): void {
  const script = `
    const socket = require("node:dgram").createSocket("udp4");
    socket.on("error", () => undefined);
    socket.bind(0, "127.1.0.1", async () => {
      for (let i = 0; i < ${count}; i++) await new Promise((sent) => socket.send("x", ${port}, "127.1.0.2", sent));
      socket.close();
    });`;
  execFileSync("ip", ["netns", "exec", namespace, process.execPath, "-e", script]);
}

/** The first packet is sent by the call; no answer is awaited. */
function sendTcp(port: number): void {
  const script = `
    const socket = require("node:net").connect(${port}, "127.1.0.2");
    socket.on("error", () => undefined);
    setTimeout(() => socket.destroy(), 50);`;
  execFileSync("ip", ["netns", "exec", namespace, process.execPath, "-e", script]);
}

function readCounters(): CounterReading {
  const { stdout } = inside("nft", "-j", "reset", "counters", "table", "inet", "seen");
  interface Listed {
    readonly counter?: { readonly name: string; readonly packets: number; readonly bytes: number };
  }
  const { nftables } = JSON.parse(stdout) as { nftables: readonly Listed[] };
  const counters = nftables.flatMap(({ counter }) =>
    counter === undefined ? [] : [[counter.name, counter] as const],
  );
  return { at: new Date(), counters: new Map(counters) };
}

describe.skipIf(reason)(`NFLOG through ulogd2${reason === undefined ? "" : ` (skipped: ${reason})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "tierwall-ulogd-"));
  let installed: InstalledUlogd;
  const troubles: string[] = [];
  let lines: (AuditLine | SuppressedLine)[] = [];
  let audit: Audit;
  let ulogd: Ulogd;

  beforeAll(() => {
    execFileSync("ip", ["netns", "add", namespace]);
    inside("ip", "link", "set", "lo", "up");
    for (const address of ["fd00::1/128", "fd00::2/128"])
      inside("ip", "address", "add", address, "dev", "lo");
    // The agent's ulogd runs where the agent does; this one is sent into the namespace.
    const real = findUlogd();
    if ("missing" in real) throw new Error(real.missing);
    installed = { program: join(folder, "ulogd"), plugins: real.plugins };
    writeFileSync(installed.program, `#!/bin/sh\nexec ip netns exec ${namespace} ${real.program} "$@"\n`);
    chmodSync(installed.program, 0o755);
  });
  afterAll(() => {
    spawnSync("ip", ["netns", "del", namespace]);
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    execFileSync("ip", ["netns", "exec", namespace, "nft", "-f", "-"], { input: `flush ruleset\n${table}` });
    lines = [];
    const ends = new AddressOwners(cluster);
    audit = new Audit({ node: "n1", shadow: false, rules: book, ends, write: (line) => lines.push(line) });
    ulogd = new Ulogd({
      installed,
      group,
      folder: join(folder, "run"),
      onLine: (line) => {
        const packet = parseLoggedPacket(line);
        if (packet !== undefined) audit.logged(packet);
      },
      onRunning: () => undefined,
      onTrouble: (message) => troubles.push(message),
    });
    await ulogd.start();
    await untilItListens();
  });
  afterEach(() => ulogd.stop());

  /** It has no way to say so: packets are sent until one is seen. */
  async function untilItListens(): Promise<void> {
    await vi.waitFor(() => {
      sendUdp(5);
      expect(lines).not.toEqual([]);
    }, patience);
    await untilAllCame();
    lines.length = 0;
  }

  /** Lines come in the order of their packets. */
  async function untilAllCame(): Promise<void> {
    const before = allowed().length;
    sendUdp(1);
    await vi.waitFor(() => expect(allowed().length).toBeGreaterThan(before), patience);
  }

  const decided = (verdict: "Allow" | "Deny") =>
    lines.filter((line) => !("suppressed" in line) && line.verdict === verdict);
  const allowed = () => decided("Allow");
  const arrived = (count: number) =>
    vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(count), patience);

  it("packets of every protocol arrive, with both pods and the rule named", async () => {
    sendUdp(3);
    sendTcp(3);
    inside("ping", "-c1", "-W0.1", "-I", "127.1.0.1", "127.1.0.2");
    inside("ping", "-c1", "-W0.1", "-I", "fd00::1", "fd00::2");
    await arrived(4);
    const said = (lines as AuditLine[]).map(({ protocol, source, destination, icmp }) => [
      protocol,
      source.kind === "pod" ? source.pod : source.address,
      destination.kind === "pod" ? destination.pod : destination.address,
      destination.port ?? icmp?.type,
    ]);
    expect(said).toEqual([
      ["UDP", "shop/cart", "shop/db", 3],
      ["TCP", expect.any(String), "shop/db", 3],
      ["ICMP", "shop/cart", "shop/db", 8],
      ["ICMPv6", "shop/cart", "shop/db", 128],
    ]);
    for (const line of lines) expect(line).toMatchObject({ verdict: "Deny", by: { kind: "isolation" } });
  });

  it("allowed ones too, and never what others log to the group", async () => {
    sendUdp(6);
    sendUdp(1);
    await arrived(1);
    expect(lines).toMatchObject([
      { verdict: "Allow", by: { kind: "rule", policy: { namespace: "shop", name: "web" }, number: 1 } },
    ]);
  });

  it("a connection that is cut is one line, with its rule", async () => {
    sendUdp(4);
    await arrived(1);
    expect(lines).toMatchObject([{ cut: true, by: { kind: "isolation" } }]);
  });

  it("lines and the number suppressed add up to what the kernel counted", async () => {
    const counts = new Counts("n1");
    const read = () => audit.counted(counts.read(readCounters(), book));
    read();
    sendUdp(3, 300);
    read();
    await untilAllCame();
    read();
    read();
    const logged = decided("Deny").length;
    const suppressed = lines.flatMap((line) => ("suppressed" in line ? [line.suppressed] : []));
    expect(counts.get(`r_${deny}`)?.packets).toBe(300);
    expect(logged).toBeLessThan(100);
    expect(logged + suppressed.reduce((a, b) => a + b, 0)).toBe(300);
  });

  it("a ulogd that dies is said, and started again", async () => {
    const first = ulogd.pid!;
    troubles.length = 0;
    process.kill(first, "SIGKILL");
    await vi.waitFor(() => expect(ulogd.pid ?? first).not.toBe(first), patience);
    expect(troubles).toEqual([expect.stringContaining("ulogd ended (SIGKILL)")]);
    await untilItListens();
    sendUdp(3);
    await arrived(1);
  });

  it("a second one for the same group is refused", async () => {
    const complaints: string[] = [];
    const second = new Ulogd({
      installed,
      group,
      folder: join(folder, "second"),
      onLine: () => undefined,
      onRunning: () => undefined,
      onTrouble: (message) => complaints.push(message),
    });
    await second.start();
    await vi.waitFor(() => expect(complaints).not.toEqual([]), patience);
    await second.stop();
    expect(complaints[0]).toMatch(/group/);
  });
});

describe("what is installed", () => {
  const plugin = (name: string) => `plugins/ulogd_${name}.so`;
  const plugins = ["inppkt_NFLOG", "raw2packet_BASE", "filter_IFINDEX", "filter_IP2STR"].map(plugin);
  const folder = mkdtempSync(join(tmpdir(), "tierwall-installed-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each<[string, readonly string[], RegExp | undefined]>([
    ["nothing", [], /`ulogd` is not installed; .*apt install ulogd2 ulogd2-json/],
    ["no plugins", ["bin/ulogd"], /the plugins of `.*bin\/ulogd` were not found/],
    ["no JSON", ["bin/ulogd", ...plugins], /`ulogd_output_JSON.so` is not in `.*plugins`/],
    ["all of it", ["bin/ulogd", ...plugins, plugin("output_JSON")], undefined],
  ])("%s", (what, files, missing) => {
    const root = join(folder, what);
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), "");
    }
    const found = findUlogd([join(root, "bin")], [join(root, "elsewhere"), join(root, "plugins")]);
    if (missing === undefined)
      expect(found).toEqual({ program: join(root, "bin/ulogd"), plugins: join(root, "plugins") });
    else expect(found).toEqual({ missing: expect.stringMatching(missing) as unknown });
  });
});
