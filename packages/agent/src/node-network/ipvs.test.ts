import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ipvsInUse } from "./other-programs.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tierwall-ipvs-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function files(of: Readonly<Record<string, string>>): void {
  mkdirSync(join(root, "proc/net"), { recursive: true });
  for (const [name, text] of Object.entries(of)) writeFileSync(join(root, "proc/net", name), text);
}

const device = (name: string) => `${name.padStart(6)}:       0       0    0    0\n`;
const dev = (...names: readonly string[]) =>
  `Inter-|   Receive\n face |bytes    packets\n${names.map(device).join("")}`;
const header =
  "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n  -> RemoteAddress:Port Forward Weight\n";

it.each([
  ["no files at all", {}, undefined],
  ["other interfaces", { dev: dev("lo", "eth0", "kube-bridge") }, undefined],
  ["the module without services", { dev: dev("lo"), ip_vs: header }, undefined],
  ["the interface of kube-proxy", { dev: dev("lo", "kube-ipvs0") }, /kube-ipvs0.*switch kube-proxy/],
  [
    "services of another program that uses IPVS",
    { ip_vs: `${header}TCP  0A600001:01BB rr\n  -> C0A80001:192B Masq 1 0 0\n` },
    /^IPVS has virtual services of another program, such as keepalived .*ipvsadm --clear/,
  ],
] as const)("%s", (_, of, expected) => {
  files(of);
  const found = ipvsInUse(root);
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(expected);
});
