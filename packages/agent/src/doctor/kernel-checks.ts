import { release } from "node:os";
import { run } from "../kernel/command.js";
import type { Nft } from "../kernel/nft.js";
import { supportsReturnPaths } from "../node-network/return-paths.js";
import { linesOf } from "../node-network/bridges.js";
import { findUlogd } from "../observe/ulogd.js";
import { failure, type Found, ok, unknown, warning } from "./finding.js";

/** What tables of the agent consist of, and the smallest table that needs it. */
const features: readonly (readonly [name: string, body: string])[] = [
  ["tables for both address families", ""],
  ["sets of address ranges", "set s { type ipv6_addr; flags interval; }"],
  ["verdict maps", "map m { type ipv4_addr : verdict; }\n  chain c { ip saddr vmap @m; }"],
  ["concatenated keys", "set s { type ipv4_addr . inet_proto . inet_service; }"],
  ["elements that expire", "set s { type ipv4_addr; flags timeout; }"],
  ["connection marks", "chain c { ct mark set ct mark and 0xffffff00 or 0x1; }"],
  ["counters", "counter r { }\n  chain c { counter name r; }"],
  ["packet log", 'chain c { limit rate 10/second log prefix "x" group 7; }'],
  [
    "redirection of DNS queries",
    "chain c { type nat hook prerouting priority -110; udp dport 53 dnat ip to 127.0.0.1:53; }",
  ],
];

/** Each feature is tried in a dry run: nothing is written. */
export async function nftablesFeatures(nft: Nft): Promise<Found> {
  const asked = await nft.ask("--version");
  if (!asked.ok) return failure(asked.message, "install the package `nftables`");
  const version = /v[\d.]+/.exec(asked.value)?.[0] ?? "of an unknown version";
  const permitted = await nft.ask("list", "tables");
  if (!permitted.ok) return failure(permitted.message);
  const missing: string[] = [];
  for (const [name, body] of features)
    if (!(await nft.accepts(`table inet tierwall-doctor {\n  ${body}\n}\n`))) missing.push(name);
  if (missing.length > 0)
    return failure(
      `the kernel ${release()} or nft ${version} does not support: ${missing.join(", ")}`,
      "use Linux 5.13 or newer with the nf_tables modules, and nft 1.0 or newer",
    );
  if (!(await supportsReturnPaths(nft, release())))
    return warning(
      `Linux ${release()} cannot check through which device an address is reached, so pods can use spoofed addresses`,
      "use Linux 5.19 or newer, or a network plugin that checks source addresses",
    );
  return ok(`nft ${version}, Linux ${release()}: everything that the agent needs`);
}

export async function programs(): Promise<Found> {
  const conntrack = await run(["conntrack", "--version"]);
  if (conntrack.ended === "ENOENT")
    return failure(
      "`conntrack` is not installed: a policy change would not cut established connections",
      "install the package `conntrack`",
    );
  const ulogd = findUlogd();
  if ("missing" in ulogd) return warning(`no audit log: ${ulogd.missing}`);
  return ok("conntrack and ulogd are installed");
}

/** In percent of the table: from here on a burst of connections can fill it. */
const nearlyFull = 80;

/** When the table is full, the kernel drops packets of new connections, whatever policies say. */
export function conntrackTable(root = "/"): Found {
  const [count, most] = ["count", "max"].map((name) =>
    numberIn(root, `proc/sys/net/netfilter/nf_conntrack_${name}`),
  );
  if (count === undefined || most === undefined)
    return unknown("the kernel tracks no connections yet (nf_conntrack is not loaded)");
  const used = `${count.toLocaleString("en")} of ${most.toLocaleString("en")} connections`;
  if (count < (most * nearlyFull) / 100) return ok(used);
  const remedy =
    "raise net.netfilter.nf_conntrack_max on the node, or find the pods that open so many connections";
  return count >= most
    ? failure(`the connection table is full (${used}): new connections are dropped`, remedy)
    : warning(`the connection table is nearly full: ${used}`, remedy);
}

export function forwarding(root = "/"): Found {
  const off = ["ipv4/ip_forward", "ipv6/conf/all/forwarding"].filter(
    (name) => numberIn(root, `proc/sys/net/${name}`) === 0,
  );
  if (off.includes("ipv4/ip_forward"))
    return warning(
      "net.ipv4.ip_forward is 0: the node forwards no IPv4 packets of pods",
      "set net.ipv4.ip_forward to 1, unless this cluster has IPv6 only",
    );
  return ok(
    off.length === 0
      ? "IPv4 and IPv6 packets are forwarded"
      : "IPv4 packets are forwarded, IPv6 packets are not",
  );
}

export function numberIn(root: string, path: string): number | undefined {
  const [line] = linesOf(root, path);
  return line === undefined || !/^\d+\s*$/.test(line) ? undefined : Number(line);
}
