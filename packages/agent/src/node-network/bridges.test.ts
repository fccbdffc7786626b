import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAddress, parseCidr } from "@tierwall/core/model";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { NetworkNamespace, whyNoNamespaces } from "../../testing/network-namespace.js";
import { callRulesForBridges, nowhere, type PodPlaces } from "./bridges.js";

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
/**
 * 10.244.1.0/24 and fd00:1::/64 by cni0, 10.244.3.0/24 by cali3, 10.244.4.0/24 by the VLAN br0.4, 10.244.5.0/24 by the port veth5,
 * 172.17.0.0/16 by docker0, all else by br0.
 */
function routes(): void {
  mkdirSync(join(root, "proc/net"), { recursive: true });
  const header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
  const four = (device: string, to: string, mask: string) =>
    `${device}\t${to}\t00000000\t0001\t0\t0\t0\t${mask}\t0\t0\t0\n`;
  writeFileSync(
    join(root, "proc/net/route"),
    header +
      four("br0", "00000000", "00000000") +
      four("cni0", "0001F40A", "00FFFFFF") +
      four("cali3", "0003F40A", "00FFFFFF") +
      four("br0.4", "0004F40A", "00FFFFFF") +
      four("veth5", "0005F40A", "00FFFFFF") +
      four("docker0", "000011AC", "0000FFFF"),
  );
  const zeros = "0".repeat(32);
  const rest = `${zeros} 00 ${zeros} 00000100 00000001 00000000 00000001`;
  writeFileSync(
    join(root, "proc/net/ipv6_route"),
    `fd000001000000000000000000000000 40 ${rest}     cni0\n${zeros} 00 ${rest}      br0\n`,
  );
}
const places = (addresses: readonly string[], ranges: readonly string[] = []): PodPlaces => ({
  addresses: addresses.map((text) => parseAddress(text)!),
  ranges: ranges.map((text) => parseCidr(text)!),
});

test("a node without bridges is left as it is", () => {
  interfaces("lo", "eth0");
  settings("0\n", "0\n");
  expect(callRulesForBridges(nowhere, root)).toEqual({ ok: true, value: { changed: [] } });
  expect(readFileSync(setting("bridge-nf-call-iptables"), "utf8")).toBe("0\n");
});

test("with a bridge what is off is switched on, and said", () => {
  interfaces("lo", "cni0/bridge");
  settings("1\n", "0\n");
  const changed = ["net.bridge.bridge-nf-call-ip6tables"];
  expect(callRulesForBridges(nowhere, root)).toEqual({ ok: true, value: { changed } });
  expect(readFileSync(setting("bridge-nf-call-ip6tables"), "utf8")).toBe("1\n");
});

describe("without the module br_netfilter", () => {
  it.each([
    ["a pod is behind the bridge", places(["10.244.1.7"])],
    ["a pod with an IPv6 address is", places(["fd00:1::7"])],
    ["the pod range of the node is", places([], ["10.244.1.0/24"])],
    ["a part of the pod range is", places([], ["10.244.0.0/16"])],
  ])("it is refused where %s, and the message says what to do", (_, pods) => {
    interfaces("br0/bridge", "cni0/bridge", "docker0/bridge");
    routes();
    const outcome = callRulesForBridges(pods, root);
    expect(outcome.ok ? "" : outcome.message).toMatch(/on the bridge `cni0` .* load the module br_netfilter/);
  });

  it.each([
    [
      "one pod is behind no bridge and another has no route of its own",
      ["10.244.3.7", "10.244.2.7"],
      /10\.244\.2\.7/,
    ],
    ["a pod is behind a VLAN on a bridge", ["10.244.4.7"], /the bridge of `br0\.4`/],
    ["a pod is behind a port of a bridge", ["10.244.5.7"], /the bridge of `veth5`/],
  ])("it is refused where %s", (_, addresses, reason) => {
    interfaces("br0/bridge", "docker0/bridge", "br0.4/lower_br0", "veth5/brport", "cali3");
    routes();
    const outcome = callRulesForBridges(places(addresses), root);
    expect(outcome.ok ? "" : outcome.message).toMatch(reason);
    expect(outcome.ok ? "" : outcome.message).toMatch(/load the module br_netfilter/);
  });

  it.each([
    ["no pod is known", nowhere],
    ["every pod has a route around bridges", places(["10.244.3.7", "10.244.3.8"], ["10.244.2.0/23"])],
  ])("it is a warning where %s: bridges of other programs do not matter", (_, pods) => {
    interfaces("br0/bridge", "cni0/bridge", "docker0/bridge", "cali3");
    routes();
    const outcome = callRulesForBridges(pods, root);
    expect(outcome).toMatchObject({ ok: true, value: { changed: [] } });
    expect(outcome.ok ? outcome.value.warning : "").toMatch(/br0, cni0, docker0.*bypass the rules/);
  });
});

const module = fileURLToPath(new URL("../../dist/node-network/bridges.js", import.meta.url));

describe.skipIf(whyNoNamespaces() !== undefined)("in a network namespace", () => {
  it.each([
    ["10.244.1.7", true],
    ["10.244.2.7", false],
  ])("the kernel's own routes say whether %s is behind the bridge: %s", (address, isBehind) => {
    const node = new NetworkNamespace("bridges");
    try {
      node.run("ip", "link", "add", "cni0", "type", "bridge");
      node.run("ip", "link", "set", "cni0", "up");
      node.run("ip", "addr", "add", "10.244.1.1/24", "dev", "cni0");
      const { family, value } = parseAddress(address)!;
      const ask = `import(${JSON.stringify(module)}).then(({ Routes }) =>
        console.log(new Routes().devicesOf({ family: ${family}, value: ${value}n })[0] ?? "none"))`;
      const [program, ...args] = [...node.enter, process.execPath, "-e", ask];
      const said = execFileSync(program, args, { encoding: "utf8" }).trim();
      expect(said).toBe(isBehind ? "cni0" : "none");
    } finally {
      node.remove();
    }
  });
});
