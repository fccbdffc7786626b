import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { callRulesForBridges } from "./bridges.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tierwall-bridges-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const interfaces = (...names: readonly string[]): void => {
  for (const name of names) mkdirSync(join(root, "sys/class/net", name), { recursive: true });
};
const setting = (name: string): string => join(root, "proc/sys/net/bridge", name);
function settings(ipv4: string, ipv6: string): void {
  mkdirSync(join(root, "proc/sys/net/bridge"), { recursive: true });
  writeFileSync(setting("bridge-nf-call-iptables"), ipv4);
  writeFileSync(setting("bridge-nf-call-ip6tables"), ipv6);
}

test("a node without bridges is left as it is", () => {
  interfaces("lo", "eth0");
  settings("0\n", "0\n");
  expect(callRulesForBridges(root)).toEqual({ ok: true, value: [] });
  expect(readFileSync(setting("bridge-nf-call-iptables"), "utf8")).toBe("0\n");
});

test("with a bridge what is off is switched on, and said", () => {
  interfaces("lo", "cni0/bridge");
  settings("1\n", "0\n");
  expect(callRulesForBridges(root)).toEqual({ ok: true, value: ["net.bridge.bridge-nf-call-ip6tables"] });
  expect(readFileSync(setting("bridge-nf-call-ip6tables"), "utf8")).toBe("1\n");
});

test("with a bridge and without the module it is refused, and the message says what to do", () => {
  interfaces("cni0/bridge");
  const outcome = callRulesForBridges(root);
  expect(outcome.ok ? "" : outcome.message).toMatch(/on the bridge `cni0` .* load the module br_netfilter/);
});
