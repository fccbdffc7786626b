import { execFile } from "node:child_process";
import { formatAddress, parseAddress } from "@tierwall/core";
import type { SocketAddress } from "./redirect.js";

/** A connection of a pod that a name allowed; the peer is the real one, behind any Service. */
export interface NamedConnection {
  readonly pod: string;
  readonly peer: string;
}

const mostOutput = 256 * 1024 * 1024;

/** The live connections whose mark has the given bit: the kernel picks them out, nothing else is read. */
export async function connectionsByName(bit: number): Promise<readonly NamedConnection[] | string> {
  const mark = `0x${bit.toString(16)}/0x${bit.toString(16)}`;
  const families = await Promise.all(
    ["ipv4", "ipv6"].map(async (family) => conntrack(["-L", "-f", family, "--mark", mark])),
  );
  const [problem] = families.flatMap((result) => (result.ok ? [] : [result.problem]));
  return problem ?? families.flatMap((result) => (result.ok ? connectionsIn(result.text) : []));
}

/** Reads what `conntrack -L` prints: source and destination as the pod sees them, then as the peer answers. */
export function connectionsIn(text: string): readonly NamedConnection[] {
  return text.split("\n").flatMap((line) => {
    const [pod, peer] = [...line.matchAll(/\bsrc=(\S+)/g)].map(([, address]) => parseAddress(address!));
    return pod && peer ? [{ pod: formatAddress(pod), peer: formatAddress(peer) }] : [];
  });
}

/** UDP "connections" of a pod to a DNS server from before it was redirected would never meet the proxy. */
export async function forgetQueries(pod: string, server: SocketAddress): Promise<void> {
  const family = pod.includes(":") ? "ipv6" : "ipv4";
  const what = ["-s", pod, "-d", server.address, "-p", "udp", "--dport", String(server.port)];
  // It fails where there are none, and where they cannot be deleted they end by themselves.
  await conntrack(["-D", "-f", family, ...what]);
}

/** The other way round: "connections" that were redirected to a proxy which is no longer there. */
export async function forgetRedirected({ address, port }: SocketAddress): Promise<void> {
  const [family, host] = address.includes(":") ? ["ipv6", `[${address}]`] : ["ipv4", address];
  await conntrack(["-D", "-f", family, "-p", "udp", "--dst-nat", `${host}:${port}`]);
}

type Output = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

async function conntrack(parameters: readonly string[]): Promise<Output> {
  return new Promise((resolve) => {
    execFile("conntrack", parameters, { maxBuffer: mostOutput }, (error, text, complaint) =>
      resolve(
        error === null ? { ok: true, text } : { ok: false, problem: complaint.trim() || error.message },
      ),
    );
  });
}
